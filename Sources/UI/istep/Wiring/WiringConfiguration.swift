import Settings
import Sharing
import StepDatabase
import StepDomain
import BlueZ
import Pedometers
import StepServices
import Systemd

extension Wiring {
    /// The configuration as it is written, for a check of all of it.
    static func configuration(_ options: GlobalOptions) -> any ConfigurationSource {
        ConfigurationFiles(options)
    }

    /// The file that a user writes settings to, with `~` for the home directory; nil where there is none.
    static func configurationFile(_ options: GlobalOptions) -> String? {
        let environment = ProcessEnvironment.current
        guard let path = Settings.lastFile(flags: flags(options), environment: environment) else { return nil }
        guard let home = Paths(environment: environment).home, path.hasPrefix(home + "/") else { return path }
        return "~\(path.dropFirst(home.count))"
    }

    /// The zone that `TZ` names and this machine does not have; nil if there is no such error.
    var unknownZone: String? { TimeZoneName.unknown(environment) }

    /// The kinds of destinations, with an example of each.
    static var destinationKinds: [(key: String, title: String, example: String)] {
        DestinationRegistry.kinds.map { ($0.key, $0.title, $0.example) }
    }

    /// SQL for psql: the tables of a database that several machines share.
    static var postgresSchema: String { PostgresSchema.script }

    /// - Throws: `SettingsProblems`; `ServiceError`; the history's error.
    func inspected(_ name: String) throws -> InspectedDestination {
        try InspectedDestination(
            name, among: destinations(), for: options.user, configured: settings.user?.value,
            history: { try historyIfPresent() })
    }

    /// What a checkup works with. It needs no valid configuration, so it is not made from a `Wiring`.
    ///
    /// - Throws: `SettingsError` for an error in the command line, which is not a fault of the machine.
    static func doctor(_ options: GlobalOptions, usesRadio: Bool, usesNetwork: Bool) throws -> Doctor {
        let files = ConfigurationFiles(options)
        let (environment, check) = (files.environment, files.check)
        if let error = check.problems.first(where: { $0.category == .usage }) { throw error }
        var request = CheckupRequest(
            configurationFiles: check.files,
            configurationProblems: files.errors.map(\.description),
            destinations: files.destinations,
            destinationsOfService: destinationsOfService(check.destinations, environment),
            usesRadio: usesRadio, usesNetwork: usesNetwork)
        if let path = check.readable?.database.value, !files.imports.isEmpty {
            request.imports = files.imports
            request.importStates = { try StepDatabase(path: path, for: .reading).scheduledImports() }
        }
        if let timeout = check.readable?.timeout, timeout.source != .standard { request.searchTime = timeout.value }
        if let user = check.readable?.user, case .flag = user.source { request.user = user.value }

        let bus = systemBus(environment)
        let machine = machine(on: bus)
        return Doctor(
            request,
            bluetooth: BluetoothAccess(
                adapter: check.readable?.adapter?.value, now: Self.now, machine: machine,
                central: { try await Central.open(bus, machine: machine) }),
            system: SystemdProbe(
                environment: environment, systemBus: bus, sessionBus: AutomaticSync.userBus(environment), now: Self.now,
                file: { StorageFacts.Entry(path: $0) }),
            history: (check.readable?.database.value).map { HistoryFileProbe(path: $0) }, now: Self.now)
    }

    /// The destinations with a secret that systemd gives to services, where this process is not one.
    private static func destinationsOfService(_ tables: [SettingsTable], _ environment: [String: String]) -> Set<String>
    {
        guard environment["CREDENTIALS_DIRECTORY"] == nil else { return [] }
        return Set(tables.filter { $0.keys.contains { $0.hasSuffix("_credential") } }.map(\.name))
    }
}

/// The configuration files as far as they can be read, the secrets that they name, and the users of the history.
private struct ConfigurationFiles: ConfigurationSource {
    let environment: [String: String]
    let check: SettingsCheck
    let destinations: [any ShareDestination]
    let imports: [ScheduledImport]
    /// What is wrong with the files and the tables in them.
    let errors: [SettingsError]

    init(_ options: GlobalOptions) {
        environment = ProcessEnvironment.current
        check = Settings.check(flags: Wiring.flags(options), environment: environment)
        let (destinations, errors) = Wiring.destinations(from: check.destinations, environment)
        let scheduled = Wiring.scheduledImports(check.imports, environment)
        self.destinations = destinations
        imports = scheduled.plans
        let faulty = scheduled.faulty.flatMap(\.problems.errors)
        self.errors = check.problems + errors + faulty
    }

    func read() -> WrittenConfiguration {
        WrittenConfiguration(
            files: check.files,
            problems: errors.map {
                ConfigurationProblem(.reported($0.description), at: .init(nil, file: $0.file, line: $0.line))
            },
            destinations: destinations.compactMap { destination in
                check.destinations.first { $0.name == destination.name }.map { written(destination, $0) }
            },
            users: check.settings.flatMap { try? StepDatabase(path: $0.database.value, for: .reading).users() } ?? [],
            userNames: userNames)
    }

    /// The user of the commands, unless the command line names it, and those of imports.
    private var userNames: [(name: String, place: ConfigurationPlace)] {
        var names: [(name: String, place: ConfigurationPlace)] = []
        if let user = check.settings?.user, case .file = user.source {
            names.append((user.value, Self.place(.user, user.source)))
        }
        for plan in imports {
            guard let name = plan.user, let table = check.imports.first(where: { $0.name == plan.name }) else {
                continue
            }
            names.append((name, Self.place(.scheduledImport(plan.name), table.source(of: "user"))))
        }
        return names
    }

    private func written(_ destination: any ShareDestination, _ table: SettingsTable) -> WrittenDestination {
        func place(_ source: SettingSource) -> ConfigurationPlace { Self.place(.destination(table.name), source) }
        var secrets: [ConfigurationProblem] = []
        for (secret, source) in table.secrets(home: Paths(environment: environment).home) {
            do throws(SecretError) {
                _ = try secret.load(environment: environment)
            } catch {
                secrets.append(ConfigurationProblem(.reported(error.description), at: place(source)))
            }
        }
        return WrittenDestination(
            destination, secretProblems: secrets, users: place(table.source(of: "users")),
            commandOrPath: place(table.source(of: table.keys.contains("command") ? "command" : "path")))
    }

    private static func place(_ subject: ConfigurationPlace.Subject, _ source: SettingSource) -> ConfigurationPlace {
        guard case .file(let path, let line) = source else { return ConfigurationPlace(subject) }
        return ConfigurationPlace(subject, file: path, line: line)
    }
}
