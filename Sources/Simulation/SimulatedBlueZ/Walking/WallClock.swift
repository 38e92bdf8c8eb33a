public import Foundation
internal import Glibc

/// The reading of a clock without a time zone. Pedometers use no other time.
public struct WallClock: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01 00:00 by the clock, with 86,400 seconds in every day.
    public var seconds: Int

    public init(seconds: Int) { self.seconds = seconds }

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1_900), Int32(month - 1), Int32(day))
        seconds = timegm(&fields) + hour * 3_600 + minute * 60 + second
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
    public var year: Int { Int(fields.tm_year) + 1_900 }
    public var month: Int { Int(fields.tm_mon) + 1 }
    public var day: Int { Int(fields.tm_mday) }

    public static func < (left: WallClock, right: WallClock) -> Bool { left.seconds < right.seconds }

    var secondOfDay: Int { seconds - dayNumber * 86_400 }

    /// 1970-01-01 was a Thursday.
    static func weekday(ofDay dayNumber: Int) -> Int { ((dayNumber + 3) % 7 + 7) % 7 }

    /// Calculated by the C library: an error in istep's own calendar must not occur in the simulation, too.
    private var fields: tm {
        var (moment, fields) = (seconds, tm())
        gmtime_r(&moment, &fields)
        return fields
    }
}

extension TimeZone {
    /// The zone of this machine, as the C library reads it, and with it istep. Foundation takes UTC if `TZ` has a rule
    /// instead of a name, such as `LOCAL7` (POSIX.1-2017, 8.3).
    public static var ofMachine: TimeZone {
        var (moment, fields) = (time(nil), tm())
        localtime_r(&moment, &fields)
        let isNamed = current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment))) == fields.tm_gmtoff
        return isNamed ? current : TimeZone(secondsFromGMT: fields.tm_gmtoff) ?? current
    }
}
