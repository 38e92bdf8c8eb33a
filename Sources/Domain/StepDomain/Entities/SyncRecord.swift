/// One attempt to read a pedometer: who, when, how it ended, what was read.
public struct SyncRecord: Hashable, Sendable, Identifiable {
    public typealias ID = Int64

    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// Begun and not ended: the process was killed, or still runs.
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
    /// Nil unless failed; also nil for a failure from before causes were stored.
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

extension SyncRecord {
    /// Seconds. No sync takes this long.
    public static let longest = 3600

    /// Whether it was begun long ago and never ended: it was killed, or the machine was switched off.
    public func isAbandoned(at now: Timestamp) -> Bool { outcome == .running && now - start >= Self.longest }

    /// Whether it was ended from outside: by Ctrl-C, a time limit, or with the machine. It is neither a success nor a
    /// failure: it says nothing about the pedometer or the link.
    public func isInterrupted(at now: Timestamp) -> Bool {
        isAbandoned(at: now) || (outcome == .failed && cause == .interrupted)
    }
}

/// The last syncs of a pedometer, newest first.
extension [SyncRecord] {
    /// Those since the last complete one.
    public var attempts: [SyncRecord] { Array(prefix { $0.outcome != .complete }) }

    /// Those of the attempts that failed.
    public func failures(at now: Timestamp) -> [SyncRecord] {
        attempts.filter { $0.outcome == .failed && !$0.isInterrupted(at: now) }
    }
}

/// The last syncs of a pedometer at a moment.
public struct RecentSyncs: Hashable, Sendable {
    /// Newest first; none of them is in the future.
    public var syncs: [SyncRecord]
    /// When the latest sync of the future began, recorded while this machine's clock was ahead; nil if there is none.
    /// It counts for nothing until then: as the newest one it would hide all that happens in the meantime.
    public var ahead: Timestamp?

    public init(syncs: [SyncRecord], ahead: Timestamp? = nil) {
        self.syncs = syncs
        self.ahead = ahead
    }
}

/// What a sync stored for a day and no later sync has replaced with more steps.
public struct DaySync: Hashable, Sendable {
    public var pedometer: Pedometer.ID
    public var start: Timestamp
    /// Nil if it did not end.
    public var end: Timestamp?
    /// Samples and the steps in them.
    public var slots, steps: Int

    public init(pedometer: Pedometer.ID, start: Timestamp, end: Timestamp?, slots: Int, steps: Int) {
        self.pedometer = pedometer
        self.start = start
        self.end = end
        self.slots = slots
        self.steps = steps
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

    public init(
        added: Int = 0, grown: Int = 0, unchanged: Int = 0, implausible: Int = 0, steps: Int = 0, frames: Int = 0
    ) {
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
