import StepDomain
import Testing
import TestSupport

@testable import StepViews

@Suite struct DayViewTests {
    @Test func aDayAsItIsShown() {
        #expect(
            Sample.view().text() == """
                anna · Sunday 20 April 2014

                  Steps     8,801  somewhat active
                  Distance  6.18 km  by your height
                  Calories  192 kcal  by your weight, above rest
                  Goal      8,000  ██████████████████████████████  110 %

                 2,600                                      ▂▂                ██
                                                ▁▁          ██                ██
                                                ██          ██                ██
                                             ▄▄ ██          ██             ██ ██
                     0                       ██ ██ ▁▁       ██ ▅▅          ██ ██       ▁▁
                        0        3        6        9        12       15       18       21

                  Day       complete
                  Synced    3 hours ago, 2014-04-21 07:30

                  Previous: istep show 2014-04-19   Next: istep show 2014-04-21
                """)
    }

    @Test func theSameInASCIIAndNarrow() {
        #expect(
            Sample.view { $0.goal = 12_000; $0.percentage = 100 * 8801 / 12_000.0 }.text(TextStyle(width: 40, unicode: false)) == """
                anna - Sunday 20 April 2014

                  Steps     8,801  somewhat active
                  Distance  6.18 km  by your height
                  Calories  192 kcal  by your weight, ab
                  Goal      12,000  #####...  73 %

                 2,600                    #
                                    #     #
                                #   #     #
                               .#   #    ##
                     0         ##.  #:   ##  .
                        0     6     12    18

                  Day       complete
                  Synced    3 hours ago

                  Previous: istep show 2014-04-19
                  Next: istep show 2014-04-21
                """)
    }

    @Test func todayIsSoFarAndHasNoNextDay() {
        let today = Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812, 8: 1650])
        let text = Sample.view(today).text()
        #expect(text.contains("anna · Monday 21 April 2014 · today\n"))
        #expect(text.contains("  Steps     2,462\n"))
        #expect(text.contains("  Day       so far\n"))
        #expect(text.hasSuffix("  Previous: istep show 2014-04-20"))
        let active = Sample.summary(Sample.day.advanced(by: 1), steps: [7: 6000])
        #expect(Sample.view(active).text().contains("  Steps     6,000  low active so far\n"))
    }

    @Test func nothingKnownIsSaidAndNotShownAsZero() {
        let view = Sample.view(
            DaySummary(user: User(id: 1, name: "anna"), day: Sample.day, goal: 8000, lastSync: Sample.synced))
        #expect(view.errors.isEmpty)
        #expect(
            view.text() == """
                anna · Sunday 20 April 2014

                  Steps     unknown
                  Goal      8,000

                  Day       nothing known
                  Synced    3 hours ago, 2014-04-21 07:30

                  Previous: istep show 2014-04-19   Next: istep show 2014-04-21
                """)
    }

    @Test func otherStates() {
        func text(_ change: (inout DaySummary) -> Void) -> String { Sample.view(change: change).text() }
        #expect(text { $0.completeness = .partial }.contains("  Day       partial: steps may be missing\n"))
        #expect(text { $0.isCorrected = true; $0.hours = [] }.contains("  Day       entered by hand\n"))
        #expect(text { $0.lastSync = nil }.contains("  Synced    never: istep sync reads"))
        #expect(text { $0.goal = nil; $0.percentage = nil; $0.isRestDay = true }.contains("  Goal      rest day\n"))
        #expect(text { $0.goal = nil; $0.percentage = nil }.contains("  Goal      none: set one"))
        #expect(text { $0.distance = nil }.contains("  Distance  unknown: tell your height"))
        #expect(text { $0.energy = nil }.contains("  Calories  unknown: tell your weight"))
        #expect(text { $0.implausibleSteps = 40_000 }.contains("  Left out  40,000 steps that nobody"))
        #expect(text { $0.distanceSource = .pedometer }.contains("6.18 km  by the pedometer\n"))
    }

    @Test func aHundredPerCentIsShownWhenItIsReachedAndNotBefore() {
        func text(_ goal: Int) -> String {
            Sample.view { $0.goal = goal; $0.percentage = SportPlan.percentage(steps: $0.steps, goal: goal) }.text()
        }
        #expect(text(8802).contains("█░  99 %"))
        #expect(text(8801).contains("██  100 %"))
        #expect(text(1).contains("  880,100 %"))
    }

    @Test func onlyDaysThatCanBeShownAreOffered() throws {
        let first = try #require(Day("0001-01-01"))
        let text = Sample.view(DaySummary(user: User(id: 1, name: "anna"), day: first)).text()
        #expect(!text.contains("Previous"))
        #expect(text.contains("Next: istep show 0001-01-02"))
        let second = Sample.view(DaySummary(user: User(id: 1, name: "anna"), day: first.advanced(by: 1))).text()
        #expect(second.contains("Previous: istep show 0001-01-01"))
    }

    @Test func colourIsMeaningOnTopOfTheSameText() {
        let plain = Sample.view().lines(Sample.plain)
        let coloured = Sample.view().lines(TextStyle(colour: true))
        #expect(coloured != plain)
        #expect(coloured.map(withoutColour) == plain)
    }

    private func withoutColour(_ line: String) -> String {
        ["0", "1", "2", "31", "32", "33"].reduce(line) { $0.replacing("\u{1b}[\($1)m", with: "") }
    }

    // MARK: What holds for all days

    @Test(arguments: 0..<300 as Range<UInt64>) func oneScreenfulWhateverTheDay(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let summary = RandomSummary.make(using: &generator)
        for style in [TextStyle(width: 80), TextStyle(width: 61, unicode: false), TextStyle(width: 40)] {
            let lines = Sample.view(summary).lines(style)
            #expect(lines.count <= 24)
            for line in lines {
                #expect(Columns.of(line) <= style.width)
                #expect(!line.unicodeScalars.contains { Printable.isHarmful($0) })
                #expect(style.unicode || line.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
            }
        }
        _ = try Sample.view(summary).json()
    }
}
