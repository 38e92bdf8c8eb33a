/// What a watch knows of its own listening: silence tells something only where somebody listens.
public struct Listening: Hashable, Sendable {
    /// Since when nothing can be heard, and why.
    public struct Deafness: Hashable, Sendable {
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
    public var deafness: Deafness?

    public init(since: [Pedometer.ID: Timestamp] = [:], deafness: Deafness? = nil) {
        self.since = since
        self.deafness = deafness
    }
}
