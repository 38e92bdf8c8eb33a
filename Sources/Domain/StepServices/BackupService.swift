public import StepDomain

/// Backing up, restoring and repairing a history.
public struct BackupService: Sendable {
    private let backups: any HistoryBackups
    private let lock: any WorkLock

    public init(_ backups: any HistoryBackups, lock: any WorkLock) {
        self.backups = backups
        self.lock = lock
    }

    /// Copies the history to a file and reads it back. Works while a sync is running.
    ///
    /// - Parameter path: nil for a new file in the directory of backups.
    /// - Throws: the history's error, or why the file cannot be written.
    public func backUp(to path: String?) async throws -> HistoryContents { try await backups.backUp(to: path) }

    /// Where backups are, and those that are there, the newest first.
    ///
    /// - Throws: why the directory cannot be read.
    public func list() throws -> (directory: String, backups: [StoredBackup], isHistoryThere: Bool) {
        (try backups.directory, try backups.list(), backups.isHistoryThere)
    }

    /// A backup that was checked and can be restored.
    public struct Candidate: Sendable {
        public let contents: HistoryContents
        /// The path of the history.
        public let history: String
        /// Whether there is a history that it would replace: the user decides.
        public let replacesHistory: Bool
        fileprivate let file: String
    }

    /// - Throws: what is wrong with the backup; `ServiceError.backupIsHistory`.
    public func examine(_ file: String) async throws -> Candidate {
        let contents = try await backups.contents(of: file)
        let isThere = backups.isHistoryThere
        if isThere, backups.isHistory(file) { throw ServiceError.backupIsHistory(file) }
        return Candidate(contents: contents, history: backups.path, replacesHistory: isThere, file: file)
    }

    /// What a restore would lose.
    ///
    /// - Returns: nil if this cannot be found out, such as for a damaged history.
    public func losses(_ candidate: Candidate) async -> HistoryLosses? {
        await backups.losses(restoring: candidate.file)
    }

    /// Replaces the history by a backup, and keeps the previous one beside it. No sync or share can run meanwhile.
    ///
    /// - Returns: what became of the previous history.
    /// - Throws: the lock's error while a sync or a share runs; the history's error.
    public func restore(_ candidate: Candidate) async throws -> ReplacedHistory {
        try await lock.holdExclusively(as: .restore) { try await backups.restore(candidate.file) }
    }

    /// Saves what can be read of a damaged history. No sync or share can run meanwhile.
    ///
    /// - Returns: nil if the history is sound: then nothing was changed.
    /// - Throws: the lock's error; the history's error where there is none, or nothing of it can be read.
    public func repair() async throws -> SalvageReport? {
        // Before a file is created for the lock.
        try backups.requireHistory()
        return try await lock.holdExclusively(as: .repair) { try await backups.repair() }
    }

    /// Makes all stored sums of days agree with the samples of a sound history. No sync or share can run meanwhile.
    ///
    /// - Returns: the number of days whose sums were wrong.
    /// - Throws: the lock's error; the history's error.
    public func correctSums() async throws -> Int {
        try backups.requireHistory()
        return try await lock.holdExclusively(as: .repair) { try await backups.correctSums() }
    }
}
