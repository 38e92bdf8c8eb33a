public import DBus
internal import Glibc
public import HTTP
internal import Settings
public import StepDomain

/// What destinations need from the process that they run in.
public struct DestinationEnvironment: Sendable {
    /// The environment variables.
    public var variables: [String: String]
    /// What `~` stands for.
    public var home: String?
    /// A new transport: each destination has one of its own, and keeps its connection.
    public var transport: @Sendable () -> any HTTPTransport
    /// A new transport to services that use WebSocket.
    public var webSockets: @Sendable () -> any WebSocketTransport
    /// The bus that ModemManager is on.
    public var systemBus: DBusAddress
    public var localTime: LocalTime
    public var now: @Sendable () -> Timestamp
    /// Draws a day for destinations that show pictures, with a distance in these units.
    public var picture: @Sendable (DaySummary, UnitSystem) -> DayPicture?
    /// Waits before a service is asked again.
    public var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    public init(
        variables: [String: String], home: String?, systemBus: DBusAddress = .system, localTime: LocalTime = .system,
        now: @escaping @Sendable () -> Timestamp = { DestinationEnvironment.clock() },
        webSockets: @escaping @Sendable () -> any WebSocketTransport = { CurlTransport(userAgent: "istep") },
        picture: @escaping @Sendable (DaySummary, UnitSystem) -> DayPicture? = { _, _ in nil },
        transport: @escaping @Sendable () -> any HTTPTransport
    ) {
        self.variables = variables
        self.home = home
        self.systemBus = systemBus
        self.localTime = localTime
        self.now = now
        self.webSockets = webSockets
        self.picture = picture
        self.transport = transport
    }
}

extension DestinationEnvironment {
    /// The machine's clock.
    public static func clock() -> Timestamp { Timestamp(time(nil)) }
}

extension DestinationEnvironment: CustomReflectable, CustomStringConvertible {
    public var description: String { "DestinationEnvironment" }
    /// Without children: the variables contain secrets, and a dump of a destination includes all its values.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What a destination is created with, besides its own keys.
struct DestinationContext: Sendable {
    /// The user's name for it.
    var name: String
    /// Key of its kind.
    var kind: String
    var terms: ShareTerms
    /// Nil if its table names none.
    var secret: SecretSource?
    var environment: DestinationEnvironment

    /// A new one: each destination keeps its connection. Reads `ca_file`.
    func exchange(_ reader: inout TableReader) -> Exchange {
        let transport = environment.transport()
        return Exchange(
            transport: reader.authorities().map { transport.trusting($0) } ?? transport, now: environment.now)
    }

    /// Today by this machine's clock and zone.
    var today: Day { environment.localTime.day(of: environment.now()) }
}

/// A destination of the configuration: its context contains the common values of its table and of the process.
protocol ConfiguredDestination: ShareDestination {
    var context: DestinationContext { get }
}

extension ConfiguredDestination {
    var name: String { context.name }
    var kind: String { context.kind }
    var terms: ShareTerms { context.terms }
    var secretPlace: String? { context.secret?.description }

    /// The credentials of requests that are sent.
    var credentials: Credentials { .real(environment: context.environment.variables) }
}

/// A destination that sends each day by itself.
protocol SingleDayDestination: ConfiguredDestination {
    /// Sends a payload, and returns only when the destination has confirmed it.
    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt
}

extension SingleDayDestination {
    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for payload in payloads { receipts.append(try await deliver(payload)) }
        return receipts
    }
}
