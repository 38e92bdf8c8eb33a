internal import Foundation
internal import Support

/// A calendar day (proleptic Gregorian), without a place: `LocalTime` decides which seconds it covers.
public struct Day: Hashable, Comparable, Sendable, Strideable {
    /// Days since 1970-01-01, which is 0.
    public let daysSince1970: Int

    public init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    /// The day of year, month (1...12) and day of the month (1...31), or nil if there is no such day. Years 1 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= Day.length(ofMonth: month, year: year) else { return nil }
        daysSince1970 = CivilCalendar.daysSince1970(year: year, month: month, day: day)
    }

    /// The day of a moment in a place whose clocks are `utcOffset` seconds ahead of UTC.
    public init(of moment: Timestamp, utcOffset: Int) {
        daysSince1970 = floorDivide(moment.seconds + utcOffset, 86_400)
    }

    /// Year, month 1...12 and day of the month 1...31.
    public var components: (year: Int, month: Int, day: Int) { CivilCalendar.components(daysSince1970: daysSince1970) }

    public var weekday: Weekday {
        // 1970-01-01 was a Thursday.
        Weekday.allCases[floorRemainder(daysSince1970 + 3, 7)]
    }

    public func advanced(by days: Int) -> Day { Day(daysSince1970: daysSince1970 + days) }
    public func distance(to other: Day) -> Int { other.daysSince1970 - daysSince1970 }
    public static func < (a: Day, b: Day) -> Bool { a.daysSince1970 < b.daysSince1970 }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Day: CustomStringConvertible, LosslessStringConvertible, Codable {
    /// ISO 8601: `2014-04-20`.
    public var description: String {
        let (year, month, day) = components
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.count))
            + "\(digits)-\(twoDigits(month))-\(twoDigits(day))"
    }

    /// Accepts exactly `YYYY-MM-DD`, digits only; nil for anything else and for days that do not exist.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(Int?(0)) { sum, byte in
                guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                return sum * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = Day(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a day: \(text.debugDescription)")
        }
        self = day
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// ISO weekdays: the week starts on Monday.
public enum Weekday: Int, CaseIterable, Sendable, Codable {
    case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday

    /// English, lower case, in full.
    public var name: String { Self.names[rawValue - 1] }

    /// A list, because string interpolation searches the program's conformances for ways to print a value, which takes
    /// half a millisecond of each command.
    private static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The first day of a week: the configured one by its name, else that of the locale, else Monday (ISO 8601).
    ///
    /// - Parameter environment: `LC_ALL`, `LC_TIME` and `LANG` are used.
    public init(firstOfWeek name: String?, environment: [String: String]) {
        self = Self.allCases.first { $0.name == name } ?? Self.firstOfWeek(environment: environment) ?? .monday
    }

    /// The first day of the week where the user lives, by the locale for dates; nil if none is set or installed.
    ///
    /// glibc has it as the number of a day, counted from 1 for the weekday of a date: 19971130 is a Sunday, 19971201 a
    /// Monday (locale(5), `week` and `first_weekday`).
    private static func firstOfWeek(environment: [String: String]) -> Weekday? {
        let names = ["LC_ALL", "LC_TIME", "LANG"].compactMap { environment[$0] }
        guard let name = names.first(where: { !$0.isEmpty }), !["C", "POSIX"].contains(name.prefix { $0 != "." }),
            let locale = newlocale(Int32(LC_TIME_MASK), name, nil)
        else { return nil }
        defer { freelocale(locale) }
        guard let first = nl_langinfo_l(nl_item(_NL_TIME_FIRST_WEEKDAY), locale)?.pointee, (1...7).contains(first)
        else { return nil }
        // The date is a number, stored as the pointer itself.
        let base = UInt(bitPattern: nl_langinfo_l(nl_item(_NL_TIME_WEEK_1STDAY), locale)) & 0xffff_ffff
        let sundays = base == 19_971_201 ? 1 : 0
        return Weekday(rawValue: (Int(first) - 2 + sundays + 7) % 7 + 1)
    }
}
