import CIdle
import Desktop
import Foundation
import Pedometers
import Settings
import StepDomain
import StepServices
import StepViews
import Systemd

/// What a sync and a watch work with.
extension Wiring {
    /// What a watch with these options works with.
    func watching(_ options: WatchOptions) -> WatchContext {
        var wiring = self
        wiring.clock = TimerClock()
        let console = ConsoleWatchOutput(wiring, isUnattended: options.isUnattended)
        return WatchContext(
            histories: wiring.histories, services: { [wiring] in wiring.reread().services($0) },
            scanner: ReconnectingScanner(wiring.bluetooth()), reader: wiring.bluetooth(),
            supervisor: ServiceNotifier(environment: environment), output: console,
            reporter: { [wiring] in wiring.reread().unattendedReporter($0) }, releaseMemory: { release_free_memory() },
            reloadTimeZone: { LocalTime.reloadSystemZone() }, localTime: localTime, now: now, clock: wiring.clock)
    }

    func unattendedReporter(_ context: ServiceContext) -> UnattendedReporter {
        var desktop: DesktopNotifications?
        if settings.notifications.value, let bus = sessionBus {
            desktop = DesktopNotifications(
                context.history, notifier: SessionNotifier(bus),
                wording: NotificationWords(now: now, localTime: localTime), now: now)
        }
        return UnattendedReporter(context, output: ConsoleUnattendedOutput(wiring: self), desktop: desktop)
    }

    /// Runs `body` on automatic sync by systemd, of this user or of the machine.
    ///
    /// - Throws: `ServiceError.noServiceManager` on a machine without systemd; `SystemdError`, and what `body` throws.
    static func withScheduler<R>(isSystemWide: Bool, _ body: (any Scheduler) async throws -> R) async throws -> R {
        let environment = ProcessEnvironment.current, systemBus = Self.systemBus(environment)
        do {
            return try await AutomaticSync.with(
                isSystemWide ? .system : .user, on: isSystemWide ? systemBus : AutomaticSync.userBus(environment),
                environment: environment, systemBus: systemBus
            ) { try await body($0) }
        } catch SystemdError.noManager where !AutomaticSync.hasSystemd {
            throw ServiceError.noServiceManager
        }
    }
}
