internal import Support

/// A moment, in whole seconds since 1970-01-01T00:00:00Z (leap seconds not counted, as POSIX has it).
///
/// Steps come in slots of minutes, so a finer resolution would not be more accurate; an integer compares, hashes and
/// stores exactly.
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
        return "\(day)T\(twoDigits(clock / 3600)):\(twoDigits(clock / 60 % 60)):\(twoDigits(clock % 60))"
            + "\(sign)\(twoDigits(offset / 60)):\(twoDigits(offset % 60))"
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

    /// The common part of both, or nil if they have no second in common.
    public func intersection(_ other: TimeSpan) -> TimeSpan? {
        overlaps(other) ? TimeSpan(max(start, other.start), min(end, other.end)) : nil
    }
}

/// The number with at least two digits.
func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
