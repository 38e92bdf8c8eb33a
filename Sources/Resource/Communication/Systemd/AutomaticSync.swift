public import DBus
internal import Glibc
public import StepDomain

/// The systemd units of automatic sync, as they are installed. Their files are in `systemd/` of the package.
public struct AutomaticSync: Scheduler {
    public let manager: ServiceManager
    private let user: String
    private let systemBus: DBusAddress
    private let rules: [String]

    /// Where udev's rule may be installed, by the package or from a checkout.
    public static let udevRules = ["/usr/lib", "/lib", "/usr/local/lib", "/etc"].map {
        $0 + "/udev/rules.d/60-istep.rules"
    }

    /// - Parameters:
    ///   - manager: the machine's, or that of the user who runs this program.
    ///   - environment: `USER` is the login name if the user database has none.
    ///   - systemBus: the bus of logind.
    ///   - rules: paths at which udev's rule may be.
    public init(
        _ manager: ServiceManager, environment: [String: String], systemBus: DBusAddress = .system,
        rules: [String] = udevRules
    ) {
        self.manager = manager
        self.systemBus = systemBus
        self.rules = rules
        user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? environment["USER"] ?? "you"
    }

    /// Connects to a manager for the duration of `body`.
    ///
    /// - Parameter bus: the bus of the manager.
    /// - Throws: `SystemdError`, and what `body` throws.
    public static func with<R>(
        _ scope: UnitScope, on bus: DBusAddress, environment: [String: String], systemBus: DBusAddress = .system,
        _ body: (AutomaticSync) async throws -> R
    ) async throws -> R {
        let manager = try await ServiceManager.open(scope, on: bus)
        return try await manager.closing { manager in
            try await body(AutomaticSync(manager, environment: environment, systemBus: systemBus))
        }
    }

    /// Whether systemd has started this machine (sd_booted(3)). If not, no bus provides it.
    public static var hasSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// The user's own bus. If the environment does not name it, as in a shell of `su` or `ssh`, the path that systemd
    /// uses for it.
    public static func userBus(_ environment: [String: String]) -> DBusAddress {
        DBusAddress.session(in: environment) ?? .address("unix:path=/run/user/\(getuid())/bus")
    }

    /// - Throws: `SystemdError`.
    @discardableResult
    public func enable(watching: Bool) async throws -> SyncSchedule {
        if !watching { try await manager.disable([SyncUnitName.watch], stopping: [SyncUnitName.watch]) }
        var units = [SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service]
        var running = [SyncUnitName.nightTimer, SyncUnitName.midnightTimer]
        if watching {
            units.append(SyncUnitName.watch)
            running.append(SyncUnitName.watch)
        }
        try await manager.enable(units, starting: running)
        return try await schedule()
    }

    /// - Throws: `SystemdError`.
    @discardableResult
    public func disable() async throws -> SyncSchedule {
        try await manager.disable(
            [SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service, SyncUnitName.watch],
            stopping: [SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.watch])
        return try await schedule()
    }

    /// - Throws: `SystemdError.notInstalled` if the timer is not installed.
    public func schedule() async throws -> SyncSchedule {
        let units = try await SyncUnits.read(from: manager, systemBus: systemBus)
        guard units.night.isInstalled else { throw SystemdError.notInstalled(unit: units.night.name, units.scope) }
        return units.schedule(user: user, hasUdevRule: rules.contains { access($0, F_OK) == 0 })
    }
}

/// The units of automatic sync as one manager reported them. What the user is shown and what a checkup examines are
/// made from it.
struct SyncUnits: Sendable {
    let scope: UnitScope
    /// The nightly timer, and the service that it runs.
    let night: UnitState
    let service: UnitState
    /// The timer before midnight, and the service that it runs.
    let midnight: UnitState
    let midnightService: UnitState
    let watch: UnitState
    /// Whether the user's timers run while the user is not logged in; nil for the machine's, or if logind does not
    /// answer.
    let lingers: Bool?

