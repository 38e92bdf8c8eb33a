import StepDomain
import Testing

/// What is usual on a weekday, and the means of the last days.
@Suite(.timeLimit(.minutes(5))) struct UsualDayTests {
    private static let today = Day("2026-11-26")!

    /// Days until today, a Thursday; nil for an unknown one. All steps are in the hour from 8:00.
    private func series(_ steps: [Int?]) -> DaySeries {
        let days = steps.enumerated().map { index, count in
            let day = Self.today.advanced(by: index - steps.count + 1)
            let hours = (0..<24).map { $0 == 8 ? count ?? 0 : 0 }
            let sums = DaySums(
                day: day, gaits: GaitSums(walkingSteps: count ?? 0), hours: count == nil ? [] : hours,
                completeness: count == nil ? .unknown : .complete)
            return DayFigures(sums, correction: nil, profile: nil, plan: nil, isInProgress: day == Self.today)
        }
        return DaySeries(user: User(id: 1, name: "anna"), today: Self.today, days: days)
    }

    @Test func `a usual Thursday is the mean of the Thursdays before`() throws {
        // Four weeks of days with 100 steps, Thursdays with more, and today.
        let figures = series((0..<29).map { index in index % 7 == 0 ? 1000 + index / 7 * 100 : 100 })
        let usual = try #require(figures.usual(on: Self.today))
        #expect(usual.weekday == .thursday && usual.days == 4 && usual.mean == 1150 && usual.mean(hour: 8) == 1150)
        #expect(figures.usual(on: Self.today.advanced(by: -14)) == nil, "two Thursdays are too few")
    }

    @Test func `means of the last days leave out unknown days and today`() {
        let figures = series([10, 20, nil, 40, 50, 60])
        let all = Self.today.advanced(by: -5)...Self.today
        #expect(figures.means(over: 2, to: all) == [10, 15, 20, 40, 45, 50])
        #expect(figures.means(over: 3, to: Self.today.advanced(by: -1)...Self.today) == [45, 45])
        // Fewer than half of the days are known.
        #expect(figures.means(over: 4, to: all) == [nil, 15, 15, 70.0 / 3, 110.0 / 3, 45])
        #expect(figures.means(over: 3, to: Self.today.advanced(by: 5)...Self.today.advanced(by: 9)).isEmpty)
    }
}
