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
    }

    /// - Parameter today: the day on which the value arrived.
    /// - Returns: today's steps; nil if they are more than a person makes.
    mutating func steps(_ value: Int, on today: Day) -> Int? {
        if let day, day != today { (base, origin) = (0, last) }
        if value < last { (base, origin) = (base + last - origin, 0) }
        (day, last) = (today, value)
        let steps = base + value - origin
        return steps <= maximumStepsOfADay ? steps : nil
    }
}
