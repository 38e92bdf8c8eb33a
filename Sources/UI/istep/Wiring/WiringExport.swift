import StepDatabase
import StepDomain
import StepServices

/// What `istep export` works with.
extension Wiring {
    /// - Throws: `HistoryError.missing` if there is no history.
    func exportedHistory() throws(HistoryError) -> any StepHistory & HistoryExport {
        try StepDatabase(path: databasePath, for: .reading, backups: backups, isUsedByTasks: true)
    }

    func exportDatabase(_ path: String) throws(HistoryError) -> any ExportWriter { try ExportDatabase(path) }
}
