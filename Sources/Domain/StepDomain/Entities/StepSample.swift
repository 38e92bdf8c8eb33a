/// Steps of one slot of time, as a pedometer counted them.
public struct StepSample: Hashable, Sendable {
    public var start: Timestamp
    /// Seconds, at least 1.
    public var length: Int
    /// At least 0.
    public var steps: Int
    /// Metres as calculated by the pedometer, if it reports them.
    public var distance: Double?
    /// Kilocalories as calculated by the pedometer, if it reports them.
    public var energy: Double?
    /// Whether it is a part of a sample that is not spread over its hours (`maximumSpread`): a part of the total of a
    /// day is short, too, and nobody knows when its steps were made. A history stores whole samples only.
    package var isPartOfManyHours = false
    /// Seconds east of Greenwich at the place where the steps were made: it decides the day that they belong to.
    public var utcOffset: Int

    public init(
        start: Timestamp, length: Int, steps: Int, distance: Double? = nil, energy: Double? = nil, utcOffset: Int
    ) {
        self.start = start
        self.length = length
        self.steps = steps
        self.distance = distance
        self.energy = energy
        self.utcOffset = utcOffset
    }

    public var span: TimeSpan { TimeSpan(start, start + length) }
    public var day: Day { Day(of: start, utcOffset: utcOffset) }

    /// A person cannot make more than five steps a second over a slot (the cadence of sprinters is lower): such a
    /// sample is kept apart and not counted. The table `sample` of the history has the same limit.
    public static let maximumStepsPerSecond = 5

    /// Seconds. UTC offsets of clocks do not exceed 14 hours (Kiribati).
    public static let maximumUTCOffset = 14 * 3600
    public static var utcOffsets: ClosedRange<Int> { -maximumUTCOffset...maximumUTCOffset }

    /// Seconds, rounded up: so many steps cannot be made in less time.
    ///
    /// - Parameter steps: any number, also from a file or over the air: nothing overflows.
    public static func minimumLength(for steps: Int) -> Int {
        steps / maximumStepsPerSecond + (steps % maximumStepsPerSecond > 0 ? 1 : 0)
    }

    public var isPlausible: Bool { steps >= 0 && length > 0 && steps <= length * Self.maximumStepsPerSecond }
}
