import Quoting

/// What the user has set, each with where it was set: later ones replace earlier ones.
///
/// In order: what istep does by itself, `/etc/istep/config.toml`, `$XDG_CONFIG_HOME/istep/config.toml`, the file of
/// `--config` or else of `ISTEP_CONFIG`, the environment (`ISTEP_DB`), flags of the command line.
public struct Settings: Hashable, Sendable {
    /// The user whose steps are meant where no other is named; nil lets the history's only user be meant.
    public var user: Sourced<String>?
    /// The Bluetooth adapter, such as `hci0`; nil takes the default one.
    public var adapter: Sourced<String>?
    /// Path of the history; absolute unless given by a flag or the environment.
    public var database: Sourced<String>
    /// Seconds to scan for, 1...600.
    public var timeout: Sourced<Double>
    /// Whether unattended runs show desktop notifications, where there is a desktop.
    public var notifications: Sourced<Bool>
    /// The tables `[share.NAME]`, by name. A later file's table replaces an earlier one of the same name whole.
    public var destinations: [SettingsTable]
    /// The configuration files that were read, in the order in which they replace one another.
    public var files: [String]

    public static let timeouts = 1.0...600.0
    /// Pedometers at rest advertise every second or two (InfiniTime every 1.02 s), and half of it may get lost on the air.
    public static let standardTimeout = 20.0
}

/// A value and where it was set.
public struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
    public var value: Value
    public var source: SettingSource

    public init(_ value: Value, _ source: SettingSource) {
        self.value = value
        self.source = source
    }
}

/// Where a setting comes from.
public enum SettingSource: Hashable, Sendable, CustomStringConvertible {
    /// Nobody set it.
    case standard
    /// A configuration file; the line where it can be told.
    case file(String, line: Int?)
    /// A variable of the environment, by name.
    case environment(String)
    /// A flag of the command line, with its dashes.
    case flag(String)

    public var description: String {
        switch self {
        case .standard: "built in"
        case .file(let path, let line?): "\(quoted(path)), line \(line)"
        case .file(let path, nil): quoted(path)
        case .environment(let name): "the environment variable \(name)"
        case .flag(let name): name
        }
    }
}

/// What the command line sets; nil where it does not.
public struct SettingFlags: Hashable, Sendable {
    /// `--config`
    public var config: String?
    /// `--user`
    public var user: String?
    /// `--adapter`
    public var adapter: String?
    /// `--db`
    public var database: String?
    /// `--timeout`
    public var timeout: Double?

    public init(
        config: String? = nil, user: String? = nil, adapter: String? = nil, database: String? = nil,
        timeout: Double? = nil
    ) {
        self.config = config
        self.user = user
        self.adapter = adapter
        self.database = database
        self.timeout = timeout
    }
}
