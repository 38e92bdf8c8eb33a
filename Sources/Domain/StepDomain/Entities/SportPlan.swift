/// The goal of each weekday from a day on; earlier days keep the plan of their time, so an old percentage never changes.
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

/// From which day on a plan or a profile holds.
public enum Validity {
    /// What holds for all days is stored with this day.
    public static let beginning = Day(daysSince1970: 0)

    /// The days on which a plan or a profile may begin. A day before the beginning would be a second beginning.
    public static let firstDays = beginning...Period.calendar.upperBound
}
