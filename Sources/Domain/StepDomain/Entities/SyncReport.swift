/// How the sync of one pedometer went.
public struct SyncReport: Sendable {
    public var pedometer: Pedometer
    /// The record in the history; nil if not even the start could be recorded, or if the sync was cancelled before.
    public var record: SyncRecord?
    /// What the history gained: also by a sync that failed later.
    public var counts: MergeCounts
    public var notices: [SyncNotice]
    /// Per cent, 0...100, if the pedometer reported it.
    public var battery: Int?
    /// The version of its firmware, as received, if it was read.
    public var firmware: String?
    /// Seconds from the connection until the last value was received; nil if the reading did not finish, or needed no
    /// connection.
    public var readSeconds: Double?
    /// Seconds for which the pedometer was connected, from the beginning of each link to its end; nil if it was never
    /// connected, and while it still is.
    public var connectedSeconds: Double?
    /// Progress of the reading: the number of days (or readings of a counter) that were processed, and the number that
    /// were planned; nil if the reading did not begin. Fewer than planned if it failed.
    public var daysRead: Int?
    public var daysPlanned: Int?
    /// Why it failed, as the error of the component that failed (communication, history); nil if it did not.
    public var failure: (any Error)?
    /// The failure as text, in the form that the history stores.
    public var failureText: String?

    /// Days that were requested and not received completely, whether it failed or not.
    public var gaps: [DayGap] {
        for case .missing(let gaps) in notices { return gaps }
        return []
    }

    /// Where to look for the cause of the failure; nil if it did not fail.
    public var cause: FailureCause? { failure.map(FailureCause.init) }

    public init(
        pedometer: Pedometer, record: SyncRecord? = nil, counts: MergeCounts = MergeCounts(),
        notices: [SyncNotice] = [],
        battery: Int? = nil, firmware: String? = nil, readSeconds: Double? = nil, connectedSeconds: Double? = nil,
        daysRead: Int? = nil,
        daysPlanned: Int? = nil,
        failure: (any Error)? = nil, failureText: String? = nil
    ) {
        self.pedometer = pedometer
        self.record = record
        self.counts = counts
        self.notices = notices
        self.battery = battery
        self.firmware = firmware
        self.readSeconds = readSeconds
        self.connectedSeconds = connectedSeconds
        self.daysRead = daysRead
        self.daysPlanned = daysPlanned
        self.failure = failure
        self.failureText = failureText
    }
}
