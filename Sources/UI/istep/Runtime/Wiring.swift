import BlueZ
import DBus
import Foundation
import Pedometers
import Settings
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
    let databasePath: String
    let adapter: String?
    let limits: ConnectionLimits
    private let common: CommonOptions
    private let settings: Settings

    init(_ common: CommonOptions, _ bluetooth: BluetoothOptions? = nil) throws(SettingsError) {
        let environment = Self.environment
        self.environment = environment
        self.common = common
        settings = try Settings.load(
            flags: SettingFlags(
                config: common.config, user: common.user, adapter: bluetooth?.adapter, database: common.db,
                timeout: bluetooth?.timeout),
            environment: environment)
        databasePath = settings.database.value
        adapter = settings.adapter?.value
        var limits = ConnectionLimits()
        limits.scan = .seconds(settings.timeout.value)
        self.limits = limits
    }

    // MARK: Resources

    /// What a command does with the history.
    enum HistoryUse { case reading, updating, creating }

    /// - Throws: `HistoryError.missing` where there is none and none is to be made.
    func history(for use: HistoryUse) throws(HistoryError) -> any StepHistory {
        if use == .updating, !FileManager.default.fileExists(atPath: databasePath) { throw .missing(path: databasePath) }
        return try StepDatabase(path: databasePath, for: use == .reading ? .reading : .writing)
    }

    /// On the machine's bus, or on the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    func central() async throws -> Central {
        let address = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : DBusAddress.address($0) }
        return try await Central.open(address ?? .system)
    }

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
            adapter: adapter, limits: limits, days: days, localTime: localTime, now: now,
            central: { try await central() })
    }

    // MARK: People

    /// The user asked for; else the configured one, the only one, the one who is logged in.
    func user(in history: any StepHistory, creating: Bool = false) throws -> User {
        let users = try history.users()
        let wanted = settings.user?.value
        if wanted == nil, users.count == 1 { return users[0] }
        let name = wanted ?? environment["USER"] ?? environment["LOGNAME"] ?? "me"
        if let user = users.first(where: { $0.name.lowercased() == name.lowercased() }) { return user }
        guard creating || (users.isEmpty && wanted == nil) else {
            let known = users.map(\.name).joined(separator: ", ")
            throw UsageFailure(
                wanted == nil ? "Whose steps? The history has those of \(known)." : "There is no user '\(name)'.",
                advice: wanted == nil ? "Say whose: --user NAME" : "Known are: \(known.isEmpty ? "none yet" : known).")
        }
        return creating ? try history.addUser(named: name) : User(id: 0, name: name)
    }

    /// The first profile or plan holds for all days, later ones from today.
    func validFrom(_ day: DayArgument?, isFirst: Bool) -> Day {
        let today = localTime.day(of: now())
        return day?.day(today: today) ?? (isFirst ? Day(daysSince1970: 0) : today)
    }

    func title(ofModel key: String) -> String { (try? PedometerRegistry.model(key).title) ?? key }

    // MARK: Talking

    func say(_ text: String) {
        if !common.quiet { Output.standard.line(text) }
    }

    func show(_ view: some View) throws {
        if common.json {
            Output.standard.line(try view.json())
        } else {
            let style = TextStyle(.standard, environment: environment)
            for line in view.lines(style) { Output.standard.line(line) }
        }
    }

    func progress() -> Progress {
        if common.quiet { return Progress(.silent) }
        return Progress(Output.error.isTerminal ? .overwriting : .lines)
    }
}
