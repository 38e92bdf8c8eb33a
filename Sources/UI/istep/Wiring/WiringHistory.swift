import ForeignHistories
import Foundation
import Pedometers
import Settings
import StepDatabase
import StepDomain
import StepServices
import StepViews

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

    /// Whether there is a history.
    ///
    /// - Throws: why it cannot be read.
    func hasHistory() throws(HistoryError) -> Bool {
        do {
            _ = try history(for: .reading)
            return true
        } catch .missing {
            return false
        }
    }

    /// Whether there is no history yet where istep keeps it by default: nothing is known then. For one that was named
    /// this is an error: the name may be wrong, or a disk not mounted.
    ///
    /// - Throws: why the history cannot be read.
    func isBeforeHistory() throws(HistoryError) -> Bool {
        settings.database.source == .standard ? try !hasHistory() : false
    }

    /// A day of a user as it is shown.
    ///
    /// - Parameter isChanged: whether the user has just changed it.
    /// - Throws: the history's error.
    func dayView(of user: User, on day: Day, in history: History, isChanged: Bool = false) throws -> DayView {
        let now = now()
        let summary = try StepStatistics(history, localTime: localTime, now: { now }).summary(of: user, on: day)
        return DayView(
            summary, today: localTime.day(of: now), now: now, localTime: localTime,
            historyBegins: summary.steps == nil ? try history.firstKnownDay(of: user.id) : nil,
            hasPedometers: try summary.lastSync != nil || !history.pedometers(of: user.id).isEmpty,
            unsent: try OutboxService(services(history)).destinationsToCorrect(day, of: user), isChanged: isChanged)
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

    var importing: Importing { Importing(ForeignFiles(), change) }

    func deleting(_ history: EditableHistory) -> Deleting { Deleting(history, change) }

    func moving(_ history: EditableHistory) -> Moving { Moving(history, change) }

    func replaying(_ history: EditableHistory) -> Replaying { Replaying(history, FrameReplay(), change) }

    func users(_ history: EditableHistory) -> Users {
        Users(history, destinations: { try destinations() }, localTime: localTime, now: now)
    }

    func exportDatabase(_ path: String) throws(HistoryError) -> any ExportWriter { try ExportDatabase(path) }
}
