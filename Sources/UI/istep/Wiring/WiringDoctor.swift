import BlueZ
import DBus
import Foundation
import Pedometers
import Settings
import StepDatabase
import StepDomain
import StepServices
import StepViews
import Systemd

/// What a checkup works with. It needs no valid configuration, so it is not made from a `Wiring`.
extension Wiring {
    /// - Throws: `SettingsError` for an error in the command line, which is not a fault of the machine.
    static func doctor(_ common: CommonOptions, _ bluetooth: BluetoothOptions, usesRadio: Bool, usesNetwork: Bool) throws -> Doctor {
        let environment = environment
        let check = Settings.check(flags: flags(common, bluetooth), environment: environment)
        if let error = check.problems.first(where: { $0.category == .usage }) { throw error }
        let (destinations, errors) = destinations(from: check.destinations, environment)
        var request = CheckupRequest(
            configurationFiles: check.files, configurationProblems: (check.problems + errors).map(\.description),
            destinations: destinations, destinationsOfService: destinationsOfService(check.destinations, environment),
            usesRadio: usesRadio, usesNetwork: usesNetwork)
        if let timeout = check.readable?.timeout, timeout.source != .standard { request.searchTime = timeout.value }
        if let user = check.readable?.user, case .flag = user.source { request.user = user.value }

        let bus = systemBus(environment)
        let machine = machine(on: bus)
        let now: @Sendable () -> Timestamp = { Timestamp(Int(Date().timeIntervalSince1970)) }
        return Doctor(
            request,
            bluetooth: BlueZProbe(
                adapter: check.readable?.adapter?.value, machine: machine, localTime: .system, now: now,
                central: { try await Central.open(bus, machine: machine) }),
            system: SystemdProbe(
                environment: environment, systemBus: bus, sessionBus: AutomaticSync.userBus(environment), now: now,
                file: { StorageFacts.Entry(path: $0) }),
            history: (check.readable?.database.value).map { HistoryFileProbe(path: $0) }, now: now)
    }

    /// The destinations with a secret that systemd gives to services, where this process is not one.
    private static func destinationsOfService(_ tables: [SettingsTable], _ environment: [String: String]) -> Set<String> {
        guard environment["CREDENTIALS_DIRECTORY"] == nil else { return [] }
        return Set(tables.filter { $0.keys.contains { $0.hasSuffix("_credential") } }.map(\.name))
    }
}
