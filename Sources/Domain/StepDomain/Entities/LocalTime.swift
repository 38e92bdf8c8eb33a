public import Foundation
internal import Support
internal import Synchronization

/// What local clocks show: the UTC offset at each moment, and from it the seconds that a day covers.
///
/// A value rather than `TimeZone`, so that tests and simulations can use any offset, and so that a process needs only
/// the C library's zone table for its days.
public struct LocalTime: Sendable {
    /// Seconds east of Greenwich at a moment.
    public let utcOffset: @Sendable (Timestamp) -> Int

    public init(utcOffset: @escaping @Sendable (Timestamp) -> Int) { self.utcOffset = utcOffset }

    /// The zone of this process: `TZ`, else the machine's.
    public static let system: LocalTime = {
        tzset()  // localtime_r need not look at TZ by itself (POSIX.1-2017)
        return LocalTime { moment in
            var time = time_t(moment.seconds)
            var fields = tm()
            return localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
        }
    }()

    /// Reads the machine's time zone again, for a program that runs for long: `system` uses it from then on.
    public static func reloadSystemZone() { tzset() }

    public static func fixed(_ seconds: Int) -> LocalTime { LocalTime { _ in seconds } }

    public static func zone(_ zone: TimeZone) -> LocalTime {
        LocalTime { zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval($0.seconds))) }
    }

    /// The same zone, faster where many moments are asked for: the offset of a day of UTC without a change is kept.
    public func remembered() -> LocalTime {
        let memory = OffsetMemory(self)
        return LocalTime { memory.utcOffset($0) }
    }

    public func day(of moment: Timestamp) -> Day { Day(of: moment, utcOffset: utcOffset(moment)) }

    /// The first moment at which clocks here show at least `seconds` after midnight of `day`.
    ///
    /// If clocks skip that time (spring), it is the moment of the change; if they show it twice (autumn), the
    /// first of the two.
    public func moment(_ day: Day, seconds: Int = 0) -> Timestamp {
        let wall = day.daysSince1970 * 86_400 + seconds
        // Offsets lie between -14 h and +14 h and change at most once in such a span, so only the two offsets around
        // the wanted time can be in force.
        let before = utcOffset(Timestamp(wall - 86_400))
        let after = utcOffset(Timestamp(wall + 86_400))
        let candidates = [wall - before, wall - after].map(Timestamp.init).sorted()
        for candidate in candidates where candidate.seconds + utcOffset(candidate) == wall { return candidate }
        return change(between: candidates[0], and: candidates[1])
    }

    /// The span of a day here: 23, 24 or 25 hours.
    public func span(of day: Day) -> TimeSpan { TimeSpan(moment(day), moment(day.advanced(by: 1))) }

    /// The moment at which the offset in force at `late` begins; it is searched for after `early`.
    func change(between early: Timestamp, and late: Timestamp) -> Timestamp {
        let offset = utcOffset(late)
        var (low, high) = (early.seconds, late.seconds)
        while low < high {
            let middle = low + (high - low) / 2
            if utcOffset(Timestamp(middle)) == offset { high = middle } else { low = middle + 1 }
        }
        return Timestamp(low)
    }
}

/// The offsets of days of UTC on which clocks are not changed.
private final class OffsetMemory: Sendable {
    private let localTime: LocalTime
    /// By the days since 1970.
    private let offsets = Mutex<[Int: Int]>([:])

    init(_ localTime: LocalTime) { self.localTime = localTime }

    private static let maximumDays = 20_000

    func utcOffset(_ moment: Timestamp) -> Int {
        guard moment.seconds.magnitude < 1 << 40 else { return localTime.utcOffset(moment) }
        let day = floorDivide(moment.seconds, 86_400)
        if let known = offsets.withLock({ $0[day] }) { return known }
        let start = day * 86_400
        let offset = localTime.utcOffset(Timestamp(start))
        // Offsets change at most once in such a time.
        guard localTime.utcOffset(Timestamp(start + 86_400)) == offset else { return localTime.utcOffset(moment) }
        offsets.withLock { known in
            if known.count == Self.maximumDays { known.removeAll() }
            known[day] = offset
        }
        return offset
    }
}
