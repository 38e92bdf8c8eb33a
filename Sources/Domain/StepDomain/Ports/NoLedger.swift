/// Keeps no ledger: for a service that shares nothing.
public struct NoLedger: ShareLedger {
    public struct Missing: Error, CustomStringConvertible {
        public var description: String { "nothing can be shared here: the service was made without a ledger" }
    }

    public init() {}

    public func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws {
        throw Missing()
    }
    public func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws {
        throw Missing()
    }
    public func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) -> [ShareEntry] { [] }
    public func entries(for destination: String?, in states: Set<ShareEntry.State>) -> [ShareEntry] { [] }
    public func entry(for destination: String, of user: User.ID, on day: Day) -> ShareEntry? { nil }
    public func record(_ entries: [ShareEntry]) throws { throw Missing() }
    public func remove(_ entry: ShareEntry) throws { throw Missing() }
    public func state(of destination: String) -> DestinationState { DestinationState(name: destination) }
    public func record(_ state: DestinationState) throws { throw Missing() }
    public func knownDays(of user: User.ID, from first: Day, through last: Day) -> [Day] { [] }
}
