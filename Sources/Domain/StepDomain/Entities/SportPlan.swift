/// The goal of each weekday, valid from a day on; earlier days keep their earlier plan, so an old percentage never
/// changes.
public struct SportPlan: Hashable, Sendable, Codable {
    public var validFrom: Day
    /// Steps, Monday first, seven of them; 0 is a rest day, which has no percentage.
    public private(set) var goals: [Int]

    /// Goals a user can set, in steps.
    public static let goalRange = 0...200_000

    /// - Parameter goals: Monday first; missing ones are rest days, more than seven are left out.
    public init(validFrom: Day, goals: [Int]) {
        self.validFrom = validFrom
        self.goals = (0..<7).map { $0 < goals.count ? goals[$0] : 0 }
    }

    public init(validFrom: Day, everyDay goal: Int) {
        self.init(validFrom: validFrom, goals: Array(repeating: goal, count: 7))
    }

    /// Steps; 0 is a rest day.
    public subscript(weekday: Weekday) -> Int {
        get { goals[weekday.rawValue - 1] }
        set { goals[weekday.rawValue - 1] = newValue }
    }
}

extension SportPlan {
    /// Steps, 1 or more; nil on a rest day.
    public func goal(on day: Day) -> Int? {
        let steps = self[day.weekday]
        return steps > 0 ? steps : nil
    }

    public func isRestDay(_ day: Day) -> Bool { goal(on: day) == nil }

    /// Whether steps reach a goal; false if one of them is not known.
    public static func isMet(_ goal: Int?, by steps: Int?) -> Bool {
        guard let steps, let goal, goal > 0 else { return false }
        return steps >= goal
    }

    /// Whether mean steps reach a mean goal: both as they are shown, in whole steps.
    public static func isMet(_ meanGoal: Double?, by mean: Double?) -> Bool {
        isMet(meanGoal.map { Int($0.rounded()) }, by: mean.map { Int($0.rounded()) })
    }

    /// 100 · steps / goal; nil without a goal.
    public static func percentage(steps: Int?, goal: Int?) -> Double? {
        guard let steps, let goal, goal > 0 else { return nil }
        return 100 * Double(steps) / Double(goal)
    }

    /// A percentage as views and posts show it: rounded, and 100 only if the goal is reached. Nil where it is not a
    /// number or absurdly large.
    public static func wholePercentage(_ percentage: Double) -> Int? {
        guard percentage.isFinite, abs(percentage) < 1e12 else { return nil }
        let rounded = Int(percentage.rounded())
        return percentage < 100 ? min(99, rounded) : rounded
    }
}
