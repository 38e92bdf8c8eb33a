/// A value that does not hold: shown in its place.
public struct AttributeError: Hashable, Sendable, Codable {
    /// The values of a day that are verified.
    public enum Attribute: String, Sendable, Codable, CaseIterable {
        case day, steps, distance, energy, goal, percentage, category, hours, completeness, implausibleSteps, lastSync
    }

    public var attribute: Attribute
    /// What is wrong with it, without its name: `-5 is negative`.
    public var message: String

    public init(_ attribute: Attribute, _ message: String) {
        self.attribute = attribute
        self.message = message
    }
}
