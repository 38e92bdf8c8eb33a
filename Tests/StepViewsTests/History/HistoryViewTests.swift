import StepDomain
import StepServices
import Testing
import TestSupport

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct HistoryViewTests {
    @Test func `a week is shown with each kind of day`() {
        // Golden: what a user sees. Change it only with a reason.
        #expect(
            SampleHistory.view().text() == """
                anna · Week 16 of 2014, 14 to 20 April 2014

                  Mon 14 Apr  ██████████████████████│▓▓▓▓▓▓▓▓▓                    8,200
                  Tue 15 Apr                        │                                 0
                  Wed 16 Apr  ▒▒▒▒▒▒▒▒              │                             2,100  partial
                  Thu 17 Apr  ██████████████████████│██████████████████████████  12,400  by hand
                  Fri 18 Apr  ?                     │                                 ?  unknown
                  Sat 19 Apr  ███                   │                               900  so far
                  █ walked  ▓ run  ▒ partial  ? unknown  │ goal

                  Total     23,600 steps · 17.46 km · 616 kcal
                  Mean      5,675 a day, median 5,150  of 4 days, without today
                  Best      12,400 on Thursday 17 April 2014
                  Goal      reached on 2 of 4 days
                  Streak    none now: not known whether the goal of 18 April 2014 was reached
                            (longest of the whole history: 1 day, 17 April 2014)
                  Compared  4 % less than the 5,900 a day in week 15 of 2014  (7 to 11 April
                            2014)
                  Running   2,200 of 23,600 steps
                  Days      3 complete, 1 partial, 1 unknown, today so far; 1 by hand

                  Previous: istep history 2014-W15
                """)
    }

    @Test func `a week is shown in ASCII at a width of 40`() {
        #expect(
            SampleHistory.view().text(TextStyle(width: 40, unicode: false)) == """
                anna - Week 16 of 2014, 14 to 20 April
                  2014

                  14 Apr  #####|==        8,200
                  15 Apr       |              0
                  16 Apr  ::   |          2,100  partial
                  17 Apr  #####|#######  12,400  by hand
                  18 Apr  ?    |              ?  unknown
                  19 Apr  #    |            900  so far
                  # walked  = run  : partial  ? unknown
                  | goal

                  Total     23,600 steps - 17.46 km -
                            616 kcal
                  Mean      5,675 a day, median 5,150
                            of 4 days, without today
                  Best      12,400 on Thursday 17 April
                            2014
                  Goal      reached on 2 of 4 days
                  Streak    none now: not known whether
                            the goal of 18 April 2014
                            was reached  (longest of the
                            whole history: 1 day, 17
                            April 2014)
                  Compared  4 % less than the 5,900 a
                            day in week 15 of 2014  (7
                            to 11 April 2014)
                  Running   2,200 of 23,600 steps
                  Days      3 complete, 1 partial, 1
                            unknown, today so far; 1 by
                            hand

                  Previous: istep history 2014-W15
                """)
    }

    /// Months have longer notes than days: below their bars, where nothing of them is lost.
    @Test func `on a narrow terminal long notes are shown below the bars, and signs stay beside their meanings`() {
        let lines = SampleHistory.view(SampleHistory.years, .year).lines(TextStyle(width: 40))
        let months = lines.indices.filter { lines[$0].hasPrefix("  Apr 2014") || lines[$0].hasPrefix("  Jan 2014") }
        #expect(months.count == 2)
        for month in months {
            #expect(
                lines[month].contains("│") && lines[month + 1].hasPrefix("            goal "), "\(lines[month + 1])")
        }
        #expect(
            lines.contains("  · below 5,000  ░ 5,000  ▒ 7,500") && lines.contains("  ▓ 10,000  █ 12,500  ~ partial"))
    }

    @Test func `a figure is shown whole even if the bar has no room`() {
        let bars = [
            TextBarChart.Bar(label: "2014-04-14", steps: 1e12, note: "wrong"), .init(label: "2014-04-15", steps: 1),
        ]
        var page = TextPage(TextStyle(width: 40))
        TextBarChart(bars: bars, width: 28).draw(on: &page)
        #expect(
            page.lines.contains { $0.hasSuffix("  1,000,000,000,000") } && page.lines.contains("              wrong"),
            "\(page.lines)")
    }

    private func streak(_ words: String, _ period: Period? = nil) -> String {
        let figures = SampleHistory.figures(words)
        let lines = HistoryView(figures, period ?? Period(.week, containing: figures.today)).lines(
            TextStyle(width: 200))
        return lines.first { $0.hasPrefix("  Streak") }.map { String($0.dropFirst(12)) } ?? ""
    }

    @Test func `a streak is named as that of now or as the longest of the whole history`() throws {
        #expect(streak("7000 7000 7000") == "3 days now, since 14 April 2014  (the longest of the whole history)")
        #expect(
            streak("7000 7000 100 7000 9")
                == "1 day now, since 17 April 2014  (longest of the whole history: 2 days, 14 to 15 April 2014)")
        #expect(
            streak("7000 7000 100 9")
                == "none now: the goal of 16 April 2014 was missed  (longest of the whole history: 2 days, 14 to 15 April 2014)"
        )
        // The streak of now has nothing to do with a period that is over.
        let week = Period(.week, containing: try #require(Day("2014-04-20")))
        #expect(
            streak("100 100 100 100 100 100 100 7000 9", week) == "longest of the whole history: 1 day, 21 April 2014")
        #expect(streak("100 9").isEmpty)
    }

    private static let styles: [TextStyle] = [40, 56, 80, 121, 200].flatMap { width in
        [TextStyle(width: width), TextStyle(width: width, colour: true), TextStyle(width: width, unicode: false)]
    }

    @Test(arguments: HistoryView.Grouping.allCases) func `every grouping fits every terminal`(
        grouping: HistoryView.Grouping
    ) {
        for style in Self.styles {
            for unit in Period.Unit.allCases {
                let lines = SampleHistory.view(SampleHistory.years, unit, by: grouping).lines(style)
                for line in lines {
                    let plain = line.replacing(/\u{1b}\[[0-9]*m/, with: "")
                    #expect(Columns.of(plain) <= style.wide.width, "\(plain)")
                    #expect(
                        style.unicode || plain.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 32 }, "\(plain)")
                }
                #expect(lines.contains { $0.contains("Total") })
            }
        }
    }

    @Test(arguments: [1, 10, 39]) func `a message says how many columns are needed if the terminal is too narrow`(
        width: Int
    ) {
        let lines = SampleHistory.view().lines(TextStyle(width: width))
        #expect(lines.allSatisfy { Columns.of($0) <= width } && !lines.isEmpty)
        if width == 39 {
            #expect(lines.joined(separator: " ").contains("at least 40 columns is needed; this one has 39."))
        }
    }

    @Test func `width is used up to 200 columns`() {
        let lines = SampleHistory.view().lines(TextStyle(width: 200))
        #expect((lines.map(Columns.of).max() ?? 0) > 130)
    }

    @Test func `colour shows whether the goal was met`() throws {
        let lines = SampleHistory.view().lines(TextStyle(colour: true))
        let met = try #require(lines.first { $0.contains("8,200") }),
            missed = try #require(lines.first { $0.contains("2,100") })
        #expect(met.contains("\u{1b}[32m") && !missed.contains("\u{1b}[32m"))
        #expect(missed.contains("\u{1b}[33m"))
        #expect(!SampleHistory.view().text().contains("\u{1b}"))
    }

    /// Neither a sign nor a figure of an unknown day can be taken for a day without steps.
    @Test(arguments: [true, false]) func `unknown, partial and zero differ without colour`(unicode: Bool) throws {
        let figures = SampleHistory.figures("? 0 2000~ 2000 5")
        let lines = SampleHistory.view(figures, .week).lines(TextStyle(unicode: unicode)).prefix(6).suffix(4)
        let bars = lines.map { line in String(line.dropFirst(14).prefix(8)) }
        #expect(Set(bars).count == 4, "\(bars)")
        #expect(lines.first?.contains("unknown") == true && lines.first?.contains(" 0") == false)
    }

    @Test func `a bar reaches the mark when the goal is reached and not before`() {
        for (steps, isFull) in [(5999.0, false), (6000.0, true), (6001.0, true), (1.0, false)] {
            let chart = TextBarChart(
                bars: [.init(label: "x", steps: steps, goal: 6000), .init(label: "y", steps: 9000)], width: 80)
            var page = TextPage(TextStyle())
            for row in chart.rows { page.row(row) }
            let before = page.lines[0].prefix { $0 != "│" }
            #expect((before.last == "█") == isFull, "\(steps): \(page.lines[0])")
        }
    }

    @Test func `walking and running have different tones`() throws {
        let line = try #require(SampleHistory.view().lines(TextStyle()).first { $0.contains("8,200") })
        let (walked, run) = (line.count { $0 == "█" }, line.count { $0 == "▓" })
        #expect(walked > 0 && run > 0 && walked > run)
    }

    @Test(arguments: [40, 80, 200]) func `a year has a calendar of seven rows`(width: Int) {
        let style = TextStyle(width: width).wide
        let year = SampleHistory.years.statistics(
            of: Period(.year, containing: Day("2013-06-01") ?? SampleHistory.years.today))
        let map = TextHeatMap(days: year.days, weekStart: .monday, style: style)
        #expect(map.rows.count == (width == 40 ? 16 : 8), "two halves on a narrow terminal")
        var page = TextPage(style)
        for row in map.rows { page.row(row) }
        #expect(page.lines.allSatisfy { Columns.of($0) <= width })
        // The signs of all days, each once; the names of weekdays and months have none of them.
        let signs = page.lines.filter { !$0.contains("J") }.joined().count { "·░▒▓█~?".contains($0) }
        #expect(signs == 365)
        #expect(page.lines.joined().count { $0 == "?" } == year.unknownDays)
        #expect(page.lines.joined().count { $0 == "~" } == year.partialDays)
    }

    /// 24 November to 31 December 2025: the first week has no room for `Nov` beside `Dec`, and the last one reaches
    /// into January.
    @Test func `the calendar names the months that begin in it and no other`() throws {
        let figures = SampleHistory.figures((0..<100).map { "\($0)" }.joined(separator: " "), from: "2025-11-24")
        func months(_ days: [DayFigures]) -> String {
            var page = TextPage(TextStyle())
            page.row(TextHeatMap(days: days, weekStart: .monday, style: TextStyle()).rows[0])
            return String(page.lines[0].drop { $0 == " " })
        }
        let year = figures.statistics(of: Period(.year, containing: try #require(Day("2025-12-01")))).days
        #expect(year.count == 38 && months(year) == "Dec")
        #expect(months(Array(figures.days.prefix(90))) == "Dec Jan Feb")
        #expect(months(Array(figures.days.dropFirst(10).prefix(50))) == "Dec Jan")
        #expect(months(Array(figures.days.dropFirst(40).prefix(8))) == "Jan")
    }

    @Test func `a browser shows no commands`() {
        for unit in Period.Unit.allCases {
            let view = SampleHistory.view(SampleHistory.years, unit)
            #expect(view.text().contains("istep history"), "\(unit)")
            let day = view.period.days.lowerBound
            let head = view.browserHead(TextStyle()), lines = view.browserLines(TextStyle(), marking: day)
            #expect(head.first?.contains(view.period.title) == true && head.count <= 5)
            #expect(head.contains { $0.contains("Total") } && (unit == .day || head.contains { $0.contains("Mean") }))
            // Each figure once, and one bar with a mark.
            #expect(!lines.contains { $0.contains("Total") } && lines.contains { $0.contains("Days") }, "\(unit)")
            #expect(!(head + lines).contains { $0.contains("istep history") }, "\(unit)")
            #expect(lines.count { $0.hasPrefix("> ") } == 1, "\(unit)")
        }
    }

    @Test func `a partial day that reached its goal has the colour of the goal in the calendar`() {
        let figures = SampleHistory.figures("9000~ 2000~ 3000")
        let days = figures.statistics(of: Period(.year, containing: figures.today)).days
        let map = TextHeatMap(days: days, weekStart: .monday, style: TextStyle(colour: true))
        var page = TextPage(TextStyle(colour: true))
        for row in map.rows { page.row(row) }
        let text = page.lines.joined()
        #expect(text.contains("\u{1b}[32m~") && text.contains("\u{1b}[33m~"))
    }

    @Test func `kilocalories that no person uses are not shown`() {
        let sums = DaySums(
            day: Sample.day, gaits: GaitSums(walkingSteps: 100, metres: nil, energy: 1e19),
            hours: Array(repeating: 0, count: 23) + [100],
            completeness: .complete)
        let day = DayFigures(sums, correction: nil, profile: nil, plan: nil, isInProgress: false)
        let series = DaySeries(user: SampleHistory.user, today: Sample.day, days: [day])
        for unit in Period.Unit.allCases {
            #expect(SampleHistory.view(series, unit).text().contains("? kcal"), "\(unit)")
        }
    }

    @Test func `an hour that is not known has no figure`() throws {
        let view = SampleHistory.view(SampleHistory.cut, .week, by: .hour)
        #expect(view.csv[15] == "14,0.0,,0.0,,,,,")
        #expect(view.csv[16] == "15,,,,,,,,")
        let lines = view.lines(TextStyle())
        #expect(lines.contains { $0.hasPrefix("  14   ") && $0.hasSuffix(" 0") })
        #expect(lines.contains { $0.hasPrefix("  15  ?") && $0.hasSuffix(" ?") })
        let weekdays = try ReadDocument(view).weekdays, hours = weekdays[1].hours
        #expect(hours.list.count == 24 && hours[14] == 0 && hours[15] == .null)
        #expect(weekdays[0].hours == [])
    }

    @Test(arguments: [HistoryView.Grouping.hour, .weekday])
    func `on the first day of a week no heading is shown without values`(
        grouping: HistoryView.Grouping
    ) {
        let text = SampleHistory.view(SampleHistory.figures("500"), .week, by: grouping).text()
        #expect(
            text.contains("None of these days is over yet.") && !text.contains("Steps by weekday and hour")
                && !text.contains("?"))
    }

    @Test func `weekdays that have not begun have no bar`() throws {
        // Monday is known, Tuesday unknown, Wednesday runs.
        let view = SampleHistory.view(SampleHistory.figures("7000 ? 500"), .week, by: .weekday)
        let text = view.text()
        #expect(
            text.contains("  Monday") && text.contains("  Tuesday  ?") && !text.contains("Wednesday")
                && !text.contains("  Sunday"))
        #expect(try ReadDocument(view).weekdays.list.count == 7)
    }

    @Test func `the legend names only what occurs`() {
        #expect(SampleHistory.view(SampleHistory.figures("7000 8000 9")).text().contains("\n  │ goal\n"))
        #expect(!SampleHistory.view(SampleHistory.figures("7000 8000 9")).text().contains("partial"))
    }

    @Test func `the view without known days explains the first steps`() {
        let nothing = SampleHistory.figures("")
        let period = Period(.week, containing: Day(daysSince1970: 0))
        #expect(HistoryView(nothing, period, hasPedometers: false).text().contains("istep scan"))
        let text = HistoryView(nothing, period, hasPedometers: true).text()
        #expect(text.contains("istep sync") && !text.contains("istep scan"))
    }

    @Test func `an impossible number of steps is shown as wrong`() throws {
        let view = SampleHistory.view(SampleHistory.figures("300000 5000 9"))
        #expect(view.text().contains("wrong: more than anyone walks in a day"))
        let document = try ReadDocument(view)
        #expect(document.days[0].steps == .null && document.errors.list.map(\.day) == ["2014-04-14"])
        // What depends on the steps is left out with them.
        #expect(document.days[0].goalMet == false)
        // They would flatten all other bars, and the goal, 6,000, would be at the left.
        let bars = view.lines(Sample.plain)
        let (wrong, right) = (
            bars.first { $0.contains("wrong:") }, bars.first { $0.contains("5,000") && $0.contains("█") }
        )
        #expect(wrong?.contains("█") == false && wrong?.contains("300,000") == false, "\(bars)")
        #expect(right?.count { $0 == "█" } ?? 0 > 10, "\(bars)")
        let row = SampleHistory.view(SampleHistory.figures("300000 5000 9"), by: .day).csv[1]
        #expect(row.hasPrefix("2014-04-14,,,,,,6000,false,"), "\(row)")
    }

    @Test func `a name of a person cannot control the terminal`() {
        let figures = DaySeries(
            user: User(id: 1, name: "an\u{1b}[2Jna"), today: SampleHistory.week.today, days: SampleHistory.week.days)
        #expect(!SampleHistory.view(figures).text().contains("\u{1b}"))
    }

    @Test(arguments: HistoryView.Grouping.allCases) func `CSV has as many values as its header in each line`(
        grouping: HistoryView.Grouping
    ) {
        let view = SampleHistory.view(SampleHistory.years, .year, by: grouping)
        let counts = Set(view.csv.map { $0.split(separator: ",", omittingEmptySubsequences: false).count })
        #expect(counts.count == 1)
        let rows = [
            HistoryView.Grouping.day: view.statistics.days.count, .week: 16, .month: 4, .year: 1, .weekday: 7,
            .hour: 24,
        ]
        #expect(view.csv.count - 1 == rows[grouping])
    }

    @Test func `CSV has no figure for an unknown day`() {
        let csv = SampleHistory.view(SampleHistory.figures("? 0 9"), .week).csv
        #expect(csv[1] == "2014-04-14,,,,,,6000,false,unknown,false,false")
        #expect(csv[2].hasPrefix("2014-04-15,0,0,0,0.0,0.0,6000,false,complete,"))
    }

    @Test(arguments: [
        ("2014-04-14", "2014-04-20", "14 to 20 April 2014"), ("2014-04-28", "2014-05-04", "28 April to 4 May 2014"),
        ("2014-12-29", "2015-01-04", "29 December 2014 to 4 January 2015"),
        ("2014-04-20", "2014-04-20", "20 April 2014"),
        ("2014-04-20", "2015-04-20", "20 April 2014 to 20 April 2015"),
    ])
    func `ranges are named as people would`(first: String, last: String, words: String) throws {
        let days = try #require(Day(first))...(try #require(Day(last)))
        #expect(Period(days).title == words)
    }

    @Test func `a range is compared with the days before it`() throws {
        let figures = SampleHistory.years
        let range = Period(figures.today.advanced(by: -9)...figures.today.advanced(by: -1))
        let line = try #require(
            HistoryView(figures, range).text(TextStyle(width: 80)).split(separator: "\n").first {
                $0.contains("Compared")
            })
        #expect(line.contains(" a day from 2 to 10 April"), "\(line)")
    }

    @Test func `periods have names`() throws {
        let day = try #require(Day("2014-04-20"))
        #expect(Period(.week, containing: day).title == "Week 16 of 2014, 14 to 20 April 2014")
        #expect(Period(.week, containing: day, weekStart: .sunday).title == "Week, 20 to 26 April 2014")
        #expect(Period(.month, containing: day).title == "April 2014" && Period(.year, containing: day).title == "2014")
        #expect(Period(.day, containing: day).title == "Sunday 20 April 2014")
    }
}
