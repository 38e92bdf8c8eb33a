import Settings
import Sharing
import StepDatabase
import StepDomain
import BlueZ
import Pedometers
import StepServices
import StepViews
import Systemd

extension Wiring {
    /// The configuration as it is written, for a check of all of it.
    static func configuration(_ options: GlobalOptions) -> any ConfigurationSource {
        ConfigurationFiles(flags: flags(options), environment: ProcessEnvironment.current)
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
        let environment = ProcessEnvironment.current
        let check = Settings.check(flags: flags(options), environment: environment)
        if let error = check.problems.first(where: { $0.category == .usage }) { throw error }
        let (destinations, errors) = destinations(from: check.destinations, environment)
        let imports = scheduledImports(check.imports, environment)
        let faulty = imports.faulty.flatMap(\.problems.errors)
        var request = CheckupRequest(
            configurationFiles: check.files,
            configurationProblems: (check.problems + errors + faulty).map(\.description),
            destinations: destinations, destinationsOfService: destinationsOfService(check.destinations, environment),
            usesRadio: usesRadio, usesNetwork: usesNetwork)
        if let path = check.readable?.database.value, !imports.plans.isEmpty {
            request.imports = imports.plans
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

/// The configuration files, the secrets that they name, and the users of the history that they name.
private struct ConfigurationFiles: ConfigurationSource {
    let flags: SettingFlags
    let environment: [String: String]

    func read() -> WrittenConfiguration {
        let check = Settings.check(flags: flags, environment: environment)
        let (destinations, errors) = Wiring.destinations(from: check.destinations, environment)
        let scheduled = Wiring.scheduledImports(check.imports, environment)
        let imports = scheduled.faulty.flatMap(\.problems.errors)
        return WrittenConfiguration(
            files: check.files,
            problems: (check.problems + errors + imports).map {
                ConfigurationProblem($0.description, file: $0.file, line: $0.line)
            },
            destinations: destinations.compactMap { destination in
                check.destinations.first { $0.name == destination.name }.map { configured(destination, $0) }
            },
            users: check.settings.flatMap { try? StepDatabase(path: $0.database.value, for: .reading).users() } ?? [],
            userNames: userNames(check.settings?.user, scheduled.plans, check.imports))
    }

    /// The user of the commands, unless the command line names it, and those of imports.
    private func userNames(
        _ user: Sourced<String>?, _ imports: [ScheduledImport], _ tables: [SettingsTable]
    ) -> [(name: String, problem: @Sendable (ConfigurationFinding) -> ConfigurationProblem)] {
        var names: [(name: String, problem: @Sendable (ConfigurationFinding) -> ConfigurationProblem)] = []
        if let user, case .file(let path, let line) = user.source {
            names.append(
                (
                    user.value,
                    { ConfigurationProblem("\(user.source): `user` \(Self.words($0))", file: path, line: line) }
                ))
        }
        for plan in imports {
            guard let name = plan.user, let table = tables.first(where: { $0.name == plan.name }) else { continue }
            names.append(
                (name, { Self.problem(Self.words($0), in: table, of: "import", at: table.source(of: "user")) }))
        }
        return names
    }

    private func configured(_ destination: any ShareDestination, _ table: SettingsTable) -> WrittenDestination {
        var secrets: [(reason: String, problem: ConfigurationProblem)] = []
        for (secret, source) in table.secrets(home: Paths(environment: environment).home) {
            do throws(SecretError) {
                _ = try secret.load(environment: environment)
            } catch {
                secrets.append((error.description, Self.problem(error.description, in: table, at: source)))
            }
        }
        return WrittenDestination(destination, secretProblems: secrets) { finding, key in
            let name =
                switch key {
                case .users: "users"
                case .commandOrPath: table.keys.contains("command") ? "command" : "path"
                }
            return Self.problem(Self.words(finding), in: table, at: table.source(of: name))
        }
    }

    private static func words(_ finding: ConfigurationFinding) -> String {
        switch finding {
        case .recipients(let problem): RecipientWords.problem(problem)
        case .reported(let reason): reason
        }
    }

    private static func problem(
        _ reason: String, in table: SettingsTable, of section: String = "share", at source: SettingSource
    ) -> ConfigurationProblem {
        let text = "[\(section).\(table.name)]: \(reason)"
        guard case .file(let path, let line) = source else { return ConfigurationProblem(text) }
        return ConfigurationProblem("\(source): \(text)", file: path, line: line)
    }
}
