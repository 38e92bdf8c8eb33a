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
    /// Spans that the pedometer has accounted for: inside them, no sample means no steps. `ClockState.localTime`
    /// decides which days they belong to.
    public var coverage: [TimeSpan]
    public var frames: [RawFrame]
    /// Where the next sync continues, once this batch is committed; nil leaves it as it was.
    public var cursor: PedometerCursor?
    /// What committing this batch makes final, such as days that are lost: to be reported even if the reading fails
    /// later.
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
