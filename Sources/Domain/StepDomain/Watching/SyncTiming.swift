/// When a pedometer that may be in range at any time is read the next time.
///
/// Each reading costs the pedometer's battery, so one that is always near is read at intervals. One that fails is left alone
/// for longer and longer. One that keeps today's count only is also read shortly before that is set back.
public struct SyncTiming: Hashable, Sendable {
    /// Seconds between two readings.
    public let interval: Int

    /// - Parameter interval: seconds; below 60 counts as 60.
    public init(interval: Int) { self.interval = max(60, interval) }

    /// How things stand with a pedometer.
    public struct Standing: Hashable, Sendable {
        /// When it was last read completely, by whomever; nil for never.
        public var lastComplete: Timestamp?
        /// When the last try failed that came after that; nil for none.
        public var lastFailure: Timestamp?
        /// Tries in a row that failed.
        public var failures: Int
        /// It has no history but the count of today.
        public var keepsTodayOnly: Bool

        public init(lastComplete: Timestamp? = nil, lastFailure: Timestamp? = nil, failures: Int = 0, keepsTodayOnly: Bool = false) {
            self.lastComplete = lastComplete
            self.lastFailure = lastFailure
            self.failures = failures
            self.keepsTodayOnly = keepsTodayOnly
        }
    }

    /// Seconds before midnight at which a count of today is read once more: enough for a pedometer to be heard, and for a second try.
    static let eve = 300
    /// Seconds for which a pedometer that failed is left alone at first, and at most.
    static let firstPause = 60
    static let longestPause = 1800

    /// From when on it is to be read; a moment that has passed means now.
    public func due(_ standing: Standing, now: Timestamp, localTime: LocalTime) -> Timestamp {
        // A reading in the future is one of a clock that was ahead: it says nothing.
        let last = standing.lastComplete.flatMap { $0 > now + Self.firstPause ? nil : $0 }
        var due = last.map { $0 + interval } ?? now
        var pause = min(Self.firstPause << min(max(standing.failures, 1) - 1, 10), Self.longestPause)
        if standing.keepsTodayOnly {
            let eve = localTime.span(of: localTime.day(of: now)).end - Self.eve
            if last.map({ $0 < eve }) ?? true {
                due = min(due, eve)
                // What is not read now is lost.
                if now >= eve { pause = Self.firstPause }
            }
        }
        guard standing.failures > 0, let failure = standing.lastFailure, failure <= now else { return due }
        return max(due, failure + pause)
    }
}
