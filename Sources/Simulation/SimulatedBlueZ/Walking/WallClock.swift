public import Foundation

/// The reading of a clock without a time zone. Pedometers use no other time.
public struct WallClock: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01 00:00 by the clock, with 86,400 seconds in every day.
    public var seconds: Int

    public init(seconds: Int) { self.seconds = seconds }

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        let dayNumber = Self.dayNumber(year: year, month: month, day: day)
        seconds = dayNumber * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The reading of a clock in `zone` at `date`.
    public init(_ date: Date, in zone: TimeZone) {
        seconds = Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)
    }

    /// Whole days since 1970-01-01.
    public var dayNumber: Int { Int((Double(seconds) / 86_400).rounded(.down)) }
    /// 0 Monday … 6 Sunday.
    public var weekday: Int { Self.weekday(ofDay: dayNumber) }
    public var hour: Int { secondOfDay / 3_600 }
    public var minute: Int { secondOfDay % 3_600 / 60 }
    public var second: Int { secondOfDay % 60 }
    public var year: Int { Self.civil(dayNumber).year }
    public var month: Int { Self.civil(dayNumber).month }
    public var day: Int { Self.civil(dayNumber).day }

    public static func < (left: WallClock, right: WallClock) -> Bool { left.seconds < right.seconds }

    var secondOfDay: Int { seconds - dayNumber * 86_400 }

    /// 1970-01-01 was a Thursday.
    static func weekday(ofDay dayNumber: Int) -> Int { ((dayNumber + 3) % 7 + 7) % 7 }

    // The proleptic Gregorian calendar in eras of 400 years (146,097 days), years counted from March so that the
    // leap day is the last of its year.

    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
