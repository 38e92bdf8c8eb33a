import StepDomain
import Testing
import TestSupport

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DayViewTests {
    @Test func `a day is shown with figures, goal, chart and last sync`() {
        #expect(
            Sample.view().text() == """
                anna · Sunday 20 April 2014

                  Steps     8,801  somewhat active
                  Distance  6.18 km  by your height
                  Calories  192 kcal  by your weight, above rest
                  Goal      8,000  ██████████████████████████│███  110 %

                  Steps per hour of the day
                 2,600                                      ▂▂                ██
                                                ▁▁          ██                ██
                                                ██          ██                ██
                                             ▄▄ ██          ██             ██ ██
                     0                       ██ ██ ▁▁       ██ ▅▅          ██ ██       ▁▁
                        0        3        6        9        12       15       18       21

                  Day       complete
                  Synced    last on 2014-04-21 07:30

                  Previous: istep show 2014-04-19   Next: istep show 2014-04-21
                """)
    }

    @Test func `a day is shown in ASCII at a width of 40`() {
        #expect(
            Sample.view {
                $0.goal = 12_000; $0.percentage = 100 * 8801 / 12_000.0
            }.text(TextStyle(width: 40, unicode: false)) == """
                anna - Sunday 20 April 2014

                  Steps     8,801  somewhat active
                  Distance  6.18 km  by your height
                  Calories  192 kcal  by your weight,
                            above rest
                  Goal      12,000  #####..|  73 %

                  Steps per hour of the day
                 2,600                    #
                                    #     #
                                #   #     #
                               .#   #    ##
                     0         ##.  #:   ##  .
                        0     6     12    18

                  Day       complete
                  Synced    last on 2014-04-21 07:30

                  Previous: istep show 2014-04-19
                  Next: istep show 2014-04-21
                """)
    }

    @Test func `the view of today shows figures so far and no next day`() {
        let today = Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812, 8: 1650])
        let text = Sample.view(today).text()
        #expect(text.contains("anna · Monday 21 April 2014 · today\n"))
        #expect(text.contains("  Steps     2,462\n"))
        #expect(text.contains("  Day       so far\n"))
        #expect(text.contains("  Synced    3 hours ago, 2014-04-21 07:30\n"))
        #expect(text.hasSuffix("  Previous: istep show 2014-04-20"))
        let active = Sample.summary(Sample.day.advanced(by: 1), steps: [7: 6000])
        #expect(Sample.view(active).text().contains("  Steps     6,000  low active so far\n"))
    }

    @Test func `a browser shows no commands that lead to other days, whatever the name of the user is`() {
        let view = Sample.view { $0.user = User(id: 1, name: "istep show me") }
        let lines = view.lines(Sample.plain)
        // The title stays while the rest scrolls.
        let head = view.browserHead(Sample.plain), browserLines = head + view.browserLines(Sample.plain)
        #expect(head.count == 1)
        #expect(lines.last?.contains("istep show 2014-04-19") == true)
        #expect(browserLines == Array(lines.prefix(browserLines.count)) && browserLines.count == lines.count - 2)
        #expect(browserLines.first?.contains("istep show me") == true && browserLines.last?.contains("Synced") == true)
    }

    @Test func `an unknown day is not shown as zero`() {
        let view = Sample.view(
            DaySummary(user: User(id: 1, name: "anna"), day: Sample.day, goal: 8000, lastSync: Sample.synced))
        #expect(view.errors.isEmpty)
        #expect(
            view.text() == """
                anna · Sunday 20 April 2014

                  Steps     unknown
                  Goal      8,000

                  Day       nothing known
                  Synced    last on 2014-04-21 07:30

                  Previous: istep show 2014-04-19   Next: istep show 2014-04-21
                """)
    }

    @Test func `the view of a day before the history shows when the history begins`() {
        let summary = DaySummary(user: User(id: 1, name: "anna"), day: Sample.day)
        func text(_ begins: Day?) -> String {
            DayView(
                summary, today: Sample.day.advanced(by: 9), now: Sample.now, localTime: Sample.localTime,
                historyBegins: begins
            ).text()
        }
        #expect(
            text(Sample.day.advanced(by: 1)).contains("\n  The history begins on 2014-04-21.\n\n  Steps     unknown\n"))
        #expect(!text(Sample.day.advanced(by: -1)).contains("begins") && !text(nil).contains("begins"))
        // No day before it is offered.
        #expect(!text(Sample.day.advanced(by: 1)).contains("Previous:") && !text(Sample.day).contains("Previous:"))
        #expect(text(Sample.day.advanced(by: -1)).contains("Previous: istep show 2014-04-19"))
        // The next one that is offered is its first, if that is not after today.
        #expect(text(Sample.day.advanced(by: 5)).contains("Next: istep show 2014-04-25"))
        #expect(text(Sample.day.advanced(by: 30)).contains("Next: istep show 2014-04-29"))
        #expect(text(Sample.day.advanced(by: -1)).contains("Next: istep show 2014-04-21"))
    }

    @Test func `an hour that was mostly run is marked, and orange where there is colour`() throws {
        let view = Sample.view { summary in
            for index in summary.hours.indices where summary.hours[index].hour == 18 {
                summary.hours[index].running = summary.hours[index].steps ?? 0
            }
        }
        #expect(view.text().contains("Steps per hour of the day  (▓ mostly run)") && view.text().contains("▓▓"))
        #expect(!view.text().contains("\u{1b}") && !Sample.view().text().contains("▓"))
        let lines = view.lines(TextStyle(colour: true)).filter { $0.contains("\u{1b}[38;5;208m") }
        #expect(lines.count == 5 && lines.last?.contains("\u{1b}[38;5;208m▓▓\u{1b}[0m") == true, "\(lines)")
    }

    @Test func `an hour that is not known is no hour without steps`() throws {
        let today = Sample.day.advanced(by: 1)
        // At 10:30 of the same day: the ring was off from 8:00 to 9:00, and the day is not over.
        func view(_ now: Int?) -> DayView {
            Sample.view(today) { summary in
                change(&summary)
                summary.hours[10].steps = now
            }
        }
        func change(_ summary: inout DaySummary) {
            for index in summary.hours.indices where index == 8 || index > 10 { summary.hours[index].steps = nil }
            (summary.hours[7].steps, summary.hours[9].steps) = (500, 300)
            for index in 0..<7 { summary.hours[index].steps = 0 }
            (summary.steps, summary.countedSteps) = (800, 800)
            summary.isCorrected = true
        }
        // The steps of the hour that is not over may still come.
        for now in [0, nil] {
            let lines = view(now).lines(Sample.plain)
            let heading = try #require(lines.firstIndex { $0.contains("Steps per hour of the day  (? unknown)") })
            let floor = lines[heading + 5]
            #expect(floor.count { $0 == "?" } == 2 && floor.contains("██ ?? ██"), "\(floor)")
            #expect(!lines[heading + 1].contains("?"))
        }
        let document = try ReadDocument(view(0))
        #expect(document.hours[8].steps == .null && document.hours[10].steps == 0)
    }

    @Test func `a corrected day shows by how much and why`() {
        func line(_ steps: Int, counted: Int?, _ reason: String? = nil) -> String? {
            Sample.view {
                ($0.steps, $0.isCorrected, $0.countedSteps, $0.correctionReason) = (steps, true, counted, reason)
            }
            .text().split(separator: "\n").first { $0.hasPrefix("  Day ") }.map { String($0.dropFirst(12)) }
        }
        #expect(line(9000, counted: 8801) == "entered by hand: 199 more than the 8,801 counted")
        #expect(
            line(500, counted: 8801, "ring\u{1b} on the dog")
                == "entered by hand: 8,301 fewer than the 8,801 counted (ring\u{fffd} on the")
        #expect(line(500, counted: nil, "no ring") == "entered by hand; nothing was counted (no ring)")
    }

    @Test func `a day on which the user ran shows how many steps that were`() {
        let text = Sample.view { ($0.walkingSteps, $0.runningSteps) = (6601, 2200) }.text()
        #expect(text.contains("  Steps     8,801  somewhat active\n  Running   2,200 of 8,801 steps\n  Distance"))
        #expect(!Sample.view().text().contains("Running"))
        #expect(
            !Sample.view { ($0.steps, $0.runningSteps) = (-1, 2200) }.text().contains("Running"), "the steps are wrong")
    }

    @Test func `the hours of a corrected day are marked as counted`() {
        func heading(_ width: Int = 80, steps: Int?, counted: Int? = 8801) -> String? {
            let view = Sample.view {
                ($0.steps, $0.category, $0.isCorrected, $0.countedSteps) = (steps, nil, true, counted)
            }
            let lines = view.lines(TextStyle(width: width))
            return lines.firstIndex { $0.contains("Steps per hour") }.map {
                lines[$0...].prefix(2).joined(separator: "\n")
            }
        }
        #expect(
            heading(steps: 9000)?.hasPrefix("  Steps per hour as counted; the total is corrected to 9,000\n") == true)
        #expect(heading(40, steps: 9000) == "  Steps per hour as counted; the total\n  is corrected to 9,000")
        #expect(heading(steps: 8801)?.hasPrefix("  Steps per hour of the day\n") == true, "as many as were counted")
    }

    @Test func `the time of a correction is in the JSON`() throws {
        let view = Sample.view { ($0.isCorrected, $0.correctedAt) = (true, Sample.synced) }
        #expect(try ReadDocument(view).correctionTime == "2014-04-21T07:30:00+02:00")
        #expect(try ReadDocument(Sample.view()).correctionTime == .null)
    }

    @Test func `missing, partial and corrected values are described`() {
        func text(_ change: (inout DaySummary) -> Void) -> String { Sample.view(change: change).text() }
        #expect(text { $0.completeness = .partial }.contains("  Day       partial: steps may be missing\n"))
        #expect(
            text {
                $0.isCorrected = true; $0.hours = []
            }.contains("  Day       entered by hand: as many as were counted\n"))
        #expect(
            text { $0.lastSync = nil }.contains("  Synced    never: read your pedometers\n            istep sync\n"))
        // What there is nothing to read with, is first.
        var unsynced = Sample.view().summary
        unsynced.lastSync = nil
        let view = DayView(
            unsynced, today: Sample.day, now: Sample.synced, localTime: .berlin, hasPedometers: false)
        #expect(!view.text().contains("Synced"), "imported, or entered by hand: \(view.text())")
        unsynced.steps = nil
        let unknown = DayView(
            unsynced, today: Sample.day, now: Sample.synced, localTime: .berlin, hasPedometers: false)
        #expect(
            unknown.text().contains("  Synced    never: add a pedometer\n            istep add\n"), "\(unknown.text())")
        let imported = DayView(
            unsynced, today: Sample.day, now: Sample.synced, localTime: .berlin,
            historyBegins: Sample.day.advanced(by: -9),
            hasPedometers: false)
        #expect(
            imported.text().contains(
                "  Synced    never: import a file, or add a pedometer\n            istep import FILE\n"),
            "\(imported.text())")
        #expect(
            text {
                $0.goal = nil; $0.percentage = nil; $0.isRestDay = true
            }.contains("  Goal      rest day\n"))
        #expect(
            text {
                $0.goal = nil; $0.percentage = nil
            }.contains("  Goal      none: set one\n            istep plan 8000\n"))
        #expect(
            text { $0.distance = nil }.contains(
                "  Distance  unknown: set your height, and it is calculated\n            istep profile --height CM\n"))
        #expect(text { $0.energy = nil }.contains("\n            istep profile --weight KG\n"))
        #expect(text { $0.implausibleSteps = 40_000 }.contains("  Ignored   40,000 implausible steps, not counted"))
        #expect(text { $0.distanceSource = .pedometer }.contains("6.18 km  by the pedometer\n"))
        for (walking, running, words) in [
            (DaySummary.DistanceSource.height, DaySummary.DistanceSource.height, "by your height"),
            (.height, .measuredStepLength, "walking by your height, running by your step length"),
            (.measuredStepLength, .scaledStepLength, "by your step length, scaled for running"),
            (.measuredStepLength, .measuredStepLength, "by your step lengths"),
            (.scaledStepLength, .measuredStepLength, "by your running step, scaled for walking"),
            (.pedometer, .pedometer, "by the pedometer"),
        ] {
            let shown = text { ($0.distanceSource, $0.runningDistanceSource) = (walking, running) }
            #expect(shown.contains("6.18 km  \(words)\n"), "\(words)")
        }
        #expect(text { $0.distanceSource = .scaledStepLength }.contains("6.18 km  by your running step, scaled for"))
    }

    @Test func `100 % is shown only when the goal is reached`() {
        func text(_ goal: Int) -> String {
            Sample.view {
                $0.goal = goal; $0.percentage = SportPlan.percentage(steps: $0.steps, goal: goal)
            }.text()
        }
        #expect(text(8802).contains("██│  99 %"))
        #expect(text(8801).contains("██│  100 %"))
        #expect(text(1).contains("  880,100 %"))
    }

    @Test func `no command is offered for a day before year 1`() throws {
        let first = try #require(Day("0001-01-01"))
        let text = Sample.view(DaySummary(user: User(id: 1, name: "anna"), day: first)).text()
        #expect(!text.contains("Previous"))
        #expect(text.contains("Next: istep show 0001-01-02"))
        let second = Sample.view(DaySummary(user: User(id: 1, name: "anna"), day: first.advanced(by: 1))).text()
        #expect(second.contains("Previous: istep show 0001-01-01"))
    }

    @Test func `colour does not change the text`() {
        let plain = Sample.view().lines(Sample.plain)
        let coloured = Sample.view().lines(TextStyle(colour: true))
        #expect(coloured != plain)
        #expect(coloured.map(withoutColour) == plain)
    }

    private func withoutColour(_ line: String) -> String {
        ["0", "1", "2", "31", "32", "33"].reduce(line) { $0.replacing("\u{1b}[\($1)m", with: "") }
    }

    // MARK: What holds for all days

    @Test(arguments: 0..<300 as Range<UInt64>) func `a random day fits on one screen`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let summary = RandomSummary.make(using: &generator)
        for style in [TextStyle(width: 80), TextStyle(width: 61, unicode: false), TextStyle(width: 40)] {
            let lines = Sample.view(summary).lines(style)
            #expect(lines.count <= (style.width == 80 ? 24 : style.width == 61 ? 26 : 40))
            for line in lines {
                #expect(Columns.of(line) <= style.width)
                #expect(!line.unicodeScalars.contains { Printable.isHarmful($0) })
                #expect(style.unicode || line.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
            }
        }
        _ = try Sample.view(summary).json()
    }
}
