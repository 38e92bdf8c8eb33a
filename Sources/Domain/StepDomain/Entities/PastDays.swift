/// What is known of the past days of a pedometer that counts the steps of today and also reports totals of past days.
///
/// Such a total contains the steps that were counted on its day already: only what it has beyond them is new.
public struct PastDays: Hashable, Sendable, Codable {
    /// What was stored of the last days, the oldest first.
    public var counted: [CountedDay]
    /// Days before this one are not completed: what was stored of them is not known. Nil if nothing was stored before
    /// `counted`.
    public var since: Day?
    /// The day on which the totals were last requested.
    public var requested: Day?
    /// The totals that were received on `requested`, by the argument of their requests.
    public var totals: [Int: Int]?
    /// Whether the requests have the opposite order of days; nil if that is not known.
    public var isReversed: Bool?
    /// Whether the pedometer sends the distance before the steps; nil if nothing has shown it.
    public var isDistanceFirst: Bool?

    public init(
        counted: [CountedDay] = [], since: Day? = nil, requested: Day? = nil, totals: [Int: Int]? = nil,
        isReversed: Bool? = nil,
        isDistanceFirst: Bool? = nil
    ) {
        self.counted = counted
        self.since = since
        self.requested = requested
        self.totals = totals
        self.isReversed = isReversed
        self.isDistanceFirst = isDistanceFirst
    }
}

extension PedometerCursor {
    /// Removes the counts of days that are deleted. What is read of them again is left out.
    package mutating func remove(_ days: ClosedRange<Day>) {
        // Slots without steps show what the clock was.
        tail?.removeAll { $0.steps > 0 && days.contains(Day(of: Timestamp($0.wall), utcOffset: 0)) }
        if tail?.isEmpty == true { tail = nil }
        guard pastDays?.counted.contains(where: { days.contains($0.day) }) == true else { return }
        pastDays?.counted.removeAll { days.contains($0.day) }
        pastDays?.totals = nil
        pastDays?.requested = nil
    }
}

/// The steps of a day that were stored.
public struct CountedDay: Hashable, Sendable, Codable {
    public var day: Day
    /// Those made before `through`.
    public var steps: Int
    /// Not after the end of the day.
    public var through: Timestamp

    public init(_ day: Day, steps: Int, through: Timestamp) {
        self.day = day
        self.steps = steps
        self.through = through
    }
}
