/// How the sync of one pedometer went.
public struct SyncReport: Sendable {
    public var pedometer: Pedometer
    /// As the history has it; nil where not even a beginning could be recorded, or where the sync was cancelled before.
    public var record: SyncRecord?
    /// What the history gained: also by a sync that failed later.
    public var counts: MergeCounts
    public var notices: [SyncNotice]
    /// Per cent, 0...100, where the pedometer told.
    public var battery: Int?
    /// Seconds for which the pedometer was connected; nil where the reading did not come to its end.
    public var connectedSeconds: Double?
    /// Why it failed, in the terms of whoever failed (communication, history); nil where it did not.
    public var failure: (any Error)?
    /// The failure in words, as the history keeps it.
    public var failureText: String?

    /// Where to look for what made it fail; nil where it did not.
    public var cause: FailureCause? { failure.map(FailureCause.init) }

    public init(
        pedometer: Pedometer, record: SyncRecord? = nil, counts: MergeCounts = MergeCounts(), notices: [SyncNotice] = [],
        battery: Int? = nil, connectedSeconds: Double? = nil, failure: (any Error)? = nil, failureText: String? = nil
    ) {
        self.pedometer = pedometer
        self.record = record
        self.counts = counts
        self.notices = notices
        self.battery = battery
        self.connectedSeconds = connectedSeconds
        self.failure = failure
        self.failureText = failureText
    }
}
