import BlueZ
import CIdle
import DBus
import Foundation
import HTTP
import KernelBluetooth
import Pedometers
import Settings
import Sharing
import StepDatabase
import StepDomain
import StepPages
import StepServices
import StepViews
import Support
import Systemd

/// The only place that knows concrete resources: it makes a history, a central and a clock from options, environment
/// and configuration.
struct Wiring: Sendable {
    let environment: [String: String]
    let localTime = LocalTime.system
    let now: @Sendable () -> Timestamp = Self.now
    /// Measures limits and pauses.
    var clock: any Clock<Duration> = ContinuousClock()
    private(set) var databasePath: String
    let adapter: String?
    let limits: ConnectionLimits
    let options: GlobalOptions
    let settings: Settings
    /// What is wrong with the configuration since it was read; nil for nothing.
    private(set) var configurationProblem: SettingsError?

    @Sendable static func now() -> Timestamp { Timestamp(Int(Date().timeIntervalSince1970)) }

    /// This machine's clock, beside the one of the kernel that is never set.
    @Sendable func clockMark() -> ClockMark {
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        return ClockMark(
            at: now(), uptime: uptime.tv_sec, boot: Self.boot, isTrusted: is_clock_synchronized() != 0,
            hasOwnClock: hasOwnClock)
    }

    /// A new one for each start of the machine; empty where the kernel has none.
    private static let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?.trimmingCharacters(
            in: .whitespacesAndNewlines) ?? ""

    /// - Parameter toleratesProblems: whether the settings that can be read are used if others are wrong: nothing is
    ///   shared then (`configurationProblem`).
    init(_ options: GlobalOptions, toleratesProblems: Bool = false) throws(SettingsError) {
        let environment = ProcessEnvironment.current
        self.environment = environment
        self.options = options
        let check = Settings.check(flags: Self.flags(options), environment: environment)
        if toleratesProblems, let problem = check.problems.first, let readable = check.readable, check.isHistoryCertain
        {
            (settings, configurationProblem) = (readable, problem)
        } else {
            settings = try check.valid()
        }
        databasePath = settings.database.value
        adapter = settings.adapter?.value
        var limits = ConnectionLimits()
        limits.scan = .seconds(settings.timeout.value)
        self.limits = limits
    }

    /// The same with the configuration as it is now, for a program that runs for long. The history stays the same one.
    ///
    /// If the configuration has an error now, the settings are those of the start, but nothing is shared until it is
    /// corrected: `destinations` throws the error.
    func reread() -> Wiring {
        // The machine may be in another zone now.
        LocalTime.reloadSystemZone()
        return ProcessEnvironment.$current.withValue(environment) { () -> Wiring in
            do throws(SettingsError) {
                var fresh = try Wiring(options)
                (fresh.databasePath, fresh.clock) = (databasePath, clock)
                return fresh
            } catch {
                var same = self
                same.configurationProblem = error
                return same
            }
        }
    }

    static func flags(_ options: GlobalOptions) -> SettingFlags {
        SettingFlags(
            config: options.configuration, user: options.user, adapter: options.adapter, database: options.database,
            timeout: options.timeout)
    }

    // MARK: Resources

    /// The user that a new history would have.
    var firstUser: User { .new(settings.user?.value ?? login) }

    private var login: String { environment["USER"] ?? environment["LOGNAME"] ?? "me" }

    /// The history for reading, the user that the options, the configuration or the login select, and the figures of
    /// all days. A line says how far they are calculated.
    func figuresOfUser() async throws -> (history: History, user: User, figures: DaySeries) {
        let (history, user): (History, User) = try await blocking {
            let history = try self.history(for: .reading)
            return (history, try self.user(in: history))
        }
        let progress = progress()
        defer { progress.end() }
        let figures = try await StepStatistics(history, localTime: localTime, now: now).figures(of: user) { done, all in
            if let words = HistoryView.words(forCalculating: done, of: all) { progress.step(words) }
        }
        return (history, user, figures)
    }

    /// Returns when everything is closed that the commands of this process have opened.
    static func untilClosed() async { await StepDatabase.untilClosed() }

    /// Seconds to search, where the user has set them.
    var chosenSearchTime: Double? { settings.timeout.source == .standard ? nil : settings.timeout.value }

