/// One attempt to read a pedometer: who, when, how it ended, what it brought.
public struct SyncRecord: Hashable, Sendable, Identifiable {
    public typealias ID = Int64

    public enum Outcome: String, Sendable, Codable {
        /// Begun and never ended: the process was killed, or runs still.
        case running
        /// All that the pedometer had was read.
        case complete
        /// It ended early; what came before is committed.
        case failed
    }

    public let id: ID
    public let pedometer: Pedometer.ID
    public let start: Timestamp
    public var end: Timestamp?
    public var outcome: Outcome
    /// Per cent, 0...100.
    public var battery: Int?
    public var counts: MergeCounts
    /// What went wrong, in words for the user; nil unless failed.
    public var failure: String?
    /// Nil unless failed; of a failure from before causes were kept, too.
    public var cause: FailureCause?

    public init(
        id: ID, pedometer: Pedometer.ID, start: Timestamp, end: Timestamp? = nil, outcome: Outcome = .running,
        battery: Int? = nil, counts: MergeCounts = MergeCounts(), failure: String? = nil, cause: FailureCause? = nil
    ) {
        self.id = id
        self.pedometer = pedometer
        self.start = start
        self.end = end
        self.outcome = outcome
        self.battery = battery
        self.counts = counts
        self.failure = failure
        self.cause = cause
    }
}

/// What a merge did to the history.
public struct MergeCounts: Hashable, Sendable, Codable {
    /// Samples of slots that the history did not have.
    public var added = 0
    /// Samples whose slot had fewer steps before.
    public var grown = 0
    /// Samples that changed nothing.
    public var unchanged = 0
    /// Samples kept apart as implausible.
    public var implausible = 0
    /// Steps that the history gained.
    public var steps = 0
    /// Frames kept.
    public var frames = 0

    public init(added: Int = 0, grown: Int = 0, unchanged: Int = 0, implausible: Int = 0, steps: Int = 0, frames: Int = 0) {
        self.added = added
        self.grown = grown
        self.unchanged = unchanged
        self.implausible = implausible
        self.steps = steps
        self.frames = frames
    }

    public static func += (a: inout MergeCounts, b: MergeCounts) {
        a.added += b.added
        a.grown += b.grown
        a.unchanged += b.unchanged
        a.implausible += b.implausible
        a.steps += b.steps
        a.frames += b.frames
    }
}

/// Something that a sync noticed and the user should hear.
public enum SyncNotice: Hashable, Sendable, Codable {
    /// The pedometer's clock was ahead of (positive) or behind (negative) local time by about this many seconds;
    /// nil where only that it was off can be told.
    case clockWasOff(seconds: Int?)
    /// Per cent.
    case batteryLow(Int)
    /// Frames that could not be decoded; they are kept.
    case undecodable(frames: Int)
    /// Samples kept apart.
    case implausible(samples: Int)
    /// A counter went back: the pedometer restarted; steps between the last reading and the restart are lost.
    case counterRestarted
    /// Days that the pedometer no longer holds: from the first to the last.
    case lost(from: Day, through: Day)
    /// A counter of today was first read on this day after a night unread: yesterday's last steps may be missing.
    case dayNotClosed(Day)
}
