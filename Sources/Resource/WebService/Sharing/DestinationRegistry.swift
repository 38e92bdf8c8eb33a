public import DBus
internal import Glibc
public import HTTP
public import Settings
public import StepDomain

/// The list of all kinds of destinations: one line each.
public enum DestinationRegistry {
    public static let kinds: [DestinationKind] = [
        .beeminder, .command, .fhir, .file, .homeAssistant, .influx, .intervalsICU, .mastodon, .mqtt, .postgres, .rest,
        .sms, .soap,
    ]

    public static func kind(_ key: String) -> DestinationKind? { kinds.first { $0.key == key } }

    /// The destination that a table of the configuration describes.
    ///
    /// - Returns: nil if it is switched off by `enabled = false`; the table must be valid nevertheless.
    /// - Throws: all errors of the table, in order of lines.
    public static func destination(
        from table: SettingsTable, in environment: DestinationEnvironment
    ) throws(SettingsProblems) -> (any ShareDestination)? {
        var reader = TableReader(table, home: environment.home)
        let isEnabled = reader.flag("enabled") ?? true
        let terms = ShareTerms(&reader)
        let kind = reader.requireChoice("kind", among: kinds.map(\.key)).flatMap(kind)
        let destination = kind.flatMap { kind in
            kind.make(
                &reader,
                DestinationContext(
                    name: table.name, kind: kind.key, terms: terms,
                    secret: table.secrets(home: environment.home).first?.secret, environment: environment))
        }
        try reader.finish(isComplete: kind != nil)
        return isEnabled ? destination : nil
    }
}

extension ShareTerms {
    /// The keys that every destination accepts.
    fileprivate init(_ reader: inout TableReader) {
        self.init(
            users: reader.texts("users", "the names of the users whose days are sent"),
            since: reader.date("since").flatMap(Day.init),
            acceptsUnfinishedDays: reader.flag("unfinished"))
    }
}

/// A kind of destination: its `kind` in the configuration, and how a destination is created from a table.
public struct DestinationKind: Sendable {
    /// The value of `kind` in the configuration, such as `rest`.
    public let key: String
    /// A short description for users.
    public let title: String
    /// An example of a table: it is valid as it is, and each key that is not set in it is there as a comment with its
    /// meaning.
    public let example: String
    /// - Returns: nil if the table is not valid; the reader has collected the reasons.
    let make: @Sendable (inout TableReader, DestinationContext) -> (any ShareDestination)?

    init(
        _ key: String, title: String, example: String,
        make: @escaping @Sendable (inout TableReader, DestinationContext) -> (any ShareDestination)?
    ) {
        self.key = key
        self.title = title
        self.example = example
        self.make = make
    }

    /// Lines of an example: the keys of each destination that sends over HTTP.
    static let webKeys = """
        # insecure = false                     # true: plain http, also to other machines
        # ca_file = "/etc/ssl/home.pem"        # certificates that verify the server's; default: the system's
        """
}

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

extension TableReader {
    /// The certificates that a server's is verified by; nil for the system's.
    mutating func authorities() -> String? { path("ca_file", "the path of a file of certificates (PEM)") }
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
