import StepDomain
import Testing

@testable import StepPages

/// The parts of pages, each alone.
@Suite(.timeLimit(.minutes(5))) struct ComponentTests {
    private static let today = Day("2026-11-26")!

    private func days(_ steps: [Int?], goal: Int? = 8000) -> [DayFigures] {
        steps.enumerated().map { index, count in
            let day = Self.today.advanced(by: index - steps.count + 1)
            return DayFigures(
                DaySums(day: day), correction: count.map { StepCorrection(steps: $0) }, profile: nil,
                plan: goal.map { SportPlan(validFrom: Day(daysSince1970: 0), everyDay: $0) },
                isInProgress: day == Self.today)
        }
    }

    private var context: PageContext {
        let user = User(id: 1, name: "anna")
        return PageContext(
            user: user, users: [user], now: LocalTime.fixed(0).moment(Self.today, seconds: 43_200),
            localTime: .fixed(0),
            audience: .local(formKey: "k"))
    }

    // MARK: The date bar

    @Test(arguments: [
        (Period.Unit.day, "Tue<span class=\"minor\">sday</span> 24 Nov<span class=\"minor\">ember</span> 2026"),
        (.week, "Week 48, 23 to 29 Nov<span class=\"minor\">ember</span> 2026"),
        (.month, "Nov<span class=\"minor\">ember</span> 2026"),
        (.year, "2026"),
    ])
    func `the heading is shorter on a phone`(_ unit: Period.Unit, _ words: String) throws {
        let day = try #require(Day("2026-11-24"))
        #expect(DateBar.heading(Period(unit, containing: day)).source == words)
        let may = try #require(Day("2026-05-24"))
        #expect(DateBar.heading(Period(.month, containing: may)).source == "May 2026")
    }

    @Test func `a range is behind the calendar button, and has no unit of its own`() {
        let figures = DaySeries(user: context.user, today: Self.today, days: days(Array(repeating: 9000, count: 40)))
        let bar = DateBar(period: Period(Self.today.advanced(by: -9)...Self.today), figures: figures, context: context)
            .markup.source
        #expect(
            bar.matches(of: /aria-current/).isEmpty && bar.matches(of: /<a href="\/(day|week|month|year)\//).count == 4)
        let form = bar.firstRange(of: "action=\"/range\"")?.lowerBound,
            button = bar.firstRange(of: "<details class=\"menu pick\">")?.upperBound
        #expect(
            form.flatMap { form in button.map { $0 < form } } == true
                && bar.contains("name=\"from\" value=\"2026-11-17\""))
        // Nothing lies after today.
        #expect(bar.contains("rel=\"prev\"") && !bar.contains("rel=\"next\"") && bar.contains("aria-disabled=\"true\""))
    }

    // MARK: Figures

    @Test(arguments: [
        (9000, 10_000, "▲ 11 % on 2025"), (10_000, 9000, "▼ 10 % on 2025"), (10_000, 10_010, "as in 2025"),
    ])
    func `a comparison has a sign and what it is compared with`(_ before: Int, _ now: Int, _ words: String) throws {
        let end = try #require(Day("2026-12-31")), first = try #require(Day("2025-01-01"))
        let days = (0..<730).map { index in
            DayFigures(
                DaySums(day: first.advanced(by: index)), correction: StepCorrection(steps: index < 365 ? before : now),
                profile: nil, plan: nil,
                isInProgress: false)
        }
        let figures = DaySeries(user: context.user, today: end.advanced(by: 40), days: days)
        let comparison = try #require(figures.comparison(of: Period(.year, containing: end)))
        #expect(ComparisonWords(comparison, today: end).sentence == words)
    }

    // MARK: Tables

    private func table(rows: Int, columns: Int, isCards: Bool = false) -> Table {
        Table(
            caption: "steps", columns: [.words("Day")] + (1..<columns).map { .number("<\($0)>") },
            rows: (0..<rows).map { Table.Row("\($0)", (1..<columns).map { "\($0)" }) }, isCards: isCards)
    }

    @Test func `a table that becomes cards keeps its roles, and each value has its name`() {
        let cards = table(rows: 1, columns: 2, isCards: true).markup.source
        for role in ["table", "rowgroup", "row", "columnheader", "rowheader", "cell"] {
            #expect(cards.contains("role=\"\(role)\""), "\(role)")
        }
        #expect(cards.contains("data-label=\"&lt;1&gt;\">1</td>"))
        let plain = table(rows: 1, columns: 2).markup.source
        #expect(!plain.contains("role=") && !plain.contains("data-label"))
    }

    @Test func `many short rows flow into columns`() {
        #expect(table(rows: 15, columns: 4).numbers.source.contains("class=\"scroll flow\""))
        for table in [table(rows: 14, columns: 4), table(rows: 15, columns: 5)] {
            #expect(table.numbers.source.contains("class=\"scroll\""))
        }
    }

    // MARK: Streak and battery

    @Test func `the dots of a streak show goals, unknown days, rest days and today`() {
        let dots = StreakDots(days: days([9000, 4000, nil, 100]), context: context).markup.source
        func count(_ tone: String) -> Int {
            dots.split(separator: "<circle class=\"\(tone)\"", omittingEmptySubsequences: false).count - 1
        }
        #expect(count("f-heat4") == 1 && count("f-heat0") == 2 && count("s-unknown") == 1 && count("s-text") == 1)
        #expect(dots.contains("goal reached on 1 of 4 days with a goal"))
        // The first days are not larger than later ones.
        for count in [1, 4, 14] {
            let few = StreakDots(days: days(Array(repeating: 9000, count: count)), context: context).markup.source
            #expect(few.contains("viewBox=\"0 0 336 40\""), "\(count)")
        }
        let rest = StreakDots(days: days([9000, 100], goal: nil), context: context).markup.source
        #expect(rest.matches(of: /<rect class="f-below"/).count == 2)
    }

    @Test func `a battery that is low has another colour`() {
        #expect(Battery.markup(76).source.contains("f-walk") && Battery.markup(3).source.contains("f-run"))
        #expect(
            Battery.markup(300).source.contains("width=\"21\"") && Battery.markup(-1).source.contains("width=\"1\""))
    }
}
