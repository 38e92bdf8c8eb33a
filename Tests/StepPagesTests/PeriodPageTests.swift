import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// The figures and charts of long and of doubtful periods.
@Suite(.timeLimit(.minutes(5))) struct PeriodPageTests {
    private let today = PagesFixture.today

    /// Days until today by their steps; those of `overcounted` are more than anyone walks.
    private func figures(
        _ steps: [Int], overcounted: Set<Int> = [], partial: Set<Day> = [], goal: Int? = nil, restDay: Weekday? = nil
    ) -> DaySeries {
        let days = steps.enumerated().map { index, stepsOfDay in
            let day = today.advanced(by: index - steps.count + 1), isOver = index < steps.count - 1
            let sums = DaySums(
                day: day, gaits: GaitSums(walkingSteps: overcounted.contains(index) ? 300_000 : stepsOfDay),
                completeness: partial.contains(day) ? .partial : .complete)
            return DayFigures(
                sums, correction: nil, profile: nil,
                plan: goal.map { goal in
                    var plan = SportPlan(validFrom: Day(daysSince1970: 0), everyDay: goal)
                    if let restDay { plan[restDay] = 0 }
                    return plan
                },
                isInProgress: !isOver)
        }
        return DaySeries(user: User(id: 1, name: "anna"), today: today, days: days)
    }

    private func page(_ figures: DaySeries, _ period: Period) -> String {
        let context = PageContext(
            user: figures.user, users: [figures.user], now: PagesFixture.now, localTime: .berlin,
            audience: .local(formKey: "k"))
        return PeriodPage(figures: figures, period: period, context: context).document.source
    }

    /// A range that began a day before the 15th had `15` on top of `14 Oct`.
    @Test(arguments: [("2026-10-14", 1), ("2026-10-12", 1), ("2026-10-08", 3)])
    func `no number of a day lies on the name of the first day`(_ first: String, _ fifteenths: Int) throws {
        let text = page(figures(Array(repeating: 5000, count: 90)), Period(try #require(Day(first))...today))
        #expect(text.contains(" Oct</text>"))
        // That of November is always there; from the 8th on, those of October in the bars and in the line, too.
        #expect(text.matches(of: /class="f-muted minor"[^>]*>15<\/text>/).count == fifteenths)
    }

    /// On the 28th, its number lay on that of the 29th on a phone.
    @Test func `on a narrow screen, no number of a month is beside that of today`() throws {
        func numbers(_ today: Day, _ month: Day) throws -> (now: [String], others: [String], minor: [String]) {
            let days = (0..<90).map { index in
                let day = today.advanced(by: index - 89)
                let sums = DaySums(day: day, gaits: GaitSums(walkingSteps: 5000), completeness: .complete)
                return DayFigures(sums, correction: nil, profile: nil, plan: nil, isInProgress: day == today)
            }
            let figures = DaySeries(user: User(id: 1, name: "anna"), today: today, days: days)
            let text = page(figures, Period(.month, containing: month, weekStart: .monday))
            let chart = try #require(text.split(separator: #"class="chart""#).dropFirst().first)
            func found(_ kind: String) -> [String] {
                chart.matches(of: /class="(f-[a-z ]+)"[^>]*>([1-9][0-9]?)<\/text>/).filter { $0.1 == kind }
                    .map { String($0.2) }
            }
            return (found("f-text"), found("f-muted"), found("f-muted minor"))
        }
        let found = try numbers(today, today)
        #expect(found.now == ["18"] && found.others == ["1", "8", "22", "29"], "\(found)")
        #expect(found.minor.contains("15"))
        // In a month that is over, no number is in bold.
        let first = try #require(Day("2026-11-01"))
        let before = try numbers(first, first.advanced(by: -1))
        #expect(before.now == [] && before.others == ["1", "8", "15", "22", "29"], "\(before)")
    }

    /// February has 28 days: seven are a quarter.
    @Test(arguments: [(7, false), (8, true)])
    func `a month is marked if more than a quarter of its days is not known`(count: Int, isMarked: Bool) throws {
        let first = try #require(Day("2026-02-01"))
        let figures = figures(
            Array(repeating: 5000, count: 322), partial: Set((0..<count).map { first.advanced(by: 3 * $0) }))
        let text = page(figures, Period(.year, containing: today))
        let months = try #require(
            text.split(separator: "<figure").first { $0.contains("<h2>Months: steps a day</h2>") })
        #expect(months.contains("more than a quarter of the days not known") == isMarked)
    }

    @Test func `every month has its trend, also the shortest`() throws {
        let figures = figures(Array(repeating: 5000, count: 322))
        for month in ["2026-02-01", "2026-04-01"] {
            let text = page(figures, Period(.month, containing: try #require(Day(month)), weekStart: .monday))
            #expect(text.contains("<h2>Trend: steps a day</h2>"), "\(month)")
        }
    }

    // MARK: Maps

    @Test func `a range of years has a map for each calendar year, the latest first`() {
        let figures = figures(Array(repeating: 5000, count: 1000))
        let text = page(figures, Period(today.advanced(by: -999)...today))
        #expect(text.matches(of: /<div class="cal">/).count == 3)
        #expect(text.matches(of: /<a href="\/day\/[0-9-]+" tabindex="-1"/).count == 1000, "each day once")
        let titles = text.matches(of: /<h2>Days of ([^<]+)<\/h2>/).map { String($0.1) }
        #expect(titles == ["1 January to 18 November 2026", "2025", "23 February to 31 December 2024"])
        #expect(text.contains("<h2>Years: steps a day</h2>"))
    }

    @Test(arguments: [200, 371]) func `a range of up to a year has one map`(_ count: Int) {
        let text = page(figures(Array(repeating: 5000, count: 1000)), Period(today.advanced(by: 1 - count)...today))
        #expect(text.matches(of: /<div class="cal">/).count == 1 && !text.contains("Years: steps"))
    }

    @Test func `a rest day has the colour of one among the weekdays, too`() {
        func reached(_ figures: DaySeries) -> Int {
            let statistics = figures.statistics(of: Period(today.advanced(by: -27)...today))
            let source = WeekdayBars(weekdays: statistics.weekdays, summary: "").markup.source
            return source.matches(of: /class="f-walk"/).count
        }
        let steps = Array(repeating: 9000, count: 40)
        #expect(reached(figures(steps, goal: 8000)) == 7)
        #expect(reached(figures(steps, goal: 8000, restDay: .sunday)) == 6)
        // Without any goal there is nothing to be below.
        #expect(reached(figures(steps)) == 7)
    }

    // MARK: Tiles

    @Test func `a day that nobody can have walked is named beside the figures that include it`() {
        let week = Period(.week, containing: today)
        let doubtful = page(figures([5000, 6000, 100], overcounted: [0]), week)
        #expect(
            doubtful.contains("16 November 2026 is wrong: more than anyone walks in a day. The figures include it."),
            "\(doubtful)")
        #expect(!page(figures([5000, 6000, 100]), week).contains("is wrong"))
    }

    @Test(arguments: [
        (10_000, 9_999, "as on the same days of week 46"), (10_000, 10_001, "as on the same days of week 46"),
        (10_000, 9_000, "▼ 10 % on the same days of week 46"), (10_000, 11_000, "▲ 10 % on the same days of week 46"),
    ])
    func `a change of less than half a per cent has no sign`(_ before: Int, _ now: Int, _ words: String) {
        // A week, then Monday and Tuesday, and today.
        let steps = Array(repeating: before, count: 7) + [now, now, 100]
        let text = page(figures(steps), Period(.week, containing: today))
        #expect(text.contains(">\(words)</dd>"), "\(text.prefix(9000))")
    }

    @Test func `one day with a goal is one day`() {
        let week = Period(.week, containing: today)
        #expect(
            page(figures([5000, 100], goal: 4000), week).contains(
                "<dt>Goal reached</dt><dd class=\"value\">1 <small>of 1 day</small>"))
        #expect(page(figures([5000, 5000, 100], goal: 4000), week).contains("<small>of 2 days</small>"))
    }

    @Test func `today alone, before its goal is met, is not a week without a goal`() {
        let monday = Period(.week, containing: today)
        func goal(_ steps: [Int], _ goal: Int?) -> String? {
            let text = page(figures(steps, goal: goal), monday)
            return text.firstMatch(of: /<dt>Goal reached<\/dt><dd class="value">([^<]*)</).map { String($0.1) }
        }
        #expect(goal([0], 8000) == "not yet" && goal([0], nil) == "no goal")
    }

    /// They were drawn as days on which the goal was missed.
    @Test func `days before the first plan have the colour of days without a goal`() throws {
        let days = [5000, 5000, 9000, 4000, 100].enumerated().map { index, steps in
            let day = today.advanced(by: index - 4)
            return DayFigures(
                DaySums(day: day, gaits: GaitSums(walkingSteps: steps), completeness: .complete), correction: nil,
                profile: nil, plan: index < 2 ? nil : SportPlan(validFrom: today.advanced(by: -2), everyDay: 8000),
                isInProgress: index == 4)
        }
        let figures = DaySeries(user: User(id: 1, name: "anna"), today: today, days: days)
        let text = page(figures, Period(today.advanced(by: -4)...today))
        let chart = try #require(text.firstMatch(of: /<figure class="card s8"><figcaption><h2>Days<.*?<\/figure>/)).0
        func bars(_ colour: String) throws -> Int {
            chart.matches(of: try Regex("class=\"f-\(colour)\" fill=\"[^\"]+\" x=\"[0-9.]+%\"")).count
        }
        #expect(try bars("walk") == 3 && bars("below") == 2)
        #expect(chart.contains("goal reached, or no goal") && chart.contains("below the goal, today so far"))
        let none = Period(today.advanced(by: -4)...today.advanced(by: -2))
        #expect(!page(figures, none).contains("below the goal"))
    }

    // MARK: Slots

    @Test func `a week has seven slots, today is so far and days to come are empty`() throws {
        let text = page(figures([5000, 6000, 100], goal: 5500), Period(.week, containing: today))
        let chart = try #require(text.firstMatch(of: /<figure class="card s8"><figcaption><h2>Days<.*?<\/figure>/))
            .output
        #expect(chart.matches(of: /<(a|g) class="col"/).count == 7)
        let labels = chart.matches(of: /text-anchor="middle">(Mon|Tue|Wed|Today|Thu|Fri|Sat|Sun)</).map { String($0.1) }
        #expect(labels == ["Mon", "Tue", "Today", "Thu", "Fri", "Sat", "Sun"])
        #expect(chart.contains("Wed 18 Nov: 100 steps, 2 % of 5,500, so far") && !chart.contains("partial"))
        #expect(!text.contains("nothing known") && !chart.contains("f-unknown"))
        // Tuesday has reached its goal, and differs from the two that have not.
        #expect(
            chart.matches(of: /class="f-walk" fill="#0c6e48" x=/).count == 1
                && chart.matches(of: /class="f-below" fill="#63a085" x=/).count == 2
        )
    }

    @Test func `the axis of a range names days and months`() {
        let text = page(figures(Array(repeating: 5000, count: 100)), Period(today.advanced(by: -59)...today))
        for label in ["20 Sep", "Oct", "Nov", "8", "15", "22"] {
            #expect(text.contains(">\(label)</text>"), "\(label)")
        }
        let month = page(
            figures(Array(repeating: 5000, count: 100)), Period(.month, containing: today.advanced(by: -40)))
        for day in 1...31 { #expect(month.contains(">\(day)</text>"), "\(day)") }
    }

    /// Labels by their slots in per cent of the first chart with this title, where the smallest drawing has 526 px.
    private func overlaps(_ text: String, _ title: String) throws -> [String] {
        let chart = try #require(text.split(separator: "<h2>\(title)").dropFirst().first)
            .split(separator: "</figure>")[0]
        let labels = chart.matches(of: /<text class="f-[a-z]+( minor)?"[^>]* x="([0-9.]+)%"[^>]*>([^<]+)<\/text>/)
            .filter { $0.1 == nil }.map { (x: 5.26 * (Double($0.2) ?? 0), width: 7.5 * Double($0.3.count), text: $0.3) }
            .sorted { $0.x < $1.x }
        #expect(labels.count > 1, "\(title)")
        return zip(labels, labels.dropFirst()).filter { 2 * ($1.x - $0.x) < $0.width + $1.width }.map {
            "\($0.text) \($1.text)"
        }
    }

    /// Weeks from Sunday were named by their dates, and years of months each by its name.
    @Test func `no label of weeks, months and years lies on the next one`() throws {
        let days = figures(Array(repeating: 5000, count: 1_900))
        let weeks = page(
            days, Period(today.advanced(by: -27)...today, weekStart: .sunday))
        #expect(try overlaps(weeks, "Weeks: steps a day").isEmpty)
        #expect(weeks.contains(">1 Nov<") && weeks.contains(">8<"))
        let years = page(days, Period(today.advanced(by: -1_800)...today))
        #expect(try overlaps(years, "Months: steps a day").isEmpty)
        #expect(try overlaps(years, "Trend: steps a day").isEmpty)
        #expect(years.contains(">2024</text>"))
        // `16` lay on `15 Nov`.
        let month = page(days, Period(today.advanced(by: -30)...today))
        #expect(!month.contains(">20</text>") && month.contains(">21</text>"))
    }

    /// They were those of the 250,000 steps that are not shown.
    @Test func `of a day that is wrong, nothing that follows from its steps is in the table`() throws {
        let text = page(figures([5000, 6000, 100], overcounted: [0]), Period(.week, containing: today))
        let row = try #require(text.firstMatch(of: /<th scope="row"[^>]*>(<a [^>]*>)?Mon 16 Nov.*?<\/tr>/)).output.0
        #expect(row.contains("wrong") && !row.contains(/>[0-9.,]+<\/td>/), "\(row)")
    }

    @Test func `two weeks without steps are alike`() {
        let text = page(figures(Array(repeating: 0, count: 10)), Period(.week, containing: today))
        #expect(text.contains(">as on the same days of week 46</dd>") && !text.contains("+0"))
    }

    @Test func `months stand beside those of the year before, and the means of 7 and 30 days have their numbers`()
        throws
    {
        let text = page(
            figures(Array(repeating: 4000, count: 400) + Array(repeating: 6000, count: 200)),
            Period(.year, containing: today))
        #expect(text.matches(of: /class="f-usual" fill="[^"]+" x=/).count == 10)
        #expect(text.contains("<th scope=\"col\" class=\"num\" role=\"columnheader\">2025</th>"))
        #expect(text.matches(of: /vector-effect="non-scaling-stroke" d="M0 [0-9]/).count == 2)
        #expect(
            text.contains(
                "<tr><th scope=\"row\">Wed 18 Nov</th><td class=\"num\">6,000</td><td class=\"num\">6,000</td></tr>"))
    }
}
