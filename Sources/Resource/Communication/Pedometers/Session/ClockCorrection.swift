internal import StepDomain

/// Whether a watch's clock is set.
///
/// InfiniTime sets the counter to zero when it first sees an hour of 0 (`DateTimeController.cpp`, `UpdateTime`). A
/// write that jumps over that hour leaves yesterday's steps in the counter for another day; a write into that hour sets
/// it to zero once more. So the clock is not set near midnight; and while it and local time show different days, it is
/// set at a later sync, when they show the same. That is not worth waiting for if it is wrong by half a day or more:
/// the time of day in which both show the same day is too short then.
enum ClockCorrection: Hashable {
    /// The clock is right, or there is none.
    case none
    /// It is this many seconds ahead (positive) or behind (negative), and is set at a later sync.
    case postponed(seconds: Int)
    /// It is this many seconds ahead or behind, and is set now.
    case set(seconds: Int)

    /// Seconds by which it may be off: less does not matter to the day's steps, and each sync would write to the watch.
    static let tolerance = 120
    /// Times of day, in seconds, to which the clock may be set. From the hour of 0, which the watch has seen, it may be
    /// set as well: a watch whose battery was empty begins in that hour.
    static let safe = 3_600..<lastSafe
    private static let lastSafe = 86_400 - 1_800
    /// Seconds by which it may be off and be set only while both clocks show the same day.
    static let maximumForSameDay = 43_200

    /// Whether a clock that cannot be read, and so is taken to be right, may be set to local time now.
    static func isSafe(at now: Timestamp, _ localTime: LocalTime) -> Bool {
        safe.contains(DeviceClock(wall: now.seconds + localTime.utcOffset(now)).secondOfDay)
    }

    init(of clock: DeviceClock, at reading: CounterReading) {
        let clockOffset = clock.offset(from: reading)
        guard abs(clockOffset) > Self.tolerance else {
            self = .none
            return
        }
        let local = DeviceClock(wall: reading.at.seconds + reading.utcOffset)
        let isSafe = clock.secondOfDay < Self.lastSafe && Self.safe.contains(local.secondOfDay)
        let isWorthWaiting = clock.day != local.day && abs(clockOffset) < Self.maximumForSameDay
        self = isSafe && !isWorthWaiting ? .set(seconds: clockOffset) : .postponed(seconds: clockOffset)
    }
}
