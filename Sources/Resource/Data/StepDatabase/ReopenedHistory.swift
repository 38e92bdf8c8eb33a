public import StepDomain
import Synchronization

/// The history, kept open as long as its file is the same. If the file was moved, restored from a copy, created anew or
/// migrated by a newer istep, it is opened again.
///
/// For a process that runs for long: opening costs little, closing more. Closing starts work on libdispatch's global
/// queue, which wakes the process every second from then on.
public final class ReopenedHistory: HistorySource {
    private let path: String
    private let backups: AutomaticBackups?
    private let isReadOnly: Bool
    private let open = Mutex<StepDatabase?>(nil)

    /// - Parameters:
    ///   - path: the path of the history, which is opened when it is first needed.
    ///   - backups: where a history of an older version is copied before its migration.
    ///   - isReadOnly: whether it is only read.
    public init(path: String, backups: AutomaticBackups?, isReadOnly: Bool = false) {
        self.path = path
        self.backups = backups
        self.isReadOnly = isReadOnly
    }

    /// - Throws: `HistoryError.missing` if there is no history. It does not create one.
    public func history() throws -> History {
        if let open = openInPlace { return open }
        // Without the lock: opening can wait for another program. Of two tasks that open it at the same time, both use
        // the first handle.
        let history =
            isReadOnly
            ? try StepDatabase(path: path, for: .reading, backups: backups, isUsedByTasks: true)
            : try StepDatabase.existing(path, backups: backups)
        let (current, _) = open.withLock { open -> (StepDatabase, replaced: StepDatabase?) in
            if let open, open.isUsable { return (open, nil) }
            let replaced = open
            open = history
            return (history, replaced)
        }
        return current
    }

    /// The open history, if it can still be used.
    ///
    /// Here and in `history`, the lock hands out the handle that it gives up: the last reference closes the file, which
    /// can take long.
    private var openInPlace: StepDatabase? {
        let (current, _) = open.withLock { open -> (StepDatabase?, replaced: StepDatabase?) in
            guard let known = open, !known.isUsable else { return (open, nil) }
            open = nil
            return (nil, known)
        }
        return current
    }

    public func isMissing(_ error: any Error) -> Bool {
        if case HistoryError.missing = error { true } else { false }
    }
}
