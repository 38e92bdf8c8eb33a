public import StepDomain
internal import Support
import Synchronization

/// The maintenance of a history's file: checks, backups, and raw frames that are too old.
public struct HistoryFileMaintenance: HistoryMaintenance {
    private let path: String
    private let backups: AutomaticBackups
    private let frames: FrameRetention
    private let now: @Sendable () -> Timestamp

    /// - Parameter path: the path of the history.
    public init(
        path: String, backups: AutomaticBackups, frames: FrameRetention, now: @escaping @Sendable () -> Timestamp
    ) {
        self.path = path
        self.backups = backups
        self.frames = frames
        self.now = now
    }

    /// - Throws: `HistoryError.damaged`.
    public func checkBeforeSync() async throws {
        try await blocking { [path, now] in try StepDatabase.checkBeforeSync(path, at: now()) }
    }

    /// - Throws: `HistoryError.damaged` if the weekly check finds damage; else why a backup cannot be written.
    public func run() async throws {
        let moment = now()
        var failure: HistoryError?
        if let error = Self.failure(of: path, at: moment) {
            if case .damaged = error { throw error }
        } else {
            do { try await backUpOrCheck(moment) } catch let error as HistoryError {
                Self.note(error, of: path, at: moment)
                // Nothing is deleted from a history that is damaged. But the limit of the frames matters most where
                // there is no room for a backup.
                if case .damaged = error { throw error }
                failure = error
            }
        }
        try await blocking { [path, frames] in
            _ = try StepDatabase(path: path, for: .writing).pruneFrames(frames, at: moment)
        }
        if let failure { throw failure }
    }

    /// Why and when the last backup or check of a history failed, by path. A watch maintains the history after each
    /// sync: a copy that fails is not made again within a day.
    private static let failures = Mutex<[String: (error: HistoryError, at: Timestamp, file: FileIdentity?)]>([:])

    private static func note(_ error: HistoryError, of path: String, at moment: Timestamp) {
        switch error {
        // These conditions pass soon: it is tried again after the next sync.
        case .locked, .replaced: break
        default: failures.withLock { $0[path] = (error, moment, FileIdentity(path)) }
        }
    }

    /// The failure of the last day, unless the history was repaired or restored since.
    private static func failure(of path: String, at moment: Timestamp) -> HistoryError? {
        guard let failure = failures.withLock({ $0[path] }), failure.file == FileIdentity(path),
            // A failure in the future was noted while the clock was ahead.
            moment - 86_400 < failure.at, failure.at <= moment
        else { return nil }
        return failure.error
    }

    private func backUpOrCheck(_ moment: Timestamp) async throws {
        if try backups.isDue(for: path) {
            // A backup is read back and checked, and it is identical to the history page by page: this is the weekly
            // check.
            _ = try await blocking { [path, backups] in
                try backups.make(of: path)
                return try StepDatabase.correctSums(path)
            }
        } else if backups.schedule.count == 0, isCheckDue(moment) {
            try await StepDatabase.checkAndRemember(path, at: moment)
            _ = try await blocking { [path] in try StepDatabase.correctSums(path) }
        }
    }

    private func isCheckDue(_ moment: Timestamp) -> Bool {
        guard let last = CheckRecord.read(ofDatabase: path)?.checkedAt, last <= moment else { return true }
        return moment - last >= BackupSchedule.interval * 86_400
    }
}
