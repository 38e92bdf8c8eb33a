/// How far files of other programs are read.
public struct ReadingProgress: Hashable, Sendable {
    /// Samples that were found.
    public var samples: Int
    /// The part of their bytes that is read, 0 to 1; nil for databases and for exports of istep, which are not
    /// read from end to end.
    public var share: Double?

    public init(samples: Int, share: Double? = nil) {
        self.samples = samples
        self.share = share
    }

    /// - Parameter elapsed: how long the reading has taken.
    /// - Returns: how long the rest takes at that speed; nil where nothing of it can be said yet.
    public func rest(after elapsed: Duration) -> Duration? {
        guard let share, share >= 0.02 else { return nil }
        return elapsed * max(0, (1 - share) / share)
    }

    /// When progress is shown: at most once a second, and not in the first one.
    public struct Pace: Sendable {
        private var last = Duration.zero

        public init() {}

        /// - Parameter elapsed: since the reading began.
        public mutating func isDue(after elapsed: Duration) -> Bool {
            guard elapsed - last >= .seconds(1) else { return false }
            last = elapsed
            return true
        }
    }
}
