import Foundation
import HTTP
import Settings
import Sharing
import StepDatabase
import StepDomain

extension Wiring {
    /// The destinations that the configuration describes and does not switch off.
    ///
    /// - Throws: `SettingsProblems` with all that is wrong with any of them.
    func destinations() throws(SettingsProblems) -> [any ShareDestination] {
        let (destinations, errors) = Self.destinations(from: settings.destinations, environment)
        if let problems = SettingsProblems(errors) { throw problems }
        return destinations
    }

    static func destinations(
        from tables: [SettingsTable], _ environment: [String: String]
    ) -> ([any ShareDestination], [SettingsError]) {
        let surroundings = Surroundings(
            environment: environment, home: Paths(environment: environment).home, systemBus: systemBus(environment),
            transport: { CurlTransport(userAgent: "istep/\(Version.current)") })
        var destinations: [any ShareDestination] = []
        var errors: [SettingsError] = []
        for table in tables {
            do throws(SettingsProblems) {
                if let destination = try DestinationRegistry.destination(from: table, in: surroundings) { destinations.append(destination) }
            } catch {
                errors += error.errors
            }
        }
        return (destinations, errors)
    }

    /// What `istep config check` finds; the secrets that destinations name are looked at too, and not kept.
    static func checkConfiguration(_ common: CommonOptions) -> (files: [String], destinations: [String], problems: [String]) {
        let check = Settings.check(flags: flags(common), environment: environment)
        let (destinations, errors) = destinations(from: check.destinations, environment)
        var problems = (check.problems + errors).map(\.description)
        // Without a history there is nobody yet whose days could go anywhere.
        let users = check.settings.flatMap { try? StepDatabase(path: $0.database.value, for: .reading).users() } ?? []
        for destination in destinations {
            if !users.isEmpty, let problem = SharingRun.problem(with: destination, users) { problems.append("[share.\(destination.name)] \(problem)") }
            for problem in destination.problems() { problems.append("[share.\(destination.name)]: \(problem)") }
        }
        return (check.files, destinations.map(\.name), problems)
    }
}
