/// What a watch knows of its own listening: silence is informative only while the watch listens.
public struct ListeningState: Hashable, Sendable {
    /// Since when no pedometer can be heard, and why.
    public struct Outage: Hashable, Sendable {
        public var since: Timestamp
        public var reason: String

        public init(since: Timestamp, reason: String) {
            self.since = since
            self.reason = reason
        }
    }

    /// For each pedometer, the moment since which it would have been heard, without a break.
    public var since: [Pedometer.ID: Timestamp]
    /// Nil while it listens, and where there is no watch.
    public var outage: Outage?

    public init(since: [Pedometer.ID: Timestamp] = [:], outage: Outage? = nil) {
        self.since = since
        self.outage = outage
    }
}
