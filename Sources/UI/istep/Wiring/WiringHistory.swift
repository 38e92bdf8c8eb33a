import ForeignHistories
import Foundation
import Pedometers
import Settings
import StepDatabase
import StepDomain
import StepServices

/// The history, and what changes it.
extension Wiring {
    /// What a command does with the history.
    enum HistoryUse { case reading, updating, creating }

    /// - Throws: `HistoryError.missing` if there is no history and `use` does not create one.
    func history(for use: HistoryUse) throws(HistoryError) -> EditableHistory {
        if use == .updating { return try StepDatabase.existing(databasePath, backups: backups) }
        let isNew = use == .creating && !FileManager.default.fileExists(atPath: databasePath)
        let history = try StepDatabase(
            path: databasePath, for: use == .reading ? .reading : .writing, backups: backups, isUsedByTasks: true)
        // Otherwise a command that was meant for another history, such as a demo's, would begin one unnoticed.
        if isNew, !isInDemo, !options.isQuiet { noteNewHistory() }
        return history
    }

    /// The history for a process that runs for long.
    var histories: ReopenedHistory { ReopenedHistory(path: databasePath, backups: backups) }

    /// The same for a process that only reads it.
    var readHistories: any HistorySource {
        ReopenedHistory(path: databasePath, backups: backups, isReadOnly: true)
    }

    /// The history for reading; nil if there is none.
    ///
    /// - Throws: why it cannot be read.
    func historyIfPresent() throws(HistoryError) -> EditableHistory? {
        do {
            return try history(for: .reading)
        } catch .missing {
            return nil
        }
    }

    /// - Throws: why the history cannot be read.
    func hasHistory() throws(HistoryError) -> Bool { try historyIfPresent() != nil }

    /// Whether there is no history yet where istep keeps it by default: nothing is known then. For one that was named
    /// this is an error: the name may be wrong, or a disk not mounted.
    ///
    /// - Throws: why the history cannot be read.
    func isBeforeHistory() throws(HistoryError) -> Bool {
        settings.database.source == .standard ? try !hasHistory() : false
    }

    /// The backups that istep makes by itself.
    var backups: AutomaticBackups {
        AutomaticBackups(BackupSchedule(count: settings.backups.value), now: now, localTime: localTime)
    }

    var lock: HistoryLock { HistoryLock(path: databasePath) }

    private var historyFile: HistoryFileBackups {
        HistoryFileBackups(path: databasePath, backups: backups, now: now, localTime: localTime)
    }

    var backupService: BackupService { BackupService(historyFile, lock: lock) }

    // MARK: Changes of the history

    private var change: GuardedChange {
        GuardedChange(historyFile, lock: lock, destinations: { try destinations() }, localTime: localTime, now: now)
    }

    var importing: Importing { Importing(foreignFiles, change) }

    func deleting(_ history: EditableHistory) -> Deleting { Deleting(history, change) }

    func moving(_ history: EditableHistory) -> Moving { Moving(history, change) }

    func replaying(_ history: EditableHistory) -> Replaying { Replaying(history, FrameReplay(), change) }

    func users(_ history: EditableHistory) -> Users {
        // Of the command line, the next command has another one.
        let configured: String? = if case .flag(_)? = settings.user?.source { nil } else { settings.user?.value }
        return Users(
            history, destinations: { try destinations() }, configured: configured,
            imports: Self.scheduledImports(settings.imports, environment).plans, localTime: localTime, now: now)
    }

    func exportDatabase(_ path: String) throws(HistoryError) -> any ExportWriter { try ExportDatabase(path) }
}
