public enum Sex: String, Sendable, Codable, CaseIterable {
    case female, male, unspecified
}

/// Data about a user's body, valid from a day on; earlier days keep their earlier profile.
public struct Profile: Hashable, Sendable, Codable {
    /// The first day on which it is valid.
    public var validFrom: Day
    /// Metres, 0.5...2.5.
    public var height: Double?
    /// Kilograms, 10...400.
    public var weight: Double?
    public var sex: Sex
    public var birthDate: Day?
    /// Metres from one foot to the next while walking, if measured (a known distance divided by its steps), 0.2...1.5.
    public var stepLength: Double?
    /// The same while running, 0.2...2.5.
    public var runningStepLength: Double?

    public init(
        validFrom: Day, height: Double? = nil, weight: Double? = nil, sex: Sex = .unspecified, birthDate: Day? = nil,
        stepLength: Double? = nil, runningStepLength: Double? = nil
    ) {
        self.validFrom = validFrom
        self.height = height
        self.weight = weight
        self.sex = sex
        self.birthDate = birthDate
        self.stepLength = stepLength
        self.runningStepLength = runningStepLength
    }
}

extension Profile {
    public static let heights = 0.5...2.5
    public static let weights = 10.0...400.0
    public static let stepLengths = 0.2...1.5
    /// A sprinter's step has about 2.4 m.
    public static let runningStepLengths = 0.2...2.5

    /// Calendar years back to the earliest date of birth. The longest known life lasted 122 years.
    public static let maximumLife = 130

    /// Dates of birth that a user can have: before today, and at most `maximumLife` calendar years ago.
    public static func birthDates(today: Day) -> ClosedRange<Day> {
        let first = Day(year: today.components.year - maximumLife, month: 1, day: 1) ?? Period.calendar.lowerBound
        let yesterday = today.advanced(by: -1)
        return min(first, yesterday)...yesterday
    }
}
