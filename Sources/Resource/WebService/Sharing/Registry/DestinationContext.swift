public import DBus
public import HTTP
internal import Settings
internal import StepDomain

/// What destinations need of the process that they run in.
public struct Surroundings: Sendable {
    public var environment: [String: String]
    /// What `~` stands for.
    public var home: String?
    /// A new transport: each destination has one of its own, and keeps its connection.
    public var transport: @Sendable () -> any HTTPTransport
    /// Where ModemManager is.
    public var systemBus: DBusAddress

    public init(
        environment: [String: String], home: String?, systemBus: DBusAddress = .system,
        transport: @escaping @Sendable () -> any HTTPTransport
    ) {
        self.environment = environment
        self.home = home
        self.systemBus = systemBus
        self.transport = transport
    }
}

extension Surroundings: CustomReflectable, CustomStringConvertible {
    public var description: String { "Surroundings" }
    /// Without children: there are secrets in the environment, and destinations are dumped with what they have.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What a destination is made with besides its own keys.
struct DestinationContext: Sendable {
    /// The user's name for it.
    var name: String
    /// Key of its kind.
    var kind: String
    var terms: ShareTerms
    var surroundings: Surroundings
}
