import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// The figures and charts of long and of doubtful periods.
@Suite(.timeLimit(.minutes(5))) struct PeriodPageTests {
    private let today = PagesFixture.today

    /// Days until today by their steps; those of `overcounted` are more than anyone walks.
    private func figures(_ steps: [Int], overcounted: Set<Int> = [], goal: Int? = nil) -> DaySeries {
        let days = steps.enumerated().map { index, stepsOfDay in
            let day = today.advanced(by: index - steps.count + 1), isOver = index < steps.count - 1
            let sums = DaySums(
                day: day, gaits: GaitSums(walkingSteps: overcounted.contains(index) ? 300_000 : stepsOfDay), completeness: .complete)
            return DayFigures(
                sums, correction: nil, profile: nil, plan: goal.map { SportPlan(validFrom: Day(daysSince1970: 0), everyDay: $0) },
                isInProgress: !isOver)
        }
        return DaySeries(user: User(id: 1, name: "anna"), today: today, days: days)
    }

    private func page(_ figures: DaySeries, _ period: Period) -> String {
        let context = PageContext(
            user: figures.user, users: [figures.user], now: PagesFixture.now, localTime: .berlin, place: .local(formKey: "k"))
        return PeriodPage(figures, period: period, context: context).document.source
    }

    // MARK: Maps

    private func widths(_ page: String) -> [Int] { page.matches(of: /<svg viewBox="0 0 ([0-9]+) 110"/).compactMap { Int($0.1) } }

    @Test func `a range of years has a map for each calendar year, the latest first`() {
        let figures = figures(Array(repeating: 5000, count: 1000))
        let text = page(figures, Period(today.advanced(by: -999)...today))
        #expect(widths(text).count == 3 && widths(text).allSatisfy { $0 <= 34 + 54 * 13 }, "\(widths(text))")
        #expect(text.matches(of: /<a href="\/day\/[0-9-]+" tabindex="-1"/).count == 1000, "each day once")
        let titles = text.matches(of: /<figcaption>Every day of ([^<]+)<\/figcaption>/).map { String($0.1) }
        #expect(titles == ["1 January to 18 November 2026", "2025", "23 February to 31 December 2024"])
        #expect(text.contains("<figcaption>Years: mean steps a day</figcaption>"))
    }

    @Test(arguments: [200, 371]) func `a range of up to a year has one map`(_ count: Int) {
        let text = page(figures(Array(repeating: 5000, count: 1000)), Period(today.advanced(by: 1 - count)...today))
        #expect(widths(text).count == 1 && !text.contains("Years: mean"))
    }

    // MARK: Tiles

    @Test func `a day that nobody can have walked is named beside the figures that include it`() {
        let week = Period(.week, containing: today)
        let doubtful = page(figures([5000, 6000, 100], overcounted: [0]), week)
        #expect(doubtful.contains("16 November 2026 is wrong: more than anyone walks in a day. The figures include it."), "\(doubtful)")
        #expect(!page(figures([5000, 6000, 100]), week).contains("is wrong"))
    }

    @Test(arguments: [(10_000, 9_999, "0 %"), (10_000, 10_001, "0 %"), (10_000, 9_000, "−10 %"), (10_000, 11_000, "+10 %")])
    func `a change of less than half a per cent has no sign`(_ before: Int, _ now: Int, _ words: String) {
        // A week, then Monday and Tuesday, and today.
        let steps = Array(repeating: before, count: 7) + [now, now, 100]
        let text = page(figures(steps), Period(.week, containing: today))
        #expect(text.contains("<span>Compared with the week before</span> <strong>\(words)</strong>"), "\(text.prefix(4000))")
    }

    @Test func `one day with a goal is one day`() {
        let week = Period(.week, containing: today)
        #expect(page(figures([5000, 100], goal: 4000), week).contains("of 1 known day with a goal"))
        #expect(page(figures([5000, 5000, 100], goal: 4000), week).contains("of 2 known days with a goal"))
    }
}
