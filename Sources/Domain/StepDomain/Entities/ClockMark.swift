/// This machine's clock at a moment, beside one that is never set: two of them show whether the clock was set
/// meanwhile.
public struct ClockMark: Hashable, Sendable, Codable {
    /// The time that the clock showed.
    public var at: Timestamp
    /// Seconds since the machine was started, including those in which it was suspended (`CLOCK_BOOTTIME`).
    public var uptime: Int
    /// Which start of the machine: `/proc/sys/kernel/random/boot_id`; empty if it cannot be read.
    public var boot: String
    /// Whether a time server has set the clock since then.
    public var isTrusted: Bool
    /// Whether the machine has a clock that runs while it is off. Such a clock is believed, although it may be wrong:
    /// many machines ask no time server. It is not stored.
    public var hasOwnClock = false

    private enum CodingKeys: CodingKey { case at, uptime, boot, isTrusted }

    public init(at: Timestamp, uptime: Int, boot: String, isTrusted: Bool, hasOwnClock: Bool = false) {
        self.at = at
        self.uptime = uptime
        self.boot = boot
        self.isTrusted = isTrusted
        self.hasOwnClock = hasOwnClock
    }

    /// Whether the clock is taken as right.
    public var isBelieved: Bool { isTrusted || hasOwnClock }

    /// What happened to the clock between two moments.
    public enum Change: Hashable, Sendable {
        /// Nothing that matters.
        case none
        /// It was set by this many seconds: positive if it was put forward.
        case set(seconds: Int)
        /// It may have been wrong at the earlier moment, and it is not known by how much.
        case unknown
    }

    /// Seconds: a clock that was set by less shifts steps within a day, as a pedometer's own clock may.
    public static let tolerance = 3_600

    /// What happened to the clock since an earlier mark.
    ///
    /// After a restart, only two things show that it was wrong before: it has gone back, or a time server has set it
    /// now, and had not then.
    public func change(since earlier: ClockMark) -> Change {
        let step = (at - earlier.at) - (uptime - earlier.uptime)
        if abs(step) <= Self.tolerance, uptime >= earlier.uptime { return .none }
        if boot == earlier.boot, !boot.isEmpty { return .set(seconds: step) }
        return at < earlier.at - Self.tolerance || (isTrusted && !earlier.isTrusted) ? .unknown : .none
    }
}
