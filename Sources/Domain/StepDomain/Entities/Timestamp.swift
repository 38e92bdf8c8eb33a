public import Foundation

/// A moment, in whole seconds since 1970-01-01T00:00:00Z (leap seconds not counted, as POSIX has it).
///
/// Steps come in slots of minutes, so a finer resolution would not be more accurate; an integer compares, hashes and stores exactly.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    public let seconds: Int

    public init(_ seconds: Int) { self.seconds = seconds }

    public init(from decoder: any Decoder) throws {
        seconds = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }
    public static func + (a: Timestamp, seconds: Int) -> Timestamp { Timestamp(a.seconds + seconds) }
    public static func - (a: Timestamp, seconds: Int) -> Timestamp { Timestamp(a.seconds - seconds) }
    /// Seconds from `b` to `a`.
    public static func - (a: Timestamp, b: Timestamp) -> Int { a.seconds - b.seconds }
}

extension Timestamp {
    /// ISO 8601 with the offset, such as `2014-04-20T07:30:00+02:00`.
    ///
    /// - Parameter utcOffset: seconds east of Greenwich.
    public func iso8601(utcOffset: Int) -> String {
        let local = seconds + utcOffset
        let day = Day(daysSince1970: floorDivide(local, 86_400))
        let clock = floorRemainder(local, 86_400)
        let offset = abs(utcOffset) / 60
        let sign = utcOffset < 0 ? "-" : "+"
        return "\(day)T\(two(clock / 3600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
            + "\(sign)\(two(offset / 60)):\(two(offset % 60))"
    }
}

/// A half-open span of time: `start` belongs to it, `end` does not.
public struct TimeSpan: Hashable, Sendable, Codable {
    public let start: Timestamp
    public let end: Timestamp

    /// - Precondition: `start <= end`; a span that would end before it starts is made empty.
    public init(_ start: Timestamp, _ end: Timestamp) {
        self.start = start
        self.end = max(start, end)
    }

    /// Seconds.
    public var length: Int { end - start }
    public var isEmpty: Bool { start == end }

    public func contains(_ moment: Timestamp) -> Bool { start <= moment && moment < end }
    public func overlaps(_ other: TimeSpan) -> Bool { start < other.end && other.start < end }

    /// The part that both have, or nil where they share no second.
    public func intersection(_ other: TimeSpan) -> TimeSpan? {
        overlaps(other) ? TimeSpan(max(start, other.start), min(end, other.end)) : nil
    }
}

/// Division that rounds towards minus infinity, so that days before 1970 count right.
func floorDivide(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a % b < 0 ? quotient - 1 : quotient
}

func floorRemainder(_ a: Int, _ b: Int) -> Int { a - floorDivide(a, b) * b }

/// At least two digits.
func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

/// What local clocks show: the UTC offset at each moment, and from it the seconds that a day covers.
///
/// A value rather than `TimeZone`, so that tests and simulations can use any offset, and so that a process needs only the C library's zone
/// table for its days.
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

    public func day(of moment: Timestamp) -> Day { Day(of: moment, utcOffset: utcOffset(moment)) }

    /// The first moment at which clocks here show at least `seconds` after midnight of `day`.
    ///
    /// Where clocks skip that time (spring), it is the moment of the change; where they show it twice (autumn), the
    /// first of the two.
    public func moment(_ day: Day, seconds: Int = 0) -> Timestamp {
        let wall = day.daysSince1970 * 86_400 + seconds
        // Offsets lie between -14 h and +14 h and change at most once in such a span, so the two offsets
        // around the wanted time are all that can be in force.
        let before = utcOffset(Timestamp(wall - 86_400))
        let after = utcOffset(Timestamp(wall + 86_400))
        let candidates = [wall - before, wall - after].map(Timestamp.init).sorted()
        for candidate in candidates where candidate.seconds + utcOffset(candidate) == wall { return candidate }
        return change(between: candidates[0], and: candidates[1])
    }

    /// The seconds of a day here: 23, 24 or 25 hours of them.
    public func span(of day: Day) -> TimeSpan { TimeSpan(moment(day), moment(day.advanced(by: 1))) }

    /// The moment at which the offset in force at `late` begins, looked for after `early`.
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
