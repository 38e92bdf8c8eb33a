public import DBus
internal import Glibc
public import StepDomain

/// The systemd units of automatic sync.
public struct AutomaticSync: Scheduler {
    /// Syncs every night.
    public static let nightTimer = "istep-sync.timer"
    /// Syncs before midnight, for pedometers that keep only today's count.
    public static let midnightTimer = "istep-midnight.timer"
    public static let midnightService = "istep-midnight.service"
    /// The service that the nightly timer runs. If it is enabled itself, it is also started when an adapter is plugged in.
    public static let service = "istep-sync.service"
    /// Keeps running and watches.
    public static let watch = "istep-watch.service"

    public let manager: ServiceManager
    private let user: String
    private let systemBus: DBusAddress
    private let rules: [String]

    /// Where udev's rule may be installed, by the package or from a checkout.
    public static let udevRules = ["/usr/lib", "/lib", "/usr/local/lib", "/etc"].map { $0 + "/udev/rules.d/60-istep.rules" }

    /// - Parameters:
    ///   - manager: the machine's, or that of the user who runs this program.
    ///   - environment: `USER` is the login name if the user database has none.
    ///   - systemBus: where logind is.
    ///   - rules: paths at which udev's rule may be.
    public init(
        _ manager: ServiceManager, environment: [String: String], systemBus: DBusAddress = .system, rules: [String] = udevRules
    ) {
        self.manager = manager
        self.systemBus = systemBus
        self.rules = rules
        user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? environment["USER"] ?? "you"
    }

    /// Connects to a manager for the duration of `body`.
    ///
    /// - Parameter bus: of the manager.
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

    /// The user's own bus. If the environment does not name it, as in a shell of `su` or `ssh`, the path that systemd uses for it.
    public static func userBus(_ environment: [String: String]) -> DBusAddress {
        DBusAddress.session(in: environment) ?? .address("unix:path=/run/user/\(getuid())/bus")
    }

    /// - Throws: `SystemdError`.
    @discardableResult
    public func enable(watching: Bool) async throws -> SyncSchedule {
        if !watching { try await manager.disable([Self.watch], stopping: [Self.watch]) }
        var units = [Self.nightTimer, Self.midnightTimer, Self.service]
        var running = [Self.nightTimer, Self.midnightTimer]
        if watching {
            units.append(Self.watch)
            running.append(Self.watch)
        }
        try await manager.enable(units, starting: running)
        return try await schedule()
    }

    /// - Throws: `SystemdError`.
    @discardableResult
    public func disable() async throws -> SyncSchedule {
        try await manager.disable(
            [Self.nightTimer, Self.midnightTimer, Self.service, Self.watch],
            stopping: [Self.nightTimer, Self.midnightTimer, Self.watch])
        return try await schedule()
    }

    /// - Throws: `SystemdError.notInstalled` if the timer is not installed.
    public func schedule() async throws -> SyncSchedule {
        let units = try await SyncUnits.read(from: manager, systemBus: systemBus)
        guard units.night.isInstalled else { throw SystemdError.notInstalled(unit: units.night.name, units.scope) }
        return units.schedule(user: user, hasUdevRule: rules.contains { access($0, F_OK) == 0 })
    }
}
