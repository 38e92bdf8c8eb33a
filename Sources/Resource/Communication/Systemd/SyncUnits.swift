internal import DBus
internal import Glibc
internal import StepDomain

/// The units of automatic sync as one manager reported them. What the user is shown and what a checkup examines are made from it.
struct SyncUnits: Sendable {
    let scope: UnitScope
    /// The nightly timer, and the service that it runs.
    let night: UnitState
    let service: UnitState
    /// The timer before midnight, and the service that it runs.
    let midnight: UnitState
    let midnightService: UnitState
    let watch: UnitState
    /// Whether the user's timers run while the user is not logged in; nil for the machine's, or if logind does not answer.
    let lingers: Bool?

    /// Reads each unit once.
    ///
    /// - Parameter systemBus: where logind is.
    static func read(from manager: ServiceManager, systemBus: DBusAddress) async throws(SystemdError) -> SyncUnits {
        SyncUnits(
            scope: manager.scope,
            night: try await manager.state(of: AutomaticSync.nightTimer), service: try await manager.state(of: AutomaticSync.service),
            midnight: try await manager.state(of: AutomaticSync.midnightTimer),
            midnightService: try await manager.state(of: AutomaticSync.midnightService),
            watch: try await manager.state(of: AutomaticSync.watch),
            lingers: manager.scope == .user ? await Lingering.isOn(user: getuid(), bus: systemBus) : nil)
    }
}

extension SyncUnits {
    /// What the user is shown.
    ///
    /// - Parameters:
    ///   - user: the login name of the user manager's owner.
    ///   - hasUdevRule: whether systemd is notified of an adapter. Without the rule, as after an installation for one user, it is not.
    func schedule(user: String, hasUdevRule: Bool) -> SyncSchedule {
        var adapter = SyncSchedule.Trigger(service)
        adapter.isEnabled = adapter.isEnabled && hasUdevRule
        let run = service.lastExit.map {
            SyncSchedule.Run(end: Timestamp($0), exitCode: service.exitStatus, result: service.lastResult ?? "no result")
        }
        return SyncSchedule(
            owner: scope == .user ? .user(user, lingers: lingers) : .machine, night: SyncSchedule.Trigger(night),
            midnight: SyncSchedule.Trigger(midnight), adapter: adapter, watch: SyncSchedule.Trigger(watch), lastRun: run)
    }

    /// What a checkup examines.
    var timerFacts: TimerFacts {
        TimerFacts(
            unit: night.name, isSystemWide: scope == .system, isInstalled: night.isInstalled, isEnabled: night.isEnabled,
            isActive: night.isActive, lastRun: night.lastTrigger.map { Timestamp($0) }, nextRun: night.nextElapse.map { Timestamp($0) },
            lastResult: Self.result(of: service), isWatchEnabled: watch.isEnabled, isWatchActive: watch.isActive,
            isMidnightEnabled: midnight.isEnabled, isMidnightActive: midnight.isActive, midnightResult: Self.result(of: midnightService),
            lingers: lingers)
    }

    private static func result(of service: UnitState) -> String? {
        guard let result = service.lastResult, result == "exit-code", let status = service.exitStatus else { return service.lastResult }
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
