public import StepDomain
internal import Support

/// A change of the history that the user has agreed to: what it would do is looked up again, as another process may
/// have changed the history since; a backup is made; then it is stored. No sync runs meanwhile.
///
/// It is what all services that change a history so have in common.
public struct GuardedChange: Sendable {
    private let backups: any HistoryBackups
    let lock: any WorkLock
    /// The destinations of the configuration; their errors are those of sharing.
    let destinations: @Sendable () throws -> [any ShareDestination]
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp

    public init(
        _ backups: any HistoryBackups, lock: any WorkLock,
        destinations: @escaping @Sendable () throws -> [any ShareDestination], localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.backups = backups
        self.lock = lock
        self.destinations = destinations
        self.localTime = localTime
        self.now = now
    }

    /// The present day.
    var today: Day { localTime.day(of: now()) }

    /// Whether there is a history that would change.
    var isHistoryThere: Bool { backups.isHistoryThere }

    /// - Parameters:
    ///   - activity: what another process is told, if no share may run meanwhile either.
    ///   - makesBackup: whether there is a history to back up.
    ///   - unneeded: the outcome if there is nothing to store.
    /// - Returns: also the path of the backup; nil if none was made.
    /// - Throws: the lock's error while another process works on the history; why the backup cannot be made; the errors
    ///   of the closures.
    func callAsFunction<Preview: Sendable, Outcome: Sendable>(
        exclusivelyAs activity: HistoryActivity? = nil, makesBackup: Bool = true,
        preview: @escaping @Sendable () throws -> Preview,
        unneeded: @Sendable (Preview) -> Outcome? = { _ in nil },
        store: @escaping @Sendable (Preview) throws -> Outcome
    ) async throws -> (outcome: Outcome, backup: String?) {
        func run() async throws -> (outcome: Outcome, backup: String?) {
            let found = try await blocking(preview)
            if let outcome = unneeded(found) { return (outcome, nil) }
            let backup = makesBackup ? try await backups.backUpBeforeChange().path : nil
            return (try await blocking { try store(found) }, backup)
        }
        guard let activity else { return try await lock.hold(for: .syncing, run) }
        return try await lock.holdExclusively(as: activity, run)
    }
}
