/// A kind of pedometer that istep can read.
public struct PedometerKind: Hashable, Sendable {
    /// Stored with each pedometer, such as `colmi`.
    public var key: String
    /// The devices that it covers, as text for users.
    public var title: String
    /// What is not certain about how it is read, in one sentence; nil for a kind whose protocol is certain. A kind with
    /// a caveat is experimental.
    public var caveat: String?

    /// Whether its services identify a device of this kind: then a device without them is not of this kind.
    public var hasOwnServices: Bool
    /// Whether it is read from its advertisements, without a connection.
    public var advertisesSteps: Bool

    public var isExperimental: Bool { caveat != nil }

    public init(
        key: String, title: String, caveat: String? = nil, hasOwnServices: Bool = false, advertisesSteps: Bool = false
    ) {
        self.key = key
        self.title = title
        self.caveat = caveat
        self.hasOwnServices = hasOwnServices
        self.advertisesSteps = advertisesSteps
    }
}

/// What shows that a device is of a kind; a later case is stronger.
public enum KindEvidence: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Its name, which anybody can choose.
    case name
    /// Data that it advertises, with the layout of the kind.
    case advertisedData
    /// A service of the kind that it advertises.
    case advertisedService
    /// Its table of services, read over a connection.
    case services

    public static func < (a: KindEvidence, b: KindEvidence) -> Bool { a.rawValue < b.rawValue }
}

/// The kinds of pedometers that can be registered, and how their properties are written.
public protocol PedometerCatalog: Sendable {
    var kinds: [PedometerKind] { get }
    /// The key of the kind that is never recognised: the user says with options how it is read.
    var describedKind: String { get }
    /// The options of a pedometer of that kind, complete and in the form that the history stores.
    ///
    /// - Throws: what is wrong with one of them.
    func checked(_ options: [String: String]) throws -> [String: String]
    /// A Bluetooth address in the form that the history stores; nil for any other text.
    func address(_ text: String) -> String?
    /// A Bluetooth UUID in its full form; nil for any other text.
    func uuid(_ text: String) -> String?
}

extension PedometerCatalog {
    public func kind(_ key: String) -> PedometerKind? { kinds.first { $0.key == key } }
}
