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
    /// What reads files of other programs, and leaves those of the history alone.
    var foreignFiles: ForeignFiles {
        ForeignFiles(inUse: [databasePath] + StepDatabase.companions(ofDatabase: databasePath))
    }

    func previewWithoutHistory(_ history: ForeignHistory, of user: User) throws(HistoryError) -> ImportChanges {
        try StepDatabase.previewWithoutHistory(history, of: user, at: now())
    }

    /// - Parameter leavesOutImpossible: as in `ForeignOptions`.
    func previewRestoring(leavesOutImpossible: Bool) -> @Sendable (any ExportedHistory) throws -> ExportCounts {
        let limits = exportLimits(leavesOutImpossible)
        return { try StepDatabase.previewRestoring($0, limits) }
    }

    private func exportLimits(_ leavesOutImpossible: Bool) -> ExportLimits {
        ExportLimits(
            now: now(), models: PedometerRegistry.models.map { $0.key }, formats: importing.formats.map(\.key),
            leavesOutImpossible: leavesOutImpossible)
    }

    /// Makes the history of an export. The lock's file needs the directory.
    func restoring(leavesOutImpossible: Bool) throws -> @Sendable (any ExportedHistory) throws -> ExportCounts {
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
        var present: EditableHistory?
        do {
            present = try historyIfPresent()
        } catch HistoryError.empty {
            // Left by a restore that was killed before it had stored anything.
        }
        return try SharedRestore({ try destinations() }, replacing: present, at: databasePath)
    }

    /// Whose days are restored; nil for the only user.
    var userToRestore: String? { settings.user?.value }

    /// - Parameter user: the name of the one for whom the import is; nil for `owner`.
    /// - Throws: `ImportError.noZone`.
    func foreignOptions(
        format: String?, zone: String?, columns: [String: String], leavesOutImpossible: Bool, user: String? = nil,
        fromUser: String?
    ) throws(ImportError) -> ForeignOptions {
        var (localTime, knowledge) = (localTime, ZoneKnowledge.machine(TimeZoneName.current(environment)))
        if let zone {
            guard let found = TimeZone(identifier: zone) else { throw .noZone(zone) }
            (localTime, knowledge) = (.zone(found), .named(zone))
        }
        return ForeignOptions(
            format: format, localTime: localTime, zone: knowledge, columns: columns,
            leavesOutImpossible: leavesOutImpossible, user: user ?? owner, fromUser: fromUser,
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

    // MARK: Imports of the configuration

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
        let (plans, faulty) = Self.scheduledImports(settings.imports, environment)
        let failures = faulty.map { ScheduledImportFailure(name: $0.name, $0.problems) }
        return {
            await ScheduledImports.run(plans, failures: failures) {
                ScheduledImports(
                    plans, foreignFiles, into: try history(for: .updating), lock: lock,
                    options: { plan in
                        try foreignOptions(
                            format: plan.format, zone: plan.zone, columns: plan.columns, leavesOutImpossible: false,
                            user: plan.user, fromUser: plan.fromUser)
                    }, words: { ErrorText($0).message }, now: now)
            }
        }
    }
}
