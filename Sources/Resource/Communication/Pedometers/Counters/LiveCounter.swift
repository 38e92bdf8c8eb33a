internal import StepDomain

/// Today's steps from the values of a counter of today, as they arrive: a restart or a midnight sets the counter to
/// zero, and the steps made before it on the same day remain.
struct LiveCounter: Sendable {
    /// Steps of today before the counter had the value `origin`.
    private var base: Int
    private var origin: Int
    private var last: Int
    private var day: Day?

    /// - Parameter known: today's steps by a reading just before.
    init(_ cursor: PedometerCursor, known: Int) {
        // An undecided value is not among the known steps; what it grows by is of today.
        let reading = cursor.undecided ?? cursor.counter
        (origin, last) = (reading?.value ?? 0, reading?.value ?? 0)
        base = reading == nil ? 0 : known
        day = reading.map { Day(of: $0.at, utcOffset: $0.utcOffset) }
    }

    /// - Parameter today: the day on which the value arrived.
    /// - Returns: today's steps; nil if they are more than a person makes.
    mutating func steps(_ value: Int, on today: Day) -> Int? {
        var next = self
        if let day, day != today { (next.base, next.origin) = (0, last) }
        if value < last { (next.base, next.origin) = (next.base + last - next.origin, 0) }
        (next.day, next.last) = (today, value)
        let steps = next.base + value - next.origin
        // From a wrong value none is counted.
        guard steps <= maximumStepsOfADay else { return nil }
        self = next
        return steps
    }
}
