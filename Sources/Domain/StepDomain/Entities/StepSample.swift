/// Steps of one slot of time, as a pedometer counted them.
public struct StepSample: Hashable, Sendable, Codable {
    public var start: Timestamp
    /// Seconds, at least 1.
    public var length: Int
    /// At least 0.
    public var steps: Int
    /// Metres as calculated by the pedometer, if it reports them.
    public var distance: Double?
    /// Kilocalories as calculated by the pedometer, if it reports them.
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

/// Bytes as they were sent over the air: the origin of the samples, and the input of a decoder that is corrected later.
public struct RawFrame: Hashable, Sendable {
    public enum Direction: String, Sendable { case received, sent }
    public var direction: Direction
    public var at: Timestamp
    /// At most `longest` bytes.
    public let bytes: [UInt8]

    /// Bytes. The longest attribute value (Bluetooth Core Specification, Vol 3, Part F, 3.2.9).
    public static let longest = 512

    /// - Parameter bytes: cut after `longest` bytes, because what comes over the air may violate the specification.
    public init(_ direction: Direction, at: Timestamp, bytes: [UInt8]) {
        self.direction = direction
        self.at = at
        self.bytes = bytes.count > Self.longest ? Array(bytes.prefix(Self.longest)) : bytes
    }
}

/// What a pedometer delivered in one piece: committed as a whole.
public struct SampleBatch: Hashable, Sendable {
    public var samples: [StepSample]
    /// Spans that the pedometer has accounted for: inside them, no sample means no steps. `ClockState.place` decides which days they belong
    /// to.
    public var coverage: [TimeSpan]
    public var frames: [RawFrame]
    /// Where the next sync continues, once this batch is committed; nil leaves it as it was.
    public var cursor: PedometerCursor?
    /// What committing this batch makes final, such as days that are lost: to be reported even if the reading fails later.
    public var notices: [SyncNotice]
    /// What the pedometer itself counts for the day of these samples, if it was asked.
    public var deviceTotal: DeviceTotal?

    public init(
        samples: [StepSample] = [], coverage: [TimeSpan] = [], frames: [RawFrame] = [], cursor: PedometerCursor? = nil,
        notices: [SyncNotice] = [], deviceTotal: DeviceTotal? = nil
    ) {
        self.samples = samples
        self.coverage = coverage
        self.frames = frames
        self.cursor = cursor
        self.notices = notices
        self.deviceTotal = deviceTotal
    }
}

/// Time that a pedometer has accounted for, and where: inside it, no sample means no steps.
public struct CoveredSpan: Hashable, Sendable {
    public var span: TimeSpan
    /// Seconds east of Greenwich where it was made: it decides the days that it accounts for, as it does for samples.
    public var utcOffset: Int

    public init(_ span: TimeSpan, utcOffset: Int) {
        self.span = span
        self.utcOffset = utcOffset
    }

    /// The part that lies within a day by the span's own offset; nil where there is none.
    public func part(of day: Day) -> TimeSpan? {
        let midnight = Timestamp(day.daysSince1970 * 86_400 - utcOffset)
        return span.intersection(TimeSpan(midnight, midnight + 86_400))
    }
}

extension Sequence<CoveredSpan> {
    /// What decides how much of a day is accounted for: the spans that have a part of it, and those that lie between such parts
    /// or adjoin them. Empty where none has a part.
    public func deciding(_ day: Day) -> [CoveredSpan] {
        let parts = compactMap { $0.part(of: day) }
        guard let start = parts.map(\.start).min(), let end = parts.map(\.end).max() else { return [] }
        return filter { $0.span.start <= end && $0.span.end >= start }
    }
}

extension LocalTime {
    /// A span divided where local clocks were changed, each part with its offset.
    public func covered(_ span: TimeSpan) -> [CoveredSpan] {
        var pieces: [CoveredSpan] = []
        var start = span.start
        while start < span.end {
            let offset = utcOffset(start)
            var end = start
            // Offsets change at most once a day, so no change is missed between two checks.
            while end < span.end, utcOffset(end) == offset { end = min(end + 86_400, span.end) }
            if utcOffset(end - 1) != offset { end = change(between: max(start, end - 86_400), and: end - 1) }
            pieces.append(CoveredSpan(TimeSpan(start, end), utcOffset: offset))
            start = end
        }
        return pieces
    }
}

extension ClockState {
    /// The location of a pedometer over time: the offset that its clock was set to, from each setting on.
    ///
    /// Within one zone the day follows the zone, across a change of daylight saving too; after a journey the time before it
    /// keeps the old place's offset. Before the first setting, and for a pedometer without a clock, it is `here`.
    public func place(_ here: LocalTime) -> LocalTime {
        let settings = settings
        guard !settings.isEmpty else { return here }
        return LocalTime { moment in
            guard let setting = settings.last(where: { $0.at <= moment }) else { return here.utcOffset(moment) }
            return setting.offset(at: moment, here)
        }
    }
}

extension ClockState.Setting {
    /// The offset of the place where a pedometer with this setting was at a moment.
    ///
    /// Within one zone it follows the zone, across a change of daylight saving too; steps made at an old place keep its offset.
    package func offset(at moment: Timestamp, _ here: LocalTime) -> Int {
        here.utcOffset(at) == utcOffset ? here.utcOffset(moment) : utcOffset
    }
}
