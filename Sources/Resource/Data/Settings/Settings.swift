import Foundation
internal import StepDomain
import Support

/// The user's settings, each with its source: later sources replace earlier ones.
///
/// In order: istep's defaults, `/etc/istep/config.toml`, `$XDG_CONFIG_HOME/istep/config.toml`, the file of `--config`
/// or else of `ISTEP_CONFIG`, the environment (`ISTEP_DB`), flags of the command line.
public struct Settings: Hashable, Sendable {
    /// The user whose steps are meant if no other is named; nil means the history's only user.
    public var user: Sourced<String>?
    /// The Bluetooth adapter, such as `hci0`; nil means the default one.
    public var adapter: Sourced<String>?
    /// Path of the history; absolute unless given by a flag or the environment.
    public var database: Sourced<String>
    /// Seconds to search for a pedometer before it is read, 1...600. `istep scan` has its own time: `DeviceSearch`.
    public var timeout: Sourced<Double>
    /// Whether unattended runs show desktop notifications, if there is a desktop.
    public var notifications: Sourced<Bool>
    /// The first day of a week; nil for that of the locale.
    public var weekStart: Sourced<String>?
    /// `metric` or `imperial`; nil for those of the locale.
    public var units: Sourced<String>?
    /// Whether a sync may switch an adapter that receives nothing off and on.
    public var restartsAdapter: Sourced<Bool>
    /// Whether a pedometer without a bond that BlueZ neither connects to nor disconnects may be removed from BlueZ.
    public var recovers: Sourced<Bool>
    /// How many automatic backups of the history are kept; 0 makes none.
    public var backups: Sourced<Int>
    /// For how many days raw frames are kept; nil means forever.
    public var frames: Sourced<Int?>
    /// The tables `[share.NAME]`, by name. A later file's table replaces the whole table of the same name from an
    /// earlier file.
    public var destinations: [SettingsTable]
    /// The tables `[import.NAME]`, by name, replaced in the same way.
    public var imports: [SettingsTable]
    /// The configuration files that were read, in the order in which they replace one another.
    public var files: [String]

    /// Weekly backups of two years; each backup is as large as the history.
    public static let maximumBackups = 100

    static let configVariable = "ISTEP_CONFIG"
    static let databaseVariable = "ISTEP_DB"
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
    /// The default: not set by the user.
    case standard
    /// A configuration file; the line if it is known.
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

/// The settings of the command line; nil if not given.
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

extension Settings {
    /// Collects the settings from files, environment and flags. If there is no file, nothing is parsed.
    ///
    /// The contents of the tables of destinations are not checked here: their readers do that.
    ///
    /// - Parameters:
    ///   - flags: the settings of the command line.
    ///   - environment: the environment of the process.
    ///   - paths: the paths of the files; by default those of `environment`.
    /// - Throws: the first of the problems that `check` finds.
    public static func load(
        flags: SettingFlags = SettingFlags(), environment: [String: String], paths: Paths? = nil
    ) throws(SettingsError) -> Settings {
        try check(flags: flags, environment: environment, paths: paths).valid()
    }

    /// The same, but collects all problems instead of stopping at the first.
    public static func check(
        flags: SettingFlags = SettingFlags(), environment: [String: String], paths: Paths? = nil
    ) -> SettingsCheck {
        let paths = paths ?? Paths(environment: environment)
        // An empty variable counts as unset, as for the XDG ones.
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        var reader = SettingsReader(home: paths.home)
        // A demo must not share its steps with the machine's destinations.
        if variable("ISTEP_DEMO") == nil { reader.read(path: paths.systemConfig) }
        if let path = paths.userConfig { reader.read(path: path) }
        if let path = flags.config {
            reader.read(path: path, namedBy: .flag("--config"))
        } else if let path = variable(configVariable) {
            reader.read(path: path, namedBy: .environment(configVariable))
        }
        if let path = variable(databaseVariable) { reader.set(database: path, .environment(databaseVariable)) }
        if let user = flags.user { reader.set(.user, user, .flag("--user")) }
        if let adapter = flags.adapter { reader.set(.adapter, adapter, .flag("--adapter")) }
        if let path = flags.database { reader.set(database: path, .flag("--db")) }
        if let seconds = flags.timeout { reader.set(timeout: seconds, .flag("--timeout")) }
        return SettingsCheck(reader, standardDatabase: paths.database)
    }
}

extension Settings {
    /// The file whose settings replace those of all others: that of `--config` or of `ISTEP_CONFIG`, else the user's.
    /// It need not exist.
    ///
    /// - Returns: nil without a home directory.
    public static func lastFile(flags: SettingFlags, environment: [String: String]) -> String? {
        flags.config ?? environment[configVariable].flatMap { $0.isEmpty ? nil : $0 }
            ?? Paths(environment: environment).userConfig
    }

