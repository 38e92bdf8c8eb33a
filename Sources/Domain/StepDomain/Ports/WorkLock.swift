/// Work on a history that only one process at a time may do.
public enum HistoryWork: Sendable, CaseIterable {
    /// Reading pedometers and storing their steps.
    case syncing
    /// Sending what is in its outbox.
    case sharing
}

/// What a process does while it holds a history, for the error message of another process.
public enum HistoryActivity: String, Sendable {
    case sync, share, repair, restore, deletion, move
}

/// Keeps two processes from doing the same work on a history.
public protocol WorkLock: Sendable {
    /// Runs `body` while no other process does this work.
    ///
    /// - Throws: an error for which `conflictingWork` names the work while another process does it; why the lock cannot
    ///   be used; what `body` throws.
    func hold<R: Sendable>(for work: HistoryWork, _ body: () async throws -> R) async throws -> R

    /// Runs `body` while no other process syncs or shares: it may replace the history.
    ///
    /// - Throws: as `hold(for:_:)`.
    func holdExclusively<R: Sendable>(as activity: HistoryActivity, _ body: () async throws -> R) async throws -> R

    /// The work that another process does; nil for any other error.
    func conflictingWork(in error: any Error) -> HistoryWork?
}
