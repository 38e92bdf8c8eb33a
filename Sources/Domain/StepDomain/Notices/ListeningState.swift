/// The time since which a watch has been listening: only while it listens does silence show that a pedometer is absent.
public struct ListeningState: Hashable, Sendable {
    /// A time in which no pedometer can be heard, and the reason.
    public struct Outage: Hashable, Sendable {
        public var since: Timestamp
        public var reason: String

        public init(since: Timestamp, reason: String) {
            self.since = since
            self.reason = reason
        }
    }

    /// For each pedometer, the beginning of the uninterrupted time until now in which it would have been heard.
    public var since: [Pedometer.ID: Timestamp]
    /// Nil while the watch listens, and if there is no watch.
    public var outage: Outage?

    public init(since: [Pedometer.ID: Timestamp] = [:], outage: Outage? = nil) {
        self.since = since
        self.outage = outage
    }
}
