import DBus
import Foundation
import StepDomain
import StepViews
import Systemd

/// The units that let istep sync by itself.
struct AutomaticSync {
    /// Every night.
    static let nightTimer = "istep-sync.timer"
    /// Before midnight, for what keeps only today's count.
    static let midnightTimer = "istep-midnight.timer"
    static let midnightService = "istep-midnight.service"
    /// What the night's timer runs; by itself it is started when an adapter is plugged in.
    static let service = "istep-sync.service"
    /// Stays and watches.
    static let watch = "istep-watch.service"

    let manager: ServiceManager
    private let environment: [String: String]

    /// - Throws: `SystemdError`.
    static func with<R>(_ scope: UnitScope, _ body: (AutomaticSync) async throws -> R) async throws -> R {
        let environment = Wiring.environment
        let address = scope == .user ? sessionBus(environment) : Wiring.systemBus(environment)
        let manager = try await ServiceManager.open(scope, on: address)
        do {
            let result = try await body(AutomaticSync(manager: manager, environment: environment))
            await manager.close()
            return result
        } catch {
            await manager.close()
            throw error
        }
    }

    /// On a machine that something else has started, no bus brings systemd back (sd_booted(3)).
    static var hasSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// Where udev's rule may be installed, by the package or from a checkout.
    private static let rules = ["/usr/lib", "/lib", "/usr/local/lib", "/etc"].map { $0 + "/udev/rules.d/60-istep.rules" }

    /// The user's own bus; where a shell of `su` or `ssh` does not name it, the place where systemd puts it.
    static func sessionBus(_ environment: [String: String]) -> DBusAddress {
        DBusAddress.session(in: environment) ?? .address("unix:path=/run/user/\(getuid())/bus")
    }

    /// What was switched on before and is not asked for now is switched off.
    func switchOn(watching: Bool) async throws {
        if !watching { try await manager.disable([Self.watch], stopping: [Self.watch]) }
        var units = [Self.nightTimer, Self.midnightTimer, Self.service]
        var running = [Self.nightTimer, Self.midnightTimer]
        if watching {
            units.append(Self.watch)
            running.append(Self.watch)
        }
        try await manager.enable(units, starting: running)
    }

    /// A sync that runs just now comes to its end.
    func switchOff() async throws {
        try await manager.disable(
            [Self.nightTimer, Self.midnightTimer, Self.service, Self.watch],
            stopping: [Self.nightTimer, Self.midnightTimer, Self.watch])
    }

    /// - Throws: `SystemdError.notInstalled` where the timer is not there.
    func view() async throws -> AutoView {
        let night = try await manager.state(of: Self.nightTimer)
        guard night.isInstalled else { throw SystemdError.notInstalled(unit: Self.nightTimer, manager.scope) }
        let service = try await manager.state(of: Self.service)
        let run = service.lastExit.map {
            AutoView.Run(end: Timestamp($0), exitCode: service.exitStatus, result: service.lastResult ?? "no result")
        }
        var adapter = AutoView.Trigger(service)
        // Without its rule, as after an installation for one user, nothing tells systemd.
        adapter.isEnabled = adapter.isEnabled && Self.rules.contains { access($0, F_OK) == 0 }
        let state = AutoView.State(
            owner: await owner(), night: AutoView.Trigger(night),
            midnight: AutoView.Trigger(try await manager.state(of: Self.midnightTimer)), adapter: adapter,
            watch: AutoView.Trigger(try await manager.state(of: Self.watch)), lastRun: run)
        return AutoView(state, now: Timestamp(Int(Date().timeIntervalSince1970)), localTime: .system)
    }

    private func owner() async -> AutoView.Owner {
        guard manager.scope == .user else { return .machine }
        let name = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? environment["USER"] ?? "you"
        return .user(name, lingers: await Lingering.isOn(user: getuid(), bus: Wiring.systemBus(environment)))
    }
}

extension AutoView.Trigger {
    init(_ unit: UnitState) {
        self.init(
            isEnabled: unit.isEnabled, isActive: unit.isActive, last: unit.lastTrigger.map { Timestamp($0) },
            next: unit.nextElapse.map { Timestamp($0) })
    }
}
