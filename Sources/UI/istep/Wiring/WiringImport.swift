import Support
import Foundation
import ForeignHistories
import Pedometers
import Settings
import StepDatabase
import StepDomain
import StepServices
import StepViews
import Systemd

/// What `istep import` and `istep imports` work with.
extension Wiring {
    func previewWithoutHistory(_ history: ForeignHistory, of user: User) throws(HistoryError) -> ImportChanges {
        try StepDatabase.previewWithoutHistory(history, of: user, at: now())
    }

    /// - Parameter leavesOutImpossible: as in `ForeignOptions`.
    func previewRestoring(
        leavesOutImpossible: Bool = false
    ) -> @Sendable (any ExportedHistory) throws -> ExportCounts {
        let limits = exportLimits(leavesOutImpossible)
        return { try StepDatabase.previewRestoring($0, limits) }
    }

    private func exportLimits(_ leavesOutImpossible: Bool) -> ExportLimits {
        ExportLimits(
            now: now(), models: PedometerRegistry.models.map { $0.key }, formats: importing.formats.map(\.key),
            leavesOutImpossible: leavesOutImpossible)
    }

    /// Makes the history of an export. The lock's file needs the directory.
    func restoring(
        leavesOutImpossible: Bool = false
    ) throws -> @Sendable (any ExportedHistory) throws -> ExportCounts {
        try StepDatabase.prepareDirectory(of: databasePath)
        return { [databasePath, backups, limits = exportLimits(leavesOutImpossible)] export in
            try StepDatabase(path: databasePath, for: .writing, backups: backups, isUsedByTasks: true).restore(
                export, limits)
        }
    }

    /// What the destinations have, to build a history from it.
    ///
    /// - Throws: `SettingsProblems`; `ServiceError.historyInUse` if there is a history with users.
    func sharedRestore() throws -> SharedRestore {
        do {
            if try hasHistory(), try !history(for: .reading).users().isEmpty {
                throw ServiceError.historyInUse(databasePath)
            }
        } catch HistoryError.empty {
            // Left by a restore that was killed before it had stored anything.
        }
        return SharedRestore(try destinations())
    }

    /// Whose days are restored; nil for the only user.
    var userToRestore: String? { settings.user?.value }

    /// - Throws: `ImportError.noZone`.
    func foreignOptions(
        format: String?, zone: String?, columns: [String: String], leavesOutImpossible: Bool, fromUser: String?
    ) throws(ImportError) -> ForeignOptions {
        var (localTime, knowledge) = (localTime, ZoneKnowledge.machine(TimeZoneName.current(environment)))
        if let zone {
            guard let found = TimeZone(identifier: zone) else { throw .noZone(zone) }
            (localTime, knowledge) = (.zone(found), .named(zone))
        }
        return ForeignOptions(
            format: format, localTime: localTime, zone: knowledge, columns: columns,
            leavesOutImpossible: leavesOutImpossible, user: owner, fromUser: fromUser,
            historyVersion: StepDatabase.schemaVersion, now: now())
    }

    /// The name of the one for whom an import is: of the options, the configuration, the only user here, or the login.
    private var owner: String {
        let here = try? user(in: history(for: .reading))
        return here?.name ?? firstUser.name
    }

    /// Writes a database as a phone would export it, for the demo.
    static func writeExport(_ samples: [StepSample], of device: String, to path: String) throws {
        try GadgetbridgeExample.write(samples, of: device, to: path)
    }
}

/// The imports of the configuration.
extension Wiring {
    /// Those that can be read, and what is wrong with the others.
    static func scheduledImports(_ tables: [SettingsTable], _ environment: [String: String]) -> (
        plans: [ScheduledImport], faulty: [(name: String, problems: SettingsProblems)]
    ) {
        let home = Paths(environment: environment).home, formats = ForeignFiles().formats.map(\.key)
        var (plans, faulty): ([ScheduledImport], [(name: String, problems: SettingsProblems)]) = ([], [])
        for table in tables {
            do throws(SettingsProblems) {
                plans.append(try ScheduledImport(table, home: home, formats: formats))
            } catch {
                faulty.append((table.name, error))
            }
        }
        return (plans, faulty)
    }

    /// - Throws: the history's error.
    func importStatuses() throws -> [ScheduledImportStatus] {
        if settings.imports.isEmpty { return [] }
        return ScheduledImportStatus.all(
            Self.scheduledImports(settings.imports, environment).plans,
            try history(for: .reading).scheduledImports(), now: now())
    }

    /// The name of an import of the nightly sync that cannot be stored, because there is no history; nil if there is
    /// one, or nothing to import.
    func importWithoutHistory() throws -> String? {
        guard let first = settings.imports.first, try !hasHistory() else { return nil }
        return first.name
    }

    /// What the nightly sync does for them; nil if there are none.
    var scheduledImports: (@Sendable () async -> [ScheduledImportReport])? {
        if settings.imports.isEmpty { return nil }
        return { await runScheduledImports() }
    }

    private func runScheduledImports() async -> [ScheduledImportReport] {
        let (plans, faulty) = Self.scheduledImports(settings.imports, environment)
        func failed(_ name: String, _ cause: any Error) -> ScheduledImportReport {
            ScheduledImportReport(name: name, outcome: .failed(ScheduledImportFailure(name: name, cause)))
        }
        let reports = faulty.map { failed($0.name, $0.problems) }
        do {
            let store = try await blocking { try history(for: .updating) }
            let imports = ScheduledImports(
                plans, ForeignFiles(), into: store, lock: HistoryLock(path: databasePath),
                options: { plan in
                    var options = try foreignOptions(
                        format: plan.format, zone: plan.zone, columns: [:], leavesOutImpossible: false,
                        fromUser: plan.fromUser)
                    options.user = plan.user ?? options.user
                    return options
                }, words: { ErrorText($0).message }, now: now)
            return reports + (await imports.run())
        } catch {
            return reports + plans.map { failed($0.name, error) }
        }
    }
}
