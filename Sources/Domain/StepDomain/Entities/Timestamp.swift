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
    /// The last second of the year 9999, the last that a `Day` can name.
    public static let last = Timestamp(253_402_300_799)

    /// ISO 8601 with the offset, such as `2014-04-20T07:30:00+02:00`; with seconds in an offset that has them.
    ///
    /// - Parameter utcOffset: seconds east of Greenwich.
    public func iso8601(utcOffset: Int) -> String {
        let local = seconds + utcOffset
        let day = Day(daysSince1970: floorDivide(local, 86_400))
        let clock = floorRemainder(local, 86_400)
        return "\(day)T\(twoDigits(clock / 3600)):\(twoDigits(clock / 60 % 60)):\(twoDigits(clock % 60))"
            + Self.text(utcOffset: utcOffset)
    }

    /// `+02:00`; with seconds if the offset has them.
    public static func text(utcOffset: Int) -> String {
        let minutes = abs(utcOffset) / 60
        return "\(utcOffset < 0 ? "-" : "+")\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
            + (utcOffset % 60 == 0 ? "" : ":\(twoDigits(abs(utcOffset) % 60))")
    }

    /// What `iso8601` has written.
    ///
    /// - Returns: nil for any other text.
    public static func parsed(iso8601 text: some StringProtocol) -> (moment: Timestamp, utcOffset: Int)? {
        let bytes = Array(text.utf8)
        func number(_ first: Int) -> Int? {
            guard first + 1 < bytes.count, (0x30...0x39).contains(bytes[first]),
                (0x30...0x39).contains(bytes[first + 1])
            else { return nil }
            return Int(bytes[first] - 0x30) * 10 + Int(bytes[first + 1] - 0x30)
        }
        guard bytes.count == 25 || bytes.count == 28, let day = Day(String(decoding: bytes[..<10], as: UTF8.self)),
            bytes[10] == UInt8(ascii: "T"), [13, 16, 22].allSatisfy({ bytes[$0] == UInt8(ascii: ":") }),
            let hour = number(11), let minute = number(14), let second = number(17), hour < 24, minute < 60,
            second < 60,
            let sign = [UInt8(ascii: "+"): 1, UInt8(ascii: "-"): -1][bytes[19]], let hours = number(20),
            let minutes = number(23), minutes < 60
        else { return nil }
        var offset = hours * 3600 + minutes * 60
        if bytes.count == 28 {
            guard bytes[25] == UInt8(ascii: ":"), let seconds = number(26), seconds < 60 else { return nil }
            offset += seconds
        }
        let local = day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        return (Timestamp(local - sign * offset), sign * offset)
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
