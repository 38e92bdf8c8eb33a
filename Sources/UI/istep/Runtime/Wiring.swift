import BlueZ
import DBus
import Foundation
import HTTP
import Pedometers
import Settings
import Sharing
import StepDatabase
import StepDomain
import StepViews

/// The only place that knows concrete resources: from options, environment and configuration to a history, a central and
/// a clock.
struct Wiring: Sendable {
    /// The process's environment; the demo puts another in its place for the commands that it runs.
    @TaskLocal static var environment = ProcessInfo.processInfo.environment

    let environment: [String: String]
    let localTime = LocalTime.system
    let now: @Sendable () -> Timestamp = { Timestamp(Int(Date().timeIntervalSince1970)) }
    /// Measures limits and pauses.
    var clock: any Clock<Duration> = ContinuousClock()
    let databasePath: String
    let adapter: String?
    let limits: ConnectionLimits
    private let common: CommonOptions
    let settings: Settings

    init(_ common: CommonOptions, _ bluetooth: BluetoothOptions? = nil) throws(SettingsError) {
        let environment = Self.environment
        self.environment = environment
        self.common = common
        settings = try Settings.load(flags: Self.flags(common, bluetooth), environment: environment)
        databasePath = settings.database.value
        adapter = settings.adapter?.value
        var limits = ConnectionLimits()
        limits.scan = .seconds(settings.timeout.value)
        self.limits = limits
    }

    static func flags(_ common: CommonOptions, _ bluetooth: BluetoothOptions? = nil) -> SettingFlags {
        SettingFlags(
            config: common.config, user: common.user, adapter: bluetooth?.adapter, database: common.db,
            timeout: bluetooth?.timeout)
    }

    // MARK: Resources

    /// What a command does with the history.
    enum HistoryUse { case reading, updating, creating }

    /// - Throws: `HistoryError.missing` where there is none and none is to be made.
    func history(for use: HistoryUse) throws(HistoryError) -> SharingRun.History {
        if use == .updating, !FileManager.default.fileExists(atPath: databasePath) {
            // Opening for reading makes no file; it tells whether there is none, or a link that leads nowhere.
            _ = try StepDatabase(path: databasePath, for: .reading)
        }
        return try StepDatabase(path: databasePath, for: use == .reading ? .reading : .writing)
    }

    /// Seconds to search for: those that somebody set, else what suits the command.
    func searchTime(otherwise standard: Double) -> Double {
        settings.timeout.source == .standard ? standard : settings.timeout.value
    }

    /// On the machine's bus, or on the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    func central() async throws -> Central { try await Central.open(Self.systemBus(environment), clock: clock) }

    static func systemBus(_ environment: [String: String]) -> DBusAddress {
        environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : DBusAddress.address($0) } ?? .system
    }

    /// The bus of the session that the command runs in; nil where it runs in none.
    var sessionBus: DBusAddress? { DBusAddress.session(in: environment) }

    func withCentral<R: Sendable>(_ body: @Sendable (Central) async throws -> R) async throws -> R {
        let central = try await central()
        do {
            let result = try await body(central)
            await central.close()
            return result
        } catch {
            await central.close()
            throw error
        }
    }

    /// - Parameter days: at most so many back, today counted; nil for all that is new.
    func reader(days: Int? = nil) -> BluetoothPedometerReader {
        BluetoothPedometerReader(
            adapter: adapter, limits: limits, days: days, localTime: localTime, now: now, clock: clock,
            central: { try await central() })
    }

    // MARK: People

    /// Who may become a user of a history. Nobody can be taken out of one again, so that a slip of the pen must not suffice.
    enum Newcomer { case nobody, first, anybody }

    /// The user asked for; else the configured one, the only one, the one who is logged in.
    ///
    /// - Returns: with the `id` 0 where the history does not have the user yet: `stored` adds one.
    func user(in history: any StepHistory, allowing newcomer: Newcomer = .nobody) throws -> User {
        let users = try history.users()
        let wanted = settings.user?.value
        if wanted == nil, users.count == 1 { return users[0] }
        let name = wanted ?? environment["USER"] ?? environment["LOGNAME"] ?? "me"
        if let user = users.first(where: { $0.name.lowercased() == name.lowercased() }) { return user }
        let isWelcome =
            switch newcomer {
            case .nobody: users.isEmpty && wanted == nil
            case .first: users.isEmpty
            case .anybody: true
            }
        if isWelcome { return User(id: 0, name: name) }
        let known = users.map(\.name).joined(separator: ", ")
        if wanted == nil {
            throw CommandFailure(.usage, "Whose steps? The history has those of \(known).", advice: "Say whose: --user NAME")
        }
        throw CommandFailure(
            .usage, "There is no user '\(name)'; known are: \(known.isEmpty ? "none yet" : known).",
            advice: "For a new person add a pedometer first: istep add --user NAME")
    }

    func stored(_ user: User, in history: any StepHistory) throws -> User {
        user.id == 0 ? try history.addUser(named: user.name) : user
    }

    /// The first profile or plan holds for all days, later ones from today.
    func validFrom(_ day: DayArgument?, isFirst: Bool) -> Day {
        let today = localTime.day(of: now())
        return day?.day(today: today) ?? (isFirst ? Day(daysSince1970: 0) : today)
    }

    /// Whether it holds nothing but the count of its today.
    func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        PedometerRegistry.holdsTodayOnly(pedometer)
    }

    func title(ofModel key: String) -> String { (try? PedometerRegistry.model(key).title) ?? key }

    // MARK: Talking

    var isForPrograms: Bool { common.json }

    func say(_ text: String) throws(OutputFailure) {
        if !common.quiet { try Output.standard.result(text) }
    }

    func show(_ view: some View) throws { try Self.show(view, common) }

    static func show(_ view: some View, _ common: CommonOptions) throws { try show(view, json: common.json) }

    static func show(_ view: some View, json: Bool) throws {
        if json {
            try Output.standard.result(try view.json())
        } else {
            for line in view.lines(TextStyle(.standard, environment: environment)) { try Output.standard.result(line) }
        }
    }

    func progress() -> Progress {
        if common.quiet { return Progress(.silent) }
        return Progress(Output.error.isTerminal ? .overwriting : .lines)
    }
}
