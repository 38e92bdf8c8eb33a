public import DBus

/// systemd, over D-Bus: the machine's manager or that of a user.
public actor ServiceManager: BusClient {
    public nonisolated let scope: UnitScope
    let bus: DBusConnection
    let limit: Duration
    private let clock: any Clock<Duration>

    private init(_ scope: UnitScope, _ bus: DBusConnection, _ limit: Duration, _ clock: any Clock<Duration>) {
        self.scope = scope
        self.bus = bus
        self.limit = limit
        self.clock = clock
    }

    /// - Parameters:
    ///   - address: the bus on which the manager is: the system's, or the user's own.
    ///   - limit: how long each answer, and each start or stop of a unit, may take.
    ///   - clock: measures how long a start or stop takes.
    /// - Throws: `SystemdError.noManager`.
    public static func open(
        _ scope: UnitScope, on address: DBusAddress, limit: Duration = .seconds(25),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(SystemdError) -> ServiceManager {
        do {
            return ServiceManager(scope, try await DBusConnection.open(address, timeout: limit), limit, clock)
        } catch {
            throw SystemdError(error, doing: "connecting", scope)
        }
    }

    public func close() async { await bus.close() }

    /// The state of a unit. A unit that systemd does not know is reported as not installed.
    ///
    /// - Parameter name: with its suffix, `.timer` or `.service`.
    public func state(of name: String) async throws(SystemdError) -> UnitState {
        let doing = "reading \(name)"
        let reply = try await call("LoadUnit", [.string(name)], doing: doing, unit: name)
        guard let path = reply.first?.pathValue else { throw .failed(doing: doing, reason: "an answer without a path") }
        let kind = name.hasSuffix(".timer") ? SystemdName.timer : SystemdName.unitService
        return UnitState(
            name, unit: try await properties(SystemdName.unit, of: path, doing: doing),
            own: try await properties(kind, of: path, doing: doing))
    }

    /// Enables units, so that they start by themselves from now on, and starts some of them.
    ///
    /// - Parameters:
    ///   - names: the units whose `[Install]` section takes effect.
    ///   - running: those of them to start now.
    /// - Throws: `SystemdError`; `.notInstalled` names the first that systemd does not know.
    public func enable(_ names: [String], starting running: [String]) async throws(SystemdError) {
        for name in names where try await !state(of: name).isInstalled { throw .notInstalled(unit: name, scope) }
        let doing = "enabling \(names.joined(separator: ", "))"
        _ = try await call(
            "EnableUnitFiles", [.strings(names), .boolean(false), .boolean(false)], doing: doing, unit: names.first)
        _ = try await call("Reload", doing: doing)
        for name in running { try await run("StartUnit", name) }
    }

    /// Reverses `enable`: stops and disables the units. Units that systemd does not know are left alone.
    public func disable(_ names: [String], stopping running: [String]) async throws(SystemdError) {
        for name in running where try await state(of: name).isActive { try await run("StopUnit", name) }
        let doing = "disabling \(names.joined(separator: ", "))"
        _ = try await call("DisableUnitFiles", [.strings(names), .boolean(false)], doing: doing)
        _ = try await call("Reload", doing: doing)
    }

    // MARK: Calls

    func call(
        _ member: String, _ arguments: [DBusValue] = [], doing: String, unit: String? = nil
    ) async throws(SystemdError) -> [DBusValue] {
        do {
            return try await bus.call(
                SystemdName.service, SystemdName.root, SystemdName.manager, member, arguments, timeout: limit)
        } catch {
            throw SystemdError(error, doing: doing, unit: unit, scope)
        }
    }

    private func properties(
        _ interface: String, of path: ObjectPath, doing: String
    ) async throws(SystemdError) -> [String: DBusValue] {
        do {
            let reply = try await bus.call(
                SystemdName.service, path, StandardInterface.properties, "GetAll", [.string(interface)], timeout: limit)
            return reply.first?.propertiesValue ?? [:]
        } catch {
            // A unit without a file does not have the interface of its type.
            if error.remoteName == "org.freedesktop.DBus.Error.UnknownInterface" { return [:] }
            throw SystemdError(error, doing: doing, scope)
        }
    }
}

extension ServiceManager {
    /// Starts or stops a unit and waits until that is done.
    func run(_ member: String, _ name: String) async throws(SystemdError) {
        let doing = "\(member == "StartUnit" ? "starting" : "stopping") \(name)"
        // systemd sends signals about jobs only while a client is subscribed.
        _ = try await call("Subscribe", doing: doing)
        let ends: DBusSignals
        do {
            ends = try await bus.signals(
                MatchRule(
                    sender: SystemdName.service, path: SystemdName.root, interface: SystemdName.manager,
                    member: "JobRemoved"))
        } catch {
            throw SystemdError(error, doing: doing, scope)
        }
        let reply = try await call(member, [.string(name), .string("replace")], doing: doing, unit: name)
        let result = await Self.end(of: reply.first?.pathValue, in: ends, within: limit, clock)
        _ = try? await call("Unsubscribe", doing: doing)
        // A unit that was skipped because a condition does not hold has not failed.
        guard let result, ["done", "skipped"].contains(result) else {
            throw .jobFailed(unit: name, result: result ?? "no result in time")
        }
    }

    /// - Returns: systemd's term for how the job ended; nil if the bus went away or the time ran out before.
    private static func end(
        of job: ObjectPath?, in ends: DBusSignals, within limit: Duration, _ clock: any Clock<Duration>
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await end in ends where end.body.count == 4 && end.body[1].pathValue == job {
                    return end.body[3].stringValue
                }
                return nil
            }
            group.addTask {
                try? await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// Names of systemd's D-Bus interfaces (org.freedesktop.systemd1(5), org.freedesktop.login1(5)).
enum SystemdName {
    static let service = "org.freedesktop.systemd1"
    static let root: ObjectPath = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"
    static let unit = "org.freedesktop.systemd1.Unit"
    static let timer = "org.freedesktop.systemd1.Timer"
    static let unitService = "org.freedesktop.systemd1.Service"
    static let loginService = "org.freedesktop.login1"
    static let loginRoot: ObjectPath = "/org/freedesktop/login1"
    static let loginManager = "org.freedesktop.login1.Manager"
    static let loginUser = "org.freedesktop.login1.User"
}

/// The state of a unit in systemd. Times are seconds since 1970.
public struct UnitState: Sendable, Hashable {
    /// Such as `istep-sync.timer`.
    public var name: String
    /// Whether there is a file for it, or was when it was last loaded.
    public var isInstalled = false
    /// Whether it starts by itself.
    public var isEnabled = false
    /// Whether it runs: for a timer, whether it waits for its next time.
    public var isActive = false
    /// When a timer last fired; nil if it never did, and for a unit of another type.
    public var lastTrigger: Int?
    /// When a timer fires next.
    public var nextElapse: Int?
    /// How the last run of a service ended, as systemd reports it, such as `success`, `exit-code`, `timeout`; nil if it
    /// has not run since boot.
    public var lastResult: String?
    /// The exit code of a service's last run.
    public var exitStatus: Int?
    /// When a service's last run ended.
    public var lastExit: Int?
}

extension UnitState {
    /// - Parameters:
    ///   - unit: properties of the interface `Unit`.
    ///   - own: those of the unit's own type, `Timer` or `Service`.
    init(_ name: String, unit: [String: DBusValue], own: [String: DBusValue]) {
        self.init(name: name)
        isInstalled = unit["LoadState"]?.stringValue == "loaded"
        isEnabled = unit["UnitFileState"]?.stringValue?.hasPrefix("enabled") ?? false
        isActive = ["active", "activating", "reloading"].contains(unit["ActiveState"]?.stringValue)
        lastTrigger = Self.seconds(own["LastTriggerUSec"])
        nextElapse = Self.seconds(own["NextElapseUSecRealtime"])
        lastExit = Self.seconds(own["ExecMainExitTimestamp"])
        guard lastExit != nil else { return }
        lastResult = own["Result"]?.stringValue
        // 1 is CLD_EXITED of <signal.h>: otherwise the number is a signal's.
        if own["ExecMainCode"]?.intValue == 1 { exitStatus = own["ExecMainStatus"]?.intValue }
    }

    /// Converts microseconds; systemd uses 0 and the greatest number for never, and `intValue` of the greatest is nil.
    private static func seconds(_ value: DBusValue?) -> Int? {
        guard let microseconds = value?.intValue, microseconds > 0 else { return nil }
        return microseconds / 1_000_000
    }
}

/// Which of systemd's managers: the machine's, or that of the user who runs this program.
public enum UnitScope: String, Sendable, Hashable, CaseIterable {
    case user, system
}
