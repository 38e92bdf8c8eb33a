internal import Support

/// When a pedometer that may be in range at any time is read the next time.
///
/// Each reading costs the pedometer's battery, so one that is always near is read at intervals. One that fails is
/// retried after increasing pauses. One that keeps only today's count is also read shortly before the count is reset.
public struct ReadingSchedule: Hashable, Sendable {
    /// Seconds between two readings.
    public let interval: Int

    /// - Parameter interval: seconds; below 60 counts as 60.
    public init(interval: Int) { self.interval = max(60, interval) }

    /// The state of a pedometer's syncs.
    public struct State: Hashable, Sendable {
        /// When it was last read completely, by any process; nil if it never was.
        public var lastComplete: Timestamp?
        /// When the last attempt since then failed; nil if none did.
        public var lastFailure: Timestamp?
        /// Failed attempts in a row.
        public var failures: Int
        /// Whether it keeps no history, only today's count.
        public var holdsTodayOnly: Bool

        public init(
            lastComplete: Timestamp? = nil, lastFailure: Timestamp? = nil, failures: Int = 0,
            holdsTodayOnly: Bool = false
        ) {
            self.lastComplete = lastComplete
            self.lastFailure = lastFailure
            self.failures = failures
            self.holdsTodayOnly = holdsTodayOnly
        }
    }

    /// Seconds before midnight at which a count of today is read once more: enough for a pedometer to be heard, and for
    /// a second try.
    static let secondsBeforeMidnight = 300
    /// Seconds by which a reading may be in the future: another process may have recorded it after `now` was read.
    static let clockTolerance = 60
    /// The wait after a failure: half an hour at most, so that a pedometer that works again is soon read.
    static let backoff = ExponentialBackoff(first: .seconds(60), longest: .seconds(1800))

    /// When to read it next; a moment that has passed means now.
    public func due(_ state: State, now: Timestamp, localTime: LocalTime) -> Timestamp {
        // A reading in the future was recorded while the clock was ahead: it is ignored.
        let last = state.lastComplete.flatMap { $0 > now + Self.clockTolerance ? nil : $0 }
        var due = last.map { $0 + interval } ?? now
        var pause = Self.backoff.seconds(after: state.failures)
        if state.holdsTodayOnly {
            let lastReading = localTime.span(of: localTime.day(of: now)).end - Self.secondsBeforeMidnight
            if last.map({ $0 < lastReading }) ?? true {
                due = min(due, lastReading)
                // Steps that are not read now are lost.
                if now >= lastReading { pause = Self.backoff.seconds(after: 1) }
            }
        }
        guard state.failures > 0, let failure = state.lastFailure, failure <= now else { return due }
        return max(due, failure + pause)
    }
}
