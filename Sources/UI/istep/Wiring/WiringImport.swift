import Foundation
import ForeignHistories
import Settings
import StepDatabase
import StepDomain
import StepServices
import Systemd

/// What `istep import` and `istep imports` work with.
extension Wiring {
    var importing: Importing {
        Importing(
            ForeignFiles(),
            backups: HistoryFileBackups(path: databasePath, backups: backups, now: now, localTime: localTime),
            lock: HistoryLock(path: databasePath), now: now)
    }

    /// - Throws: `HistoryError.missing` if there is no history and `use` does not create one.
    func importStore(for use: HistoryUse) throws(HistoryError) -> any StepHistory & ImportStore {
        if use == .updating { return try StepDatabase.existing(databasePath, backups: backups) }
        return try StepDatabase(
            path: databasePath, for: use == .reading ? .reading : .writing, backups: backups, isUsedByTasks: true)
    }

    func previewWithoutHistory(_ history: ForeignHistory, of user: User) throws(HistoryError) -> ImportChanges {
        try StepDatabase.previewWithoutHistory(history, of: user, at: now())
    }

    /// The user of a history that does not exist yet.
    var nameOfNewUser: String { settings.user?.value ?? environment["USER"] ?? environment["LOGNAME"] ?? "me" }

    /// - Throws: `ImportError.noZone`.
    func foreignOptions(
        format: String?, zone: String?, columns: [String: String], leavesOutImpossible: Bool
    ) throws(ImportError) -> ForeignOptions {
        var (localTime, knowledge) = (localTime, ZoneKnowledge.machine(TimeZoneName.current(environment)))
        if let zone {
            guard let found = TimeZone(identifier: zone) else { throw .noZone(zone) }
            (localTime, knowledge) = (.zone(found), .named(zone))
        }
        return ForeignOptions(
            format: format, localTime: localTime, zone: knowledge, columns: columns,
            leavesOutImpossible: leavesOutImpossible, now: now())
    }

    /// Writes a database as a phone would export it, for the demo.
    static func writeExport(_ samples: [StepSample], of device: String, to path: String) throws {
        try GadgetbridgeExample.write(samples, of: device, to: path)
    }
}
