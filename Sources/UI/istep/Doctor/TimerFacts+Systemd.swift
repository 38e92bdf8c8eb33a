import Foundation
import StepDomain
import Systemd

extension TimerFacts {
    /// The nightly timers that are switched on, of the user and of the machine; where none is, the one that could be.
    ///
    /// - Returns: nil where there is no systemd.
    /// - Throws: `SystemdError`.
    static func all(_ environment: [String: String]) async throws -> [TimerFacts]? {
        var found: [TimerFacts] = []
        for scope in [UnitScope.user, .system] {
            do {
                found.append(try await facts(scope, environment))
            } catch SystemdError.noManager {
                continue
            }
        }
        let wanted = found.filter { $0.isEnabled || $0.isActive || $0.isWatchEnabled || $0.isWatchActive }
        if !wanted.isEmpty { return wanted }
        return (found.first(where: \.isInstalled) ?? found.first).map { [$0] }
    }

    private static func facts(_ scope: UnitScope, _ environment: [String: String]) async throws -> TimerFacts {
        try await Wiring.$environment.withValue(environment) {
            try await AutomaticSync.with(scope) { automatic in
                let timer = try await automatic.manager.state(of: AutomaticSync.nightTimer)
                let service = try await automatic.manager.state(of: AutomaticSync.service)
                let watch = try await automatic.manager.state(of: AutomaticSync.watch)
                let midnight = try await automatic.manager.state(of: AutomaticSync.midnightTimer)
                let counting = try await automatic.manager.state(of: AutomaticSync.midnightService)
                return TimerFacts(
                    unit: timer.name, isSystemWide: scope == .system, isInstalled: timer.isInstalled, isEnabled: timer.isEnabled,
                    isActive: timer.isActive, lastRun: timer.lastTrigger.map { Timestamp($0) },
                    nextRun: timer.nextElapse.map { Timestamp($0) }, lastResult: ending(of: service),
                    isWatchEnabled: watch.isEnabled, isWatchActive: watch.isActive, isMidnightEnabled: midnight.isEnabled,
                    isMidnightActive: midnight.isActive, midnightResult: ending(of: counting),
                    lingers: scope == .user ? await Lingering.isOn(user: getuid(), bus: Wiring.systemBus(environment)) : nil)
            }
        }
    }

    private static func ending(of service: UnitState) -> String? {
        guard let result = service.lastResult, result == "exit-code", let status = service.exitStatus else { return service.lastResult }
        return "\(result) \(status)"
    }
}
