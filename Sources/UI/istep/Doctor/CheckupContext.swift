import BlueZ
import Settings
import StepDatabase
import StepDomain
import Synchronization

/// What the checks of one checkup look with, and what those before have found out for those after.
final class CheckupContext: Sendable {
    /// What is not to be touched.
    struct Spared: Sendable {
        var radio = false
        var network = false
    }

    let configuration: SettingsCheck
    let instruments: Instruments
    let environment: [String: String]
    let spared: Spared
    let destinations: [any ShareDestination]
    /// What is wrong with those that are not among them.
    let destinationErrors: [SettingsError]
    private let known = Mutex(Known())

    private struct Known {
        var central: Central?
        var history: SharingRun.History?
        /// Nil while nobody knows which there are.
        var pedometers: [Pedometer]?
        var heard: [DeviceAddress: Discovery]?
    }

    init(_ configuration: SettingsCheck, _ instruments: Instruments, environment: [String: String], spared: Spared = Spared()) {
        self.configuration = configuration
        self.instruments = instruments
        self.environment = environment
        self.spared = spared
        (destinations, destinationErrors) = Wiring.destinations(from: configuration.destinations, environment)
    }

    var adapter: String? { configuration.readable?.adapter?.value }
    /// Nil where nothing says where the history is.
    var database: String? { configuration.readable?.database.value }

    /// Seconds to listen for.
    var searchTime: Double {
        guard let timeout = configuration.readable?.timeout, timeout.source != .standard else { return 10 }
        return timeout.value
    }

    /// Whether a destination's secret is one that systemd gives to a service, and this is none: then nobody can tell from here.
    func isOfService(_ destination: String) -> Bool {
        guard environment["CREDENTIALS_DIRECTORY"] == nil else { return false }
        return configuration.destinations.contains { $0.name == destination && $0.keys.contains { $0.hasSuffix("_credential") } }
    }

    // MARK: What was found out

    var central: Central? { known.withLock(\.central) }
    /// Once it is known to be sound.
    var history: SharingRun.History? { known.withLock(\.history) }
    /// Nil where the history does not tell.
    var pedometers: [Pedometer]? { known.withLock(\.pedometers) }
    /// What the scan heard; nil where there was none.
    var heard: [DeviceAddress: Discovery]? { known.withLock(\.heard) }

    func keep(_ central: Central) { known.withLock { $0.central = central } }

    func keep(_ history: SharingRun.History) throws {
        // With --user, the others' are left alone.
        let wanted: User.ID?
        if let user = configuration.readable?.user, case .flag = user.source {
            let users = try history.users()
            guard let found = users.first(where: { $0.name.lowercased() == user.value.lowercased() }) else {
                throw CommandFailure(
                    .usage, "There is no user '\(user.value)'; known are: \(users.map(\.name).joined(separator: ", ")).",
                    advice: "Name one of those, or leave --user out.")
            }
            wanted = found.id
        } else {
            wanted = nil
        }
        let pedometers = try history.pedometers().filter { wanted == nil || $0.user == wanted }
        known.withLock { ($0.history, $0.pedometers) = (history, pedometers) }
    }

    /// There is no history yet, and so no pedometer.
    func keepNoHistory() { known.withLock { $0.pedometers = [] } }

    func keep(_ heard: [DeviceAddress: Discovery]) { known.withLock { $0.heard = heard } }

    func close() async { await central?.close() }
}