    /// Opens a central on the machine's bus, or on the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    func central() async throws -> Central {
        let bus = Self.systemBus(environment)
        return try await Central.open(bus, clock: clock, machine: Self.machine(on: bus))
    }

    /// The state of the kernel and the radio switches; nil for a bus that is not the machine's own, where they explain
    /// nothing.
    static func machine(on bus: DBusAddress) -> MachineProbe? { bus == .system ? .live : nil }

    static func systemBus(_ environment: [String: String]) -> DBusAddress {
        environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : DBusAddress.address($0) } ?? .system
    }

    /// The bus of the session that the command runs in; nil if there is no session.
    var sessionBus: DBusAddress? { DBusAddress.session(in: environment) }

    /// - Parameters:
    ///   - days: the number of days to read at most, including today; nil for all that is new.
    ///   - registered: addresses of the history's pedometers.
    func bluetooth(days: Int? = nil, registered: Set<String> = []) -> BluetoothAccess {
        BluetoothAccess(
            adapter: adapter, limits: limits, days: days, registered: registered,
            restartsAdapter: settings.restartsAdapter.value,
            recovers: settings.recovers.value, localTime: localTime, now: now, clockMark: clockMark, clock: clock,
            central: { try await central() })
    }

    /// Whether the machine has a clock that runs while it is off; so it has for pedometers that are simulated, on
    /// another bus.
    private var hasOwnClock: Bool {
        Self.systemBus(environment) != .system || RealTimeClock.exists(since: TimeFacts.earliest.seconds)
    }

    /// As in `ServiceContext`.
    @Sendable private func isClockBelieved() -> Bool { clockMark().isBelieved }

    /// The wait of a sync for a time server; nil on a bus that is not the machine's own, where the pedometers are
    /// simulated.
    var clockWait: ClockWait? {
        guard Self.systemBus(environment) == .system else { return nil }
        return ClockWait(isBelieved: isClockBelieved, clock: clock)
    }

    /// Waits for a time server where that is needed before pedometers are read, and says so if none has answered.
    func waitForClock(_ progress: Progress) async {
        guard let wait = clockWait else { return }
        let isRight = await wait.run { progress.step(ClockWaitWords.waiting) }
        progress.end()
        if isRight || Task.isCancelled { return }
        Output.error.line("istep: \(ClockWaitWords.problem)", .warning)
        Output.error.line("       \(ClockWaitWords.advice)", .warning)
    }

    static let catalog: any PedometerCatalog = RegisteredModels()

    func scanner() -> any PedometerScanner { bluetooth() }

    func explorer() -> any GATTExplorer { bluetooth() }

    func registration(_ history: History) -> Registration {
        Registration(history, scanner: scanner(), catalog: Self.catalog)
    }

    /// What the use cases work with.
    func services(_ history: History) -> ServiceContext {
        ServiceContext(
            history: history, lock: lock,
            maintenance: HistoryFileMaintenance(
                path: databasePath, backups: backups, frames: FrameRetention(days: settings.frames.value), now: now),
            reader: { bluetooth(days: $0, registered: $1) },
            waitForAdapter: { await Central.waitForAdapter(adapter) { try await central() } },
            destinations: { try destinations() }, destinationNames: destinationNames, localTime: localTime,
            unknownZone: unknownZone, now: now,
            isClockBelieved: isClockBelieved, clock: clock,
            scheduledImports: scheduledImports)
    }

    /// The history that is used without `--db`; nil if it is the same, or if there would be none.
    var usualHistory: String? {
        guard options.database != nil else { return nil }
        var usual = options
        usual.database = nil
        guard let path = try? Settings.load(flags: Self.flags(usual), environment: environment).database.value,
            HistoryLock.path(ofDatabase: path, for: .sharing)
                != HistoryLock.path(ofDatabase: databasePath, for: .sharing),
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        return path
    }

    /// Names of the variables that decide which history and configuration are used.
    var variablesOfPlaces: [String] { settings.variablesOfPlaces(in: environment) }

    // MARK: Users

    func people(of history: any StepHistory) -> UserSelection {
        UserSelection(history, wanted: settings.user?.value, isConfigured: options.user == nil, login: login)
    }

    /// The requested user; otherwise the only one, or the one who is logged in.
    func user(in history: any StepHistory, creating creation: UserSelection.Creation = .never) throws -> User {
        try people(of: history).user(creating: creation)
    }

    /// The user that the options name; nil for all users.
    func namedUser(in history: any StepHistory) throws -> User? {
        try options.user.map { _ in try user(in: history) }
    }

    /// Whether the pedometer holds only today's count.
    func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        bluetooth().holdsTodayOnly(pedometer)
    }

    /// What models of pedometers and sources of imports are called.
    var models: ModelTitles { ModelTitles(kinds: Self.catalog.kinds, formats: importing.formats) }

    /// The first day of a week: configured, else of the locale, else Monday.
    var weekStart: Weekday {
        Weekday(firstOfWeek: settings.weekStart?.value, environment: environment)
    }

    /// The units of what people read and type: configured, else of the locale, else metric.
    var units: UnitSystem {
        settings.units.flatMap { UnitSystem(rawValue: $0.value) } ?? UnitSystem(environment: environment) ?? .metric
    }

    // MARK: Destinations

    /// The names of the destinations that are configured, whether they can be used or not.
    var destinationNames: [String] { settings.destinations.map(\.name) }

    /// The destinations that the configuration describes and does not switch off.
    ///
    /// - Throws: `SettingsProblems` with all problems of all destinations, or with the one of the configuration.
    func destinations() throws(SettingsProblems) -> [any ShareDestination] {
        if let problem = configurationProblem, let problems = SettingsProblems([problem]) { throw problems }
        let (destinations, errors) = Self.destinations(from: settings.destinations, environment)
        if let problems = SettingsProblems(errors) { throw problems }
        return destinations
    }

    /// The card of a day in twice the size of a page, so that it is sharp on high-density screens.
    @Sendable private static func picture(_ summary: DaySummary, _ units: UnitSystem) -> DayPicture? {
        let card = DayCard(
            DayView(summary, today: LocalTime.system.day(of: now()), now: now(), localTime: .system), units: units)
        return DayPicture(
            svg: card.document.source, width: Int(2 * DayCard.width), height: Int(2 * DayCard.height),
            description: card.summary)
    }

    static func destinations(
        from tables: [SettingsTable], _ environment: [String: String]
    ) -> ([any ShareDestination], [SettingsError]) {
        let destinationEnvironment = DestinationEnvironment(
            variables: environment, home: Paths(environment: environment).home, systemBus: systemBus(environment),
            webSockets: { CurlTransport(userAgent: "istep/\(Version.current)") }, picture: picture,
            transport: { CurlTransport(userAgent: "istep/\(Version.current)") })
        var destinations: [any ShareDestination] = []
        var errors: [SettingsError] = []
        for table in tables {
            do throws(SettingsProblems) {
                if let destination = try DestinationRegistry.destination(from: table, in: destinationEnvironment) {
                    destinations.append(destination)
                }
            } catch {
                errors += error.errors
            }
        }
        return (destinations, errors)
    }
}
