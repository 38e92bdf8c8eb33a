import Pedometers
import StepDatabase
import StepDomain
import StepServices

/// What `istep replay` works with.
extension Wiring {
    /// - Throws: `HistoryError.missing` if there is no history.
    func replayStore() throws(HistoryError) -> any StepHistory & ReplayStore {
        try StepDatabase.existing(databasePath, backups: backups)
    }

    func replaying(_ store: any ReplayStore) -> Replaying {
        Replaying(
            store, FrameReplay(),
            backups: HistoryFileBackups(path: databasePath, backups: backups, now: now, localTime: localTime),
            lock: HistoryLock(path: databasePath), localTime: localTime, now: now)
    }
}
