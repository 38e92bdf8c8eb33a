/// How far a pedometer has been read.
public struct PedometerCursor: Hashable, Sendable, Codable {
    /// All data that the pedometer had of the time before this moment has been committed.
    public var readThrough: Timestamp?
    /// Seconds east of Greenwich at `readThrough`, for a pedometer that records local times without an offset: it shows
    /// whether its user has travelled since.
    public var utcOffset: Int?
    /// The last committed reading of a pedometer that has only a counter; of one that has records and a counter, the
    /// steps that it had counted and not recorded.
    public var counter: CounterReading?
    /// A first reading of a day that may still show yesterday's steps: it is counted when a later one shows which day
    /// it belongs to.
    public var undecided: CounterReading?
    /// Of a counter that only grows, the other reading from which it can go on: the one before it seemed to restart, or
    /// one that showed more than can have been walked. The next reading shows which of the two was wrong.
    public var alternative: CounterReading?
    /// Times without records between records that a reading has met, and could not tell from lost notifications. A
    /// reading that meets one again goes on after it. By the pedometer's own clock; nil if there are none.
    public var gaps: [TimeSpan]?
    /// Slots of the pedometer's wall clock as last read: those of its current day, those ahead of a clock that was set
    /// back, and those that contain steps of more than one time.
    public var tail: [WallSlot]?
    /// Days before `readThrough`, or its own day, that were requested and not received completely. The next sync
    /// requests them again, until the pedometer no longer holds them. By day; nil if there are none.
    public var missing: [DayGap]?
    /// When it last did not answer the request for its own total of the day, or refused it; nil if it answers.
    public var lacksTotalSince: Timestamp?
    /// When it last did not answer the request for its battery, but others; nil if it answers.
    public var lacksBatterySince: Timestamp?
    /// Seconds by which the pedometer's clock was ahead of UTC, compared with this machine's clock, when it was last
    /// read, at or before `counter`; nil if it was not read. A change shows that one of the two clocks was set.
    public var clockOffset: Int?
    /// What is known of past days, of a pedometer that counts the steps of today and also reports totals of past days;
    /// nil of all others.
    public var pastDays: PastDays?
    /// Seconds east of Greenwich at `readThrough` according to the pedometer itself, if it reports them and does not
    /// change them by a rule. A change shows that its zone was set.
    public var deviceOffset: Int?
    /// This machine's clock when the cursor was stored; nil in the cursors of versions that did not keep it.
    public var clockMark: ClockMark?

    private enum CodingKeys: String, CodingKey {
        case readThrough, utcOffset, counter
        /// The name in the histories of released versions.
        case undecided = "quarantined"
        case alternative, gaps, tail, missing, lacksTotalSince, lacksBatterySince, pastDays, deviceOffset, clockMark
        /// The name in the histories of released versions.
        case clockOffset = "clockLead"
    }

    public init(
        readThrough: Timestamp? = nil, utcOffset: Int? = nil, counter: CounterReading? = nil,
        undecided: CounterReading? = nil, alternative: CounterReading? = nil, gaps: [TimeSpan]? = nil,
        tail: [WallSlot]? = nil, missing: [DayGap]? = nil, lacksTotalSince: Timestamp? = nil,
        lacksBatterySince: Timestamp? = nil, clockOffset: Int? = nil, pastDays: PastDays? = nil,
        deviceOffset: Int? = nil,
        clockMark: ClockMark? = nil
    ) {
        self.readThrough = readThrough
        self.utcOffset = utcOffset
        self.counter = counter
        self.undecided = undecided
        self.alternative = alternative
        self.gaps = gaps
        self.tail = tail
        self.missing = missing
        self.lacksTotalSince = lacksTotalSince
        self.lacksBatterySince = lacksBatterySince
        self.clockOffset = clockOffset
        self.pastDays = pastDays
        self.deviceOffset = deviceOffset
        self.clockMark = clockMark
    }

    /// All times of this machine's clock that it has. Those of the pedometer's own clock can be ahead: `tail`, `gaps`,
    /// and the days of `missing` and `pastDays`.
    public var moments: [Timestamp] {
        [
            readThrough, counter?.at, undecided?.at, alternative?.at, lacksTotalSince, lacksBatterySince, clockMark?.at,
        ].compactMap(\.self)
    }

    /// The missing days that a user should know of.
    public var reportedGaps: [DayGap] { (missing ?? []).filter { $0.reason != .unconfirmed } }
}

/// A day that a pedometer did not deliver completely.
public struct DayGap: Hashable, Sendable, Codable {
    public enum Reason: String, Sendable, Codable {
        /// It answered every request with an error.
        case refused
        /// It did not answer.
        case unanswered
        /// Part of the day was received.
        case incomplete
        /// It answered "no data" at a time at which it is not certain which day its answer was for: around midnight, or
        /// while its clock was off. The day is requested once more as a precaution, and not reported.
        case unconfirmed
    }

    /// By the pedometer's own calendar.
    public var day: Day
    public var reason: Reason

    public init(_ day: Day, _ reason: Reason) {
        self.day = day
        self.reason = reason
    }
}

/// A counter's value at a moment.
public struct CounterReading: Hashable, Sendable, Codable {
    public var at: Timestamp
    public var value: Int
    /// Seconds east of Greenwich when it was read: decides on which day.
    public var utcOffset: Int
    /// The day whose steps it shows, if this is known not to be the day on which it was read: the counter had not been
    /// reset yet.
    public var countsDay: Day?

    public init(at: Timestamp, value: Int, utcOffset: Int, countsDay: Day? = nil) {
        self.at = at
        self.value = value
        self.utcOffset = utcOffset
        self.countsDay = countsDay
    }

    /// The day whose steps it shows.
    public var day: Day { countsDay ?? Day(of: at, utcOffset: utcOffset) }
}
