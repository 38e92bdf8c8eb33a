/// The facts about the raw frames of one sync that decide whether they are kept.
public struct SyncFrames: Hashable, Sendable {
    public let sync: SyncRecord.ID
    public let pedometer: Pedometer.ID
    /// When the sync began.
    public let start: Timestamp
    /// The approximate number of bytes that the frames take in the history.
    public let bytes: Int
    public let doubt: Doubt?

    /// Why the samples of a sync may have to be decoded again from its frames.
    public enum Doubt: String, Hashable, Sendable, CaseIterable {
        /// Some of its samples were implausible and are kept apart.
        case implausible
        /// It failed because of what the pedometer sent, and no sync of the same pedometer has been complete since.
        case undecoded
        /// Some of its samples belong to a day that is not completely known.
        case partialDay
    }

    public init(sync: SyncRecord.ID, pedometer: Pedometer.ID, start: Timestamp, bytes: Int, doubt: Doubt?) {
        self.sync = sync
        self.pedometer = pedometer
        self.start = start
        self.bytes = bytes
        self.doubt = doubt
    }
}

/// How long raw frames are kept. They allow a day to be decoded again after a fault of a decoder, and cause most of a
/// history's growth.
public struct FrameRetention: Hashable, Sendable {
    /// Nil for no limit of age; the limit `bytes` still applies.
    public var days: Int?
    /// Size limit of all frames together. A ring's night takes about 6 kB, so 64 MB is more than 25 years of one ring.
    /// A pedometer that sends without end (700 kB a sync were seen) uses more, and so does a large household, which
    /// should choose an age.
    public var bytes: Int

    public static let standardDays = 2 * 366
    public static let standardBytes = 64_000_000

    public init(days: Int? = standardDays, bytes: Int = standardBytes) {
        self.days = days
        self.bytes = bytes
    }

    /// Whether frames of a sync that began then are deleted because of their age.
    public func isTooOld(_ start: Timestamp, at now: Timestamp) -> Bool {
        days.map { start < now - $0 * 86_400 } ?? false
    }

    /// The syncs of which the frames are deleted: first those that are too old, then the oldest until the rest fits.
    ///
    /// Frames of a sync that is in doubt stay, whatever their age and size.
    public func surplus(_ syncs: [SyncFrames], at now: Timestamp) -> [SyncFrames] {
        var total = syncs.reduce(0) { $0 + $1.bytes }
        var surplus: [SyncFrames] = []
        for frames in syncs.sorted(by: { ($0.start, $0.sync) < ($1.start, $1.sync) }) where frames.doubt == nil {
            guard isTooOld(frames.start, at: now) || total > bytes else { continue }
            total -= frames.bytes
            surplus.append(frames)
        }
        return surplus
    }
}
