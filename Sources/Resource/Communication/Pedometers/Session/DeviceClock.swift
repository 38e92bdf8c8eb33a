internal import BlueZ
internal import StepDomain

/// The clock of a pedometer as its Current Time characteristic (0x2A2B of the Current Time Service 0x1805) shows it.
///
/// Layout (Bluetooth GATT Specification Supplement, Current Time and Date Time): year as u16 little-endian, month
/// 1...12, day 1...31, hours, minutes, seconds; then weekday, fractions of a second and the reason of the last
/// adjustment, which are not needed here.
struct DeviceClock: Hashable {
    static let address = GATTAddress("1805", "2a2b")

    /// Seconds since 1970 as the pedometer's clock shows them: local time, if it is right.
    let wall: Int

    init(wall: Int) { self.wall = wall }

    /// Nil if the value is too short or not a valid time; a year, month or day of 0 means "unknown".
    init?(currentTime value: [UInt8]) {
        guard value.count >= 7, let year = value.little(0, 2) else { return nil }
        self.init(
            year: year, month: Int(value[2]), day: Int(value[3]), hour: Int(value[4]), minute: Int(value[5]),
            second: Int(value[6]))
    }

    /// A value to write, of all 10 bytes: InfiniTime before 1.14 reads beyond a shorter one (its issue 1724).
    var currentTime: [UInt8] {
        // No fraction of a second; adjust reason: external reference time update (bit 1).
        .little(fields.year, 2) + timeInYear + [UInt8(weekday + 1), 0, 0x02]
    }

    /// The day that it shows, as days since 1970.
    var day: Int { Day(of: Timestamp(wall), utcOffset: 0).daysSince1970 }

    /// Seconds since its last midnight.
    var secondOfDay: Int { wall - day * 86_400 }

    /// Seconds that it is ahead of local time.
    func offset(from reading: CounterReading) -> Int { wall - (reading.at.seconds + reading.utcOffset) }
}

extension DeviceClock {
    /// Year, month, day, hour, minute and second.
    var fields: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let date = Day(daysSince1970: day).components
        return (date.year, date.month, date.day, secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
    }

    /// Month, day, hour, minute and second, a byte each.
    var timeInYear: [UInt8] {
        let time = fields
        return [time.month, time.day, time.hour, time.minute, time.second].map { UInt8($0) }
    }

    /// Monday is 0.
    var weekday: Int { Day(daysSince1970: day).weekday.rawValue - 1 }

    /// Nil for a date or a time that does not exist.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int = 0, second: Int = 0) {
        guard let day = Day(year: year, month: month, day: day), (0..<24).contains(hour), (0..<60).contains(minute),
            (0..<60).contains(second)
        else { return nil }
        self.init(wall: day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
    }
}

/// Sets a clock that cannot be read, at the end of a reading: the slots have to be read by the clock that stored them.
struct ClockSetter {
    private var setting: ClockState.Setting?
    private(set) var confirmed: ClockState.Setting?

    /// The time to set, in seconds since 1970 as the clock is to show them.
    mutating func begin(at now: Timestamp, _ localTime: LocalTime) -> DeviceClock {
        let offset = localTime.utcOffset(now)
        setting = ClockState.Setting(at: now, utcOffset: offset)
        return DeviceClock(wall: now.seconds + offset)
    }

    /// To be called when the pedometer has confirmed the setting, or if it never confirms one.
    mutating func confirm() { confirmed = setting }
}
