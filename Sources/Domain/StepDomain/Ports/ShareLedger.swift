/// The ledger of what was shared with whom, and the outbox of what is to be: what a database must do for sharing.
///
/// As with `StepHistory`, every call is one transaction, durable when it returns. An entry is in the outbox while its
/// `nextAttempt` is set.
public protocol ShareLedger: Sendable {
    /// Has every day looked at that changed since the last call for that user and destination: its samples, coverage or
    /// correction. Days from `since` on that are new to the ledger become pending entries; of those that have an entry, whatever
    /// their day, the state stays, and they are due. An earlier `since` than before brings in the days that were passed over.
    func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws
    /// The same for days that somebody asked for by name.
    func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws
    /// What is due at `now`: enqueued since it was last returned by this call, or with `nextAttempt` come. Oldest day first;
    /// in any state but `sending`. What was returned has its `nextAttempt` come, until `record` says otherwise: who is killed
    /// in between has overlooked nothing.
    ///
    /// An entry that is enqueued while it is being sent is due again afterwards, and stays asked for if that was by name: what
    /// came late is never overlooked.
    ///
    /// - Parameter users: only theirs.
    func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) throws -> [ShareEntry]
    /// All entries of a destination (nil: of all) in these states, by destination, day and user.
    func entries(for destination: String?, in states: Set<ShareEntry.State>) throws -> [ShareEntry]
    /// The entry of one day; nil where the day was never considered for the destination.
    func entry(for destination: String, of user: User.ID, on day: Day) throws -> ShareEntry?
    /// Stores entries as they are now, all or none.
    func record(_ entries: [ShareEntry]) throws
    /// Takes an entry out of the ledger: as if the day had never been considered for the destination.
    func remove(_ entry: ShareEntry) throws

    /// How a destination stands; a fresh state where it was never met.
    func state(of destination: String) throws -> DestinationState
    func record(_ state: DestinationState) throws

    /// The days of a user, from `first` through `last`, of which the history knows something: samples, coverage or a correction
    /// that stands; in order.
    func knownDays(of user: User.ID, from first: Day, through last: Day) throws -> [Day]
}
