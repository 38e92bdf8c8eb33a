/// What is done for the history besides storing steps.
public protocol HistoryMaintenance: Sendable {
    /// Checks the history before anything is written.
    ///
    /// - Throws: an error if the history is known to be damaged: it must not be changed.
    func checkBeforeSync() async throws

    /// Runs in the nightly sync, after the steps and the sharing. Once a week it makes a backup and a check; it deletes
    /// raw frames that are too old.
    ///
    /// - Throws: an error if the check finds damage; why a backup cannot be written.
    func run() async throws
}

/// The history as a file: copied, replaced, repaired. Errors are those of the implementation.
public protocol HistoryBackups: Sendable {
    /// The path of the history, whether its file exists or not.
    var path: String { get }
    /// The directory for backups without a given path.
    var directory: String { get throws }
    var isHistoryThere: Bool { get }
    /// The backups in `directory`, the newest first.
    ///
    /// - Throws: why the directory cannot be read, if there is one.
    func list() throws -> [StoredBackup]

    /// Copies the history to one file with access for its owner only, and reads the copy back. A sync may continue
    /// meanwhile.
    ///
    /// - Parameter path: the path of the copy; its directory must exist, unless it is `directory` or below. An earlier
    ///   backup there is replaced, any other file is not. Nil for a new file in `directory`.
    /// - Throws: an error if there is no history, or if it is damaged; why the copy cannot be written.
    func backUp(to path: String?) async throws -> HistoryContents

    /// The same before an import, a deletion or a move, in `directory`: of such backups as many are kept as the
    /// schedule says.
    func backUpBeforeChange() async throws -> HistoryContents

    /// Reads a backup and checks whether it is sound. Nothing is written to it.
    func contents(of backup: String) async throws -> HistoryContents

    /// Whether a path leads to the history itself, under any name.
    func isHistory(_ path: String) -> Bool

    /// What would be lost if a backup that `contents(of:)` has checked replaced the history.
    ///
    /// - Returns: nil if this cannot be found out, such as for a damaged history.
    func losses(restoring backup: String) async -> HistoryLosses?

    /// Replaces the history by a backup, which stays as it is. The previous history is kept beside the new one, which
    /// takes over its ledger: what was sent since the backup remains known. The caller holds the history alone.
    func restore(_ backup: String) async throws -> ReplacedHistory

    /// - Throws: an error if there is no history.
    func requireHistory() throws

    /// Saves what can be read of a damaged history into a new file, which takes its place; the damaged one is kept
    /// beside it. The caller holds the history alone.
    ///
    /// - Returns: nil if the history is sound: then it is not changed.
    func repair() async throws -> SalvageReport?

    /// Removes stored sums of days that differ from their samples: they are calculated again. The caller holds the
    /// history alone.
    ///
    /// - Returns: the number of days.
    func correctSums() async throws -> Int
}
