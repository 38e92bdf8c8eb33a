/// The frames of a sync, as they were stored.
public struct StoredReading: Sendable {
    public var sync: SyncRecord
    /// In the order in which they were sent and received; empty if they were deleted or never stored.
    public var frames: [RawFrame]

    public init(sync: SyncRecord, frames: [RawFrame]) { (self.sync, self.frames) = (sync, frames) }
}

/// What the frames of a sync say to the decoder of this version.
public struct ReplayedReading: Sendable {
    public var sync: SyncRecord.ID
    /// In their order, without frames.
    public var batches: [SampleBatch]
    /// Decides to which days the coverage of the batches belongs.
    public var localTime: LocalTime

    public init(sync: SyncRecord.ID, batches: [SampleBatch], localTime: LocalTime) {
        (self.sync, self.batches, self.localTime) = (sync, batches, localTime)
    }
}

/// Decodes stored frames again: what the driver of a pedometer must do for it.
public protocol FrameDecoder: Sendable {
    /// - Parameter pedometer: with cursor and clock as they were before the reading.
    /// - Returns: nil if it would ask the pedometer for something else today, so that the frames are not the answers,
    ///   or if the model cannot be read from frames alone.
    func decode(_ frames: [RawFrame], of pedometer: Pedometer, localTime: LocalTime) -> (
        batches: [SampleBatch], clock: ClockState.Setting?
    )?
}

/// What was decoded of a pedometer.
public struct PedometerReplay: Sendable {
    public var pedometer: Pedometer
    public var readings: [ReplayedReading]
    /// Syncs with frames that could not be decoded again: what they stored stays.
    public var kept: Int
    /// Syncs that stored samples and have no frames any more.
    public var withoutFrames: Int

    public init(pedometer: Pedometer, readings: [ReplayedReading] = [], kept: Int = 0, withoutFrames: Int = 0) {
        (self.pedometer, self.readings, self.kept, self.withoutFrames) = (pedometer, readings, kept, withoutFrames)
    }
}

/// What a replay changes of a pedometer.
public struct ReplayChanges: Sendable {
    public var replay: PedometerReplay
    /// Days of its user whose figures change, with their steps by all pedometers; without corrections.
    public var days: [DayChange]
    /// Samples that differ.
    public var samples: Int

    public init(_ replay: PedometerReplay, days: [DayChange] = [], samples: Int = 0) {
        (self.replay, self.days, self.samples) = (replay, days, samples)
    }
}
