/// Steps of one slot of time, as a pedometer counted them.
public struct StepSample: Hashable, Sendable, Codable {
    public var start: Timestamp
    /// Seconds, at least 1.
    public var length: Int
    /// At least 0.
    public var steps: Int
    /// Metres by the pedometer's own reckoning, if it tells.
    public var distance: Double?
    /// Kilocalories by the pedometer's own reckoning, if it tells.
    public var energy: Double?
    /// Seconds east of Greenwich where the steps were made: it decides the day that they belong to.
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

    /// More than five steps a second over a slot is no gait of people (the cadence of sprinters stays below it):
    /// such a sample is kept apart, not counted.
    public static let mostStepsPerSecond = 5

    public var isPlausible: Bool { steps >= 0 && length > 0 && steps <= length * Self.mostStepsPerSecond }
}

/// Bytes as they went over the air: provenance, and material for a decoder that is mended later.
public struct RawFrame: Hashable, Sendable {
    public enum Direction: String, Sendable { case received, sent }
    public var direction: Direction
    public var at: Timestamp
    /// At most 512 bytes, the longest attribute value of the Attribute Protocol.
    public var bytes: [UInt8]

    public init(_ direction: Direction, at: Timestamp, bytes: [UInt8]) {
        self.direction = direction
        self.at = at
        self.bytes = bytes
    }
}

/// What a pedometer handed over in one piece: committed whole, before the next is asked for.
public struct SampleBatch: Hashable, Sendable {
    public var samples: [StepSample]
    /// Spans that the pedometer has accounted for: inside them, no sample means no steps. Which days they belong to is for
    /// `ClockState.place` to say.
    public var coverage: [TimeSpan]
    public var frames: [RawFrame]
    /// Where the next sync goes on, once this batch is committed; nil leaves it as it was.
    public var cursor: PedometerCursor?

    public init(
        samples: [StepSample] = [], coverage: [TimeSpan] = [], frames: [RawFrame] = [], cursor: PedometerCursor? = nil
    ) {
        self.samples = samples
        self.coverage = coverage
        self.frames = frames
        self.cursor = cursor
    }
}
