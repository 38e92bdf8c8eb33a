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

    public init(
        validFrom: Day, height: Double? = nil, weight: Double? = nil, sex: Sex = .unspecified, birthDate: Day? = nil,
        stepLength: Double? = nil
    ) {
        self.validFrom = validFrom
        self.height = height
        self.weight = weight
        self.sex = sex
        self.birthDate = birthDate
        self.stepLength = stepLength
    }
}

extension Profile {
    public static let heights = 0.5...2.5
    public static let weights = 10.0...400.0
    public static let stepLengths = 0.2...1.5
}
