/// The units in which figures are shown to people and typed by them. What is stored, and what is for programs, is
/// metric.
public enum UnitSystem: String, CaseIterable, Sendable {
    case metric
    /// Miles, feet and inches, pounds (the international ones of 1959; NIST Special Publication 811, appendix B).
    case imperial

    public static let metresPerMile = 1609.344
    public static let metresPerFoot = 0.3048
    public static let metresPerInch = 0.0254
    public static let kilogramsPerPound = 0.453_592_37

    /// The unit of distances, such as `km`.
    public var distanceUnit: String { self == .metric ? "km" : "mi" }

    /// A distance in that unit.
    ///
    /// - Parameter metres: any number.
    public func distance(_ metres: Double) -> Double { metres / (self == .metric ? 1000 : Self.metresPerMile) }

    /// The units of the place where the user lives, by the locale for measurements; nil if none is set.
    ///
    /// `LANG` does not count: many people in other countries set it to English of the United States for its language.
    ///
    /// - Parameter environment: `LC_ALL` and `LC_MEASUREMENT` are used.
    public init?(environment: [String: String]) {
        let names = [environment["LC_ALL"], environment["LC_MEASUREMENT"]]
        guard let name = names.lazy.compactMap(\.self).first(where: { !$0.isEmpty }) else { return nil }
        let territory = name.prefix { $0 != "." && $0 != "@" }.split(separator: "_").dropFirst().first
        // The locales of glibc 2.36 whose `measurement` is 2.
        self = territory == "US" ? .imperial : .metric
    }
}
