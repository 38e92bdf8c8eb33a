/// What to watch, and how.
public struct WatchOptions: Hashable, Sendable {
    /// Names or addresses; empty for all.
    public var pedometers: [String]
    /// The user whose pedometers to watch; nil for those of all users.
    public var user: String?
    /// Seconds between two readings of a pedometer that stays in range.
    public var interval: Int
    /// Whether to stay connected and report steps live.
    public var isLive: Bool
    public var isShared: Bool
    /// Whether it runs as a service: it waits for the first pedometer, maintains the history, and reports to
    /// the journal and the desktop.
    public var isUnattended: Bool
    /// Whether notices that the output of a sync shows count as seen: not if a program reads it.
    public var marksNotices: Bool

    /// Seconds. A quarter of an hour is the slot of most rings.
    public static let standardInterval = 900

    public init(
        pedometers: [String] = [], user: String? = nil, interval: Int = standardInterval, isLive: Bool = false,
        isShared: Bool = true,
        isUnattended: Bool = false, marksNotices: Bool = true
    ) {
        self.pedometers = pedometers
        self.user = user
        self.interval = interval
        self.isLive = isLive
        self.isShared = isShared
        self.isUnattended = isUnattended
        self.marksNotices = marksNotices
    }
}
