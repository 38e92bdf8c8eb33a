/// Consecutive days on which the goal was met.
///
/// One rule for all views:
/// - A day counts on which the steps reached the goal effective on that day.
/// - A rest day neither counts nor ends a streak, and neither does a day without a plan.
/// - A day that is not over does not end a streak; it counts as soon as the goal is met.
/// - A day whose steps are unknown or not plausible, or that is partial and below its goal, ends a streak, because
///   nothing shows that the goal was met; `End` distinguishes this from a goal that was missed.
public struct Streak: Hashable, Sendable {
    /// Why a streak is over.
    public enum End: Hashable, Sendable {
        /// The streak continues.
        case none
        /// The goal of this day was missed.
        case missed(Day)
        /// It is not known whether the goal of this day was met.
        case unknown(Day)
    }

    /// The first day that counts.
    public var first: Day
    /// The last day that counts.
    public var last: Day
    /// Days that count: rest days within are left out.
    public var count: Int
    public var end = End.none
}

/// The streaks of consecutive days.
public struct Streaks: Hashable, Sendable {
    /// The latest streak. It continues, or a later day with a goal ended it: see `Streak.end`. Nil if no day has met
    /// its goal.
    public private(set) var last: Streak?
    /// The streak with the most days; the latest if several are equal.
    public private(set) var longest: Streak?

    /// The streak that continues; nil if there is none.
    public var current: Streak? { last?.end == Streak.End.none ? last : nil }

    /// - Parameter days: in order, without gaps.
    public init(_ days: some Sequence<DayFigures>) {
        var open: Streak?
        for day in days where day.goal != nil {
            if day.isGoalMet {
                open = Streak(first: open?.first ?? day.day, last: day.day, count: (open?.count ?? 0) + 1)
                if let streak = open, streak.count >= longest?.count ?? 0 { longest = streak }
                last = open
            } else if !day.isInProgress, var streak = open {
                streak.end = day.completeness == .complete && day.isPlausible ? .missed(day.day) : .unknown(day.day)
                if longest?.first == streak.first { longest = streak }
                last = streak
                open = nil
            }
        }
    }
}
