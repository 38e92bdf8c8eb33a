/// One look at one thing, and what it makes of it. Where many things are alike (pedometers, destinations) each has a check.
public struct Check: Sendable {
    /// For programs and for the checks that stand on this one; never changed.
    public let key: String
    public let area: Finding.Area
    /// What it looks at, for people.
    public let subject: String
    /// Keys of checks that must not have found a fault, or there is nothing to look at.
    public let needs: [String]
    /// How long it may take.
    public let limit: Duration
    /// Looks, and changes nothing. What it throws is a finding, too.
    public let look: @Sendable () async throws -> [Remark]

    public init(
        _ key: String, _ area: Finding.Area, _ subject: String, needs: [String] = [], limit: Duration = .seconds(10),
        look: @escaping @Sendable () async throws -> [Remark]
    ) {
        self.key = key
        self.area = area
        self.subject = subject
        self.needs = needs
        self.limit = limit
        self.look = look
    }
}