    /// The variables of the environment that decide which configuration and which history these settings are from: a
    /// process that does not have them, such as one that a service manager starts, uses others.
    ///
    /// - Parameters:
    ///   - environment: the environment from which these settings were loaded.
    ///   - passwordHome: as for `Paths`.
    public func variablesOfPlaces(in environment: [String: String], passwordHome: () -> String? = Paths.passwordHome)
        -> [String]
    {
        func paths(without variable: String? = nil) -> Paths {
            Paths(environment: environment.filter { $0.key != variable }, passwordHome: passwordHome)
        }
        var variables: [String] = []
        if case .environment(let name) = database.source { variables.append(name) }
        if environment[Self.configVariable]?.isEmpty == false { variables.append(Self.configVariable) }
        let (config, otherConfig) = (paths().userConfig, paths(without: Paths.configVariable).userConfig)
        // Without a file in either place, the place does not matter.
        if config != otherConfig,
            [config, otherConfig].contains(where: { $0.map(FileManager.default.fileExists(atPath:)) == true })
        {
            variables.append(Paths.configVariable)
        }
        if database.source == .standard, paths().database != paths(without: Paths.dataVariable).database {
            variables.append(Paths.dataVariable)
        }
        return variables
    }
}

/// The result of a check of the whole configuration.
public struct SettingsCheck: Hashable, Sendable {
    /// The files that were read, in the order in which they replace one another.
    public let files: [String]
    /// All problems: file by file, in the order of lines. Problems within the tables of destinations are not included:
    /// the readers of these tables find them.
    public let problems: [SettingsError]
    /// The tables of destinations that can be read, by name, even if there are other problems.
    public let destinations: [SettingsTable]
    /// The same of imports.
    public let imports: [SettingsTable]
    /// Nil if there are problems.
    public let settings: Settings?
    /// All settings that can be read, even if there are other problems; for diagnosis. Nil if not even a path for the
    /// history is known.
    public let readable: Settings?

    /// Whether no problem can hide which history is meant: that of a file that is not read to its end, or of the key
    /// `database` itself.
    public var isHistoryCertain: Bool {
        problems.allSatisfy { problem in
            switch problem {
            case .wrongType(let key, _, _, _), .badValue(_, let key, _, _), .badPrivateValue(let key, _, _),
                .openSecret(let key, _, _):
                key != SettingKey.database.rawValue
            case .unknownEntry, .missingEntry, .badName, .conflict: true
            default: false
            }
        }
    }

    /// - Throws: the first problem.
    public func valid() throws(SettingsError) -> Settings {
        if let first = problems.first { throw first }
        guard let settings else { throw .noHome }
        return settings
    }

    init(_ reader: SettingsReader, standardDatabase: String?) {
        let database = reader.database ?? standardDatabase.map { Sourced($0, .standard) }
        // If a file is named twice, all its problems occur twice.
        var seen: Set<SettingsError> = []
        var problems = reader.problems.filter { seen.insert($0).inserted }
        if database == nil { problems.append(.noHome) }
        self.problems = problems
        files = reader.files
        destinations = reader.destinations.values.sorted { $0.name < $1.name }
        imports = reader.imports.values.sorted { $0.name < $1.name }
        readable = database.map { [files, destinations, imports] in
            Settings(
                user: reader.user, adapter: reader.adapter, database: $0,
                timeout: reader.timeout ?? Sourced(SearchTime.reading, .standard),
                notifications: reader.notifications ?? Sourced(true, .standard), weekStart: reader.weekStart,
                units: reader.units,
                restartsAdapter: reader.restartsAdapter ?? Sourced(false, .standard),
                recovers: reader.recovers ?? Sourced(false, .standard),
                backups: reader.backups ?? Sourced(BackupSchedule.standardCount, .standard),
                frames: reader.frames ?? Sourced(FrameRetention.standardDays, .standard), destinations: destinations,
                imports: imports, files: files)
        }
        settings = problems.isEmpty ? readable : nil
    }
}
