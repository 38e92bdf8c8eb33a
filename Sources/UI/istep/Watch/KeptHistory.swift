import Foundation
import StepDatabase

/// The history, kept open for as long as its file is the same: one that was moved, put back from a copy or begun anew is opened again.
///
/// Opening costs little, closing more: it begins work on the queues that wake a process each second for ever (see
/// `run_tasks_unwatched`).
struct KeptHistory {
    private struct File: Equatable {
        let device: dev_t
        let number: ino_t

        /// Nil where there is none.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    private var kept: (file: File, history: SharingRun.History)?

    /// - Throws: `HistoryError.missing` where there is none.
    mutating func history(of wiring: Wiring) throws(HistoryError) -> SharingRun.History {
        if let kept, kept.file == File(wiring.databasePath) { return kept.history }
        kept = nil
        let history = try wiring.history(for: .updating)
        kept = File(wiring.databasePath).map { ($0, history) }
        return history
    }
}
