/// The ledger of what was shared with which destination, and the outbox of what is still to be shared: what a database
/// must do for sharing.
///
/// As with `StepHistory`, every call is one transaction, durable when it returns. An entry is in the outbox while its
/// `nextAttempt` is set.
public protocol ShareLedger: Sendable {
    /// Examines every day whose samples, coverage or correction changed since the last call for that user and
    /// destination. Days from `since` on that are new to the ledger become pending entries; entries that exist, of
    /// whatever day, keep their state and become due. An earlier `since` than before adds the days that were skipped.
    func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws
    /// Makes days due that the user requested by date.
    func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws
    /// Makes every day due that the destination has or may have, because it is to be written in another layout. A day
    /// that may have arrived without a confirmation counts as confirmed from then on.
    func enqueueSent(to destination: String, at now: Timestamp) throws
    /// The entries due at `now`: enqueued since this call last returned them, or with `nextAttempt` reached. Oldest day
    /// first; in any state but `sending`. The `nextAttempt` of a returned entry stays reached until `record` changes
    /// it, so no entry is missed if the process is killed in between.
    ///
    /// An entry that is enqueued while it is being sent is due again afterwards, and stays requested if that was by
    /// name: a late change is never missed.
    ///
    /// - Parameter users: only entries of these users are returned.
    func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) throws -> [ShareEntry]
    /// The days of the entries that `due` would return without a limit, in the same order. Changes nothing.
    func dueDays(for destination: String, users: [User.ID], at now: Timestamp) throws -> [UserDay]
    /// All entries of a destination (nil: of all destinations) in these states, by destination, day and user.
    func entries(for destination: String?, in states: Set<ShareEntry.State>) throws -> [ShareEntry]
    /// What the next `enqueueChanges` and `due` would bring that no entry shows yet: `sent` entries of days that have
    /// changed since or may have (`ShareEntry.isChanged`), and pending entries of days that are new to the ledger. By
    /// destination, day and user. Changes nothing.
    func changes(at now: Timestamp) throws -> [ShareEntry]
    /// The entry of one day; nil if the day was never considered for the destination.
    func entry(for destination: String, of user: User.ID, on day: Day) throws -> ShareEntry?
    /// Stores entries as they are now, all or none.
    func record(_ entries: [ShareEntry]) throws
    /// Removes an entry from the ledger, as if the day had never been considered for the destination.
    ///
    /// - Parameter evenIfEnqueued: whether also one that was enqueued since `due` returned it. Something of its day
    ///   may have become known since.
    func remove(_ entry: ShareEntry, evenIfEnqueued: Bool) throws

    /// The state of a destination; a new state if it was never seen.
    func state(of destination: String) throws -> DestinationState
    func record(_ state: DestinationState) throws

    /// The days of a user, from `first` through `last`, about which the history has any data: samples, coverage or a
    /// effective correction; in order.
    func knownDays(of user: User.ID, from first: Day, through last: Day) throws -> [Day]
    /// The days of a user, from `first` through `last`, that were deleted and that a destination has or may have
    /// (`ShareEntry.wasSent`); in order.
    func deletedDays(of user: User.ID, from first: Day, through last: Day) throws -> [Day]
}

extension ShareLedger {
    /// The entries of a destination and a user (nil: of all) that are not settled: they wait, may have arrived, or were
    /// rejected. By destination, day and user.
    public func unsettledEntries(for destination: String? = nil, of user: User.ID? = nil) throws -> [ShareEntry] {
        try entries(for: destination, in: ShareEntry.State.unsettled).filter { user == nil || $0.user == user }
    }

    /// The latest day of each user of which a destination has confirmed something. Days after the next one were sent
    /// by a machine whose clock was ahead.
    package func latestDays(at destination: String, today: Day) throws -> [User.ID: Day] {
        try entries(for: destination, in: Set(ShareEntry.State.allCases))
            .filter { $0.isConfirmed && $0.day <= today.advanced(by: 1) }
            .reduce(into: [:]) { $0[$1.user] = max($0[$1.user] ?? $1.day, $1.day) }
    }
}
