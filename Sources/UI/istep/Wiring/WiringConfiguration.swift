import Foundation
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

    /// The settings that name a user: `user`, and the users of destinations and imports.
    func settingsNaming(_ user: User) -> [String] {
        func names(_ name: String?) -> Bool { name?.lowercased() == user.name.lowercased() }
        let ofDestinations = (try? destinations())?.filter { $0.terms.users?.contains(where: names) == true } ?? []
        let ofImports = Self.scheduledImports(settings.imports, environment).plans.filter { names($0.user) }
        // Of the command line, the next command has another one.
        let isConfigured = if case .flag(_)? = settings.user?.source { false } else { names(settings.user?.value) }
        return (isConfigured ? ["user"] : [])
            + ofDestinations.map { "[share.\($0.name)]" } + ofImports.map { "[import.\($0.name)]" }
    }

    /// The zone that `TZ` names and this machine does not have; nil if there is no such error.
    var unknownZone: String? { TimeZoneName.unknown(environment) }

    /// The kinds of destinations, with an example of each.
    static var destinationKinds: [(key: String, title: String, example: String)] {
        DestinationRegistry.kinds.map { ($0.key, $0.title, $0.example) }
    }

    /// SQL for psql: the tables of a database that several machines share.
    static var postgresSchema: String { PostgresSchema.script }

    /// A destination that can be inspected, and the users of the history whose days it gets. Without a history, the
    /// user of `--user`: the comparison is of use before anything is set up.
    ///
    /// - Throws: `SettingsProblems`; `ServiceError`; the history's error.
    func inspected(_ name: String) throws -> (any InspectableDestination, [User]) {
        let destinations = try destinations()
        guard let named = destinations.first(where: { $0.name == name }) else {
            throw ServiceError.unknownDestination(
                name, known: destinations.filter { $0 is any InspectableDestination }.map(\.name))
        }
        guard let destination = named as? any InspectableDestination else { throw ServiceError.notInspectable(name) }
        guard try hasHistory(), case let history = try history(for: .reading), try !history.users().isEmpty else {
            return (destination, userToRestore.map { [User(id: 0, name: $0)] } ?? [])
        }
        // The user of the configuration is not the only one whose days are sent.
        let users = try options.user == nil ? history.users() : [user(in: history)]
        return (destination, users.filter(destination.terms.include))
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

extension Weekday {
    /// The first day of the week where the user lives, by the locale for dates (`LC_ALL`, `LC_TIME`, `LANG`); nil if
    /// none is set or installed. Then it is Monday (ISO 8601).
    ///
    /// glibc has it as the number of a day, counted from 1 for the weekday of a date: 19971130 is a Sunday, 19971201 a
    /// Monday (locale(5), `week` and `first_weekday`).
    static func firstOfWeek(environment: [String: String]) -> Weekday? {
        let names = ["LC_ALL", "LC_TIME", "LANG"].compactMap { environment[$0] }
        guard let name = names.first(where: { !$0.isEmpty }), !["C", "POSIX"].contains(name.prefix { $0 != "." }),
            let locale = newlocale(Int32(LC_TIME_MASK), name, nil)
        else { return nil }
        defer { freelocale(locale) }
        guard let first = nl_langinfo_l(nl_item(_NL_TIME_FIRST_WEEKDAY), locale)?.pointee, (1...7).contains(first)
        else { return nil }
        // The date is a number, stored as the pointer itself.
        let base = UInt(bitPattern: nl_langinfo_l(nl_item(_NL_TIME_WEEK_1STDAY), locale)) & 0xffff_ffff
        let sundays = base == 19_971_201 ? 1 : 0
        return Weekday(rawValue: (Int(first) - 2 + sundays + 7) % 7 + 1)
    }
}

/// What a checkup works with. It needs no valid configuration, so it is not made from a `Wiring`.
extension Wiring {
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
        let now: @Sendable () -> Timestamp = { Timestamp(Int(Date().timeIntervalSince1970)) }
        return Doctor(
            request,
            bluetooth: BluetoothAccess(
                adapter: check.readable?.adapter?.value, now: now, machine: machine,
                central: { try await Central.open(bus, machine: machine) }),
            system: SystemdProbe(
                environment: environment, systemBus: bus, sessionBus: AutomaticSync.userBus(environment), now: now,
                file: { StorageFacts.Entry(path: $0) }),
            history: (check.readable?.database.value).map { HistoryFileProbe(path: $0) }, now: now)
    }

    /// The destinations with a secret that systemd gives to services, where this process is not one.
    private static func destinationsOfService(_ tables: [SettingsTable], _ environment: [String: String]) -> Set<String>
    {
        guard environment["CREDENTIALS_DIRECTORY"] == nil else { return [] }
        return Set(tables.filter { $0.keys.contains { $0.hasSuffix("_credential") } }.map(\.name))
    }
}