    /// Reads each unit once.
    ///
    /// - Parameter systemBus: the bus of logind.
    static func read(from manager: ServiceManager, systemBus: DBusAddress) async throws(SystemdError) -> SyncUnits {
        SyncUnits(
            scope: manager.scope,
            night: try await manager.state(of: SyncUnitName.nightTimer),
            service: try await manager.state(of: SyncUnitName.service),
            midnight: try await manager.state(of: SyncUnitName.midnightTimer),
            midnightService: try await manager.state(of: SyncUnitName.midnightService),
            watch: try await manager.state(of: SyncUnitName.watch),
            lingers: manager.scope == .user ? await Lingering.isOn(user: getuid(), bus: systemBus) : nil)
    }
}

extension SyncUnits {
    /// What the user is shown.
    ///
    /// - Parameters:
    ///   - user: the login name of the user manager's owner.
    ///   - hasUdevRule: whether systemd is notified of an adapter. Without the rule, as after an installation for one
    ///     user, it is not.
    func schedule(user: String, hasUdevRule: Bool) -> SyncSchedule {
        var adapter = SyncSchedule.Trigger(service)
        adapter.isEnabled = adapter.isEnabled && hasUdevRule
        let run = service.lastExit.map {
            SyncSchedule.Run(
                end: Timestamp($0), exitCode: service.exitStatus, result: service.lastResult ?? "no result")
        }
        return SyncSchedule(
            owner: scope == .user ? .user(user, lingers: lingers) : .machine, night: SyncSchedule.Trigger(night),
            midnight: SyncSchedule.Trigger(midnight), adapter: adapter, watch: SyncSchedule.Trigger(watch), lastRun: run
        )
    }

    /// What a checkup examines.
    var timerFacts: TimerFacts {
        TimerFacts(
            unit: night.name, isSystemWide: scope == .system, isInstalled: night.isInstalled,
            isEnabled: night.isEnabled,
            isActive: night.isActive, lastRun: night.lastTrigger.map { Timestamp($0) },
            nextRun: night.nextElapse.map { Timestamp($0) },
            lastResult: Self.result(of: service), isWatchEnabled: watch.isEnabled, isWatchActive: watch.isActive,
            isMidnightEnabled: midnight.isEnabled, isMidnightActive: midnight.isActive,
            midnightResult: Self.result(of: midnightService),
            lingers: lingers)
    }

    private static func result(of service: UnitState) -> String? {
        guard let result = service.lastResult, result == "exit-code", let status = service.exitStatus else {
            return service.lastResult
        }
        return "\(result) \(status)"
    }
}

extension SyncSchedule.Trigger {
    fileprivate init(_ unit: UnitState) {
        self.init(
            isEnabled: unit.isEnabled, isActive: unit.isActive, last: unit.lastTrigger.map { Timestamp($0) },
            next: unit.nextElapse.map { Timestamp($0) })
    }
}

/// Whether a user's manager runs while the user is not logged in: `loginctl enable-linger`.
public enum Lingering {
    /// - Parameter user: the user's number, as returned by `getuid(2)`.
    /// - Returns: nil if logind does not answer, as on a machine without it.
    public static func isOn(user: UInt32, bus address: DBusAddress = .system, limit: Duration = .seconds(10)) async
        -> Bool?
    {
        guard let bus = try? await DBusConnection.open(address, timeout: limit) else { return nil }
        return await bus.closing { bus in await isOn(user, bus, limit) }
    }

    private static func isOn(_ user: UInt32, _ bus: DBusConnection, _ limit: Duration) async -> Bool? {
        do throws(DBusError) {
            let found = try await bus.call(
                SystemdName.loginService, SystemdName.loginRoot, SystemdName.loginManager, "GetUser", [.uint32(user)],
                timeout: limit)
            guard let path = found.first?.pathValue else { return nil }
            let value = try await bus.call(
                SystemdName.loginService, path, StandardInterface.properties, "Get",
                [.string(SystemdName.loginUser), .string("Linger")], timeout: limit)
            return value.first?.boolValue
        } catch {
            // Neither logged in nor lingering.
            return error.remoteName == "org.freedesktop.login1.NoSuchUser" ? false : nil
        }
    }
}
