/// One of the two clocks was set between two readings of a counter of today: the pedometer's or this machine's. It is not known which.
///
/// The difference between the clocks has changed by more than they drift.
///
/// - If this machine's clock was set, the pedometer's clock shows how much time has passed, and its date shows whether its midnight, and with
///   it a reset, lies between the readings.
/// - If the pedometer's clock was set, it may have skipped a midnight. InfiniTime resets its counter when it first sees an hour of 0: a clock
///   that is put forward by more than an hour can skip that hour, and then there is no reset before the next midnight.
struct ClockJump: Hashable {
    /// Days of the pedometer's calendar from the one reading to the other.
    private let days: Int
    /// Seconds by which the pedometer's clock has gained on this machine's; negative if it has lost.
    private let gain: Int

    /// Nil if the difference between the clocks is the same as before.
    ///
    /// - Parameters:
    ///   - before: the pedometer's clock at the last counted reading.
    ///   - now: the same at this one.
    ///   - seconds: between the readings, by this machine's clock.
    init?(from before: DeviceClock, to now: DeviceClock, seconds: Int) {
        days = now.day - before.day
        gain = now.wall - before.wall - seconds
        guard abs(gain) > WallSlotConverter.drift else { return nil }
    }

    /// Whether the counter was reset between the readings, whichever clock was set.
    ///
    /// A clock that was put forward can have skipped all midnights between the two dates only if it has gained the days between them, and
    /// more than an hour.
    var hasReset: Bool { days > 0 && gain <= (days - 1) * 86_400 + 3_600 + WallSlotConverter.drift }
}
