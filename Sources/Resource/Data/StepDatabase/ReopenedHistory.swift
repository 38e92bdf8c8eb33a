public import StepDomain
internal import Synchronization

/// The history, kept open as long as its file is the same. If the file was moved, restored from a copy or created anew, it is opened again.
///
/// For a process that runs for long: opening costs little, closing more. Closing starts work on libdispatch's global queue, which wakes the
/// process every second from then on.
public final class ReopenedHistory: HistorySource {
    private let path: String
    private let backups: AutomaticBackups?
    private let open = Mutex<(file: FileIdentity, history: StepDatabase)?>(nil)

    /// - Parameters:
    ///   - path: of the history, which is opened when it is first needed.
    ///   - backups: where a history of an older version is copied before its migration.
    public init(path: String, backups: AutomaticBackups?) {
        self.path = path
        self.backups = backups
    }

    /// - Throws: `HistoryError.missing` if there is no history. It does not create one.
    public func history() throws -> any StepHistory & ShareLedger & NoticeStore {
        // The lock is held while the file is opened: two tasks must not open it twice.
        try open.withLock { open in
            let file = FileIdentity(path)
            if let open, open.file == file { return open.history }
            open = nil
            let history = try StepDatabase.existing(path, backups: backups)
            open = FileIdentity(path).map { ($0, history) }
            return history
        }
    }

    public func isMissing(_ error: any Error) -> Bool {
        if case HistoryError.missing = error { true } else { false }
    }
}

extension StepDatabase {
    /// Opens an existing history for writing.
    ///
    /// - Throws: `missing` if there is none: opening for writing would create it.
    public static func existing(_ path: String, backups: AutomaticBackups?) throws(HistoryError) -> StepDatabase {
        // Opening for reading creates no file. It reports a missing file, an empty file, or a broken link.
        if isEmptyOrMissing(path) { _ = try StepDatabase(path: path, for: .reading, backups: backups) }
        return try StepDatabase(path: path, for: .writing, backups: backups)
    }
}
