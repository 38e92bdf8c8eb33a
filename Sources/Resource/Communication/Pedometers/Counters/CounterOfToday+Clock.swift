internal import StepDomain

extension CounterOfToday {
    init(_ context: SessionContext) {
        self.init(cursor: context.pedometer.cursor, localTime: context.localTime, isClockInDoubt: !context.setsClock)
    }
}

/// What the pedometer's own clock shows about the midnights between two readings.
extension CounterOfToday {
    /// What the pedometer's clock shows about the first reading ever, or the first of a day; nil if it does not decide.
    func decide(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        let midnight = localTime.moment(reading.day)
        let isSoonAfterMidnight = reading.at - midnight < MidnightReset.latest
        let (clockOffset, began) = (clock.offset(from: reading), reading.at - clock.secondOfDay)
        if let last = cursor.counter, reading.value >= last.value { return decide(reading, after: last, clock) }
        guard abs(clockOffset) < 86_400 else {
            // Its date was never set. Its time of day still shows how long it has counted.
            guard cursor.counter == nil else { return nil }
            return since(began, reading, clockOffset)
        }
        if isSoonAfterMidnight, clock.day < reading.day.daysSince1970 {
            var result = closeYesterday(reading, since: abs(clockOffset) <= Self.clockTolerance ? nil : began)
            if abs(clockOffset) > Self.clockTolerance { result?.notices.append(.clockWasOff(seconds: clockOffset)) }
            return result
        }
        if abs(clockOffset) <= Self.clockTolerance {
            // A counter that is reset late shows more than can have been walked since midnight: its clock does not help
            // here.
            return CounterCredit.isPlausible(reading.value, TimeSpan(midnight, reading.at))
                ? sinceMidnight(reading) : nil
        }
        return cursor.counter == nil || isSoonAfterMidnight ? since(began, reading, clockOffset) : nil
    }

    /// Uses the pedometer's clock on a value that is not lower than the last one, which was read on an earlier day:
    /// whether the clock's midnight, and with it a reset, lies between the two. The time of day is enough for that; the
    /// date does not matter.
    private func decide(_ reading: CounterReading, after last: CounterReading, _ clock: DeviceClock) -> Result? {
        let (clockOffset, began) = (clock.offset(from: reading), reading.at - clock.secondOfDay)
        if let jump = clockJump(reading, clock), !jump.hasReset { return grown(last, reading, clock, isWhole: false) }
        guard began > last.at else { return grown(last, reading, clock) }
        // The reset may be late, and an idle watch may have none.
        guard clock.secondOfDay >= MidnightReset.latest, reading.value > last.value else { return nil }
        guard abs(clockOffset) <= Self.clockTolerance else {
            var counted = reading
            if abs(clockOffset) < 86_400, clock.day < reading.day.daysSince1970 {
                counted.countsDay = reading.day.advanced(by: -1)
            }
            return since(began, counted, clockOffset)
        }
        return CounterCredit.isPlausible(reading.value, TimeSpan(localTime.moment(reading.day), reading.at))
            ? sinceMidnight(reading) : nil
    }

    /// There was no reset since the last reading: only the growth is new.
    ///
    /// - Parameter isWhole: false if it is not certain that there was no reset.
    func grown(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock, isWhole: Bool = true) -> Result
    {
        var result = Result()
        var counted = reading
        var span = TimeSpan(last.at, reading.at)
        let clockOffset = clock.offset(from: reading)
        if abs(clockOffset) < 86_400, clock.day < reading.day.daysSince1970 {
            // The pedometer is still on the day before.
            counted.countsDay = reading.day.advanced(by: -1)
            span = spanOfYesterday(from: last.at, to: reading, steps: reading.value - last.value)
        }
        credit.add(reading.value - last.value, span, counted, isWhole: isWhole, to: &result)
        if abs(clockOffset) > Self.clockTolerance { result.notices.append(.clockWasOff(seconds: clockOffset)) }
        return result
    }

    /// The counter was reset at the pedometer's own midnight, `began`, which is not ours.
    private func since(_ began: Timestamp, _ reading: CounterReading, _ clockOffset: Int) -> Result? {
        let span = TimeSpan(max(began, cursor.counter?.at ?? began), reading.at)
        guard CounterCredit.isPlausible(reading.value, span) else { return nil }
        var result = Result()
        credit.add(reading.value, span, reading, to: &result)
        result.notices += notClosed(cursor.counter) + [.clockWasOff(seconds: clockOffset)]
        return result
    }

    /// The pedometer has not reached its midnight: the reading is the last one of yesterday, and the first one that is
    /// known of that day.
    ///
    /// - Parameter began: when it began to count; nil for yesterday's midnight.
    private func closeYesterday(_ reading: CounterReading, since began: Timestamp?) -> Result? {
        var (steps, start, isWhole) = stepsOfYesterday(in: reading, after: cursor.counter)
        // It was reset at its own midnight, as expected.
        if let began, began > start { (start, isWhole) = (began, true) }
        var closing = reading
        closing.countsDay = reading.day.advanced(by: -1)
        let span = spanOfYesterday(from: start, to: reading, steps: steps)
        guard CounterCredit.isPlausible(steps, span) else { return nil }
        var result = Result()
        credit.add(steps, span, closing, isWhole: isWhole, to: &result)
        if !isWhole { result.notices.append(.counterRestarted) }
        if let last = cursor.counter, start > last.at { result.notices += notClosed(last) }
        return result
    }

    /// The span of the steps that a reading of today shows for the day before. It ends at midnight. It ends at the
    /// reading if the day before was read after midnight already, or if the time until midnight is too short for the
    /// steps.
    func spanOfYesterday(from start: Timestamp, to reading: CounterReading, steps: Int) -> TimeSpan {
        let toMidnight = TimeSpan(start, localTime.moment(Day(of: reading.at, utcOffset: reading.utcOffset)))
        let isEnough = !toMidnight.isEmpty && (steps == 0 || CounterCredit.isPlausible(steps, toMidnight))
        return isEnough ? toMidnight : TimeSpan(start, reading.at)
    }

    // MARK: Clocks that were set

    /// What the pedometer's clock showed at the last counted reading, by the last known difference between the two
    /// clocks.
    var clockAtLast: DeviceClock? {
        guard let last = cursor.counter else { return nil }
        if let clockSet, clockSet.at >= last.at { return DeviceClock(wall: last.at.seconds + clockSet.utcOffset) }
        return cursor.clockOffset.map { DeviceClock(wall: last.at.seconds + $0) }
    }

    /// What the pedometer's clock shows, if none of the two clocks was set since the last counted reading; nil if it
    /// was not read then.
    func clock(at moment: Timestamp) -> DeviceClock? {
        guard let last = cursor.counter, let clockAtLast else { return nil }
        return DeviceClock(wall: clockAtLast.wall + (moment - last.at))
    }

    /// Nil if no clock was set since the last counted reading, or if that is not known.
    func clockJump(_ reading: CounterReading, _ clock: DeviceClock) -> ClockJump? {
        guard let last = cursor.counter, let before = clockAtLast else { return nil }
        return ClockJump(from: before, to: clock, seconds: reading.at - last.at)
    }

    /// This machine's clock was set back to before the last reading. On the same day of the pedometer only the growth
    /// is new; the time since then is that of the pedometer's clock. Nil if that clock does not show this.
    func grownBeforeFuture(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        guard var last = cursor.counter, last.at > reading.at, reading.value >= last.value, let before = clockAtLast,
            clock.day <= before.day
        else { return nil }
        last.at = reading.at - max(0, clock.wall - before.wall)
        return grown(last, reading, clock, isWhole: false)
    }

    /// Keeps the present difference between the two clocks beside a reading that was counted.
    func note(_ clock: DeviceClock?, _ reading: CounterReading, in result: inout Result) {
        guard let clock, result.batch.cursor?.counter?.at == reading.at else { return }
        result.batch.cursor?.clockOffset = clock.wall - reading.at.seconds
    }
}

/// One of the two clocks was set between two readings of a counter of today: the pedometer's or this machine's. It is
/// not known which.
///
/// The difference between the clocks has changed by more than they drift.
///
/// - If this machine's clock was set, the pedometer's clock shows how much time has passed, and its date shows whether
///   its midnight, and with it a reset, lies between the readings.
/// - If the pedometer's clock was set, it may have skipped a midnight. InfiniTime resets its counter when it first sees
///   an hour of 0: a clock that is put forward by more than an hour can skip that hour, and then there is no reset
///   before the next midnight.
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
    ///   - seconds: the time between the readings, by this machine's clock.
    init?(from before: DeviceClock, to now: DeviceClock, seconds: Int) {
        days = now.day - before.day
        gain = now.wall - before.wall - seconds
        guard abs(gain) > WallSlotConverter.drift else { return nil }
    }

    /// Whether the counter was reset between the readings, whichever clock was set.
    ///
    /// A clock that was put forward can have skipped all midnights between the two dates only if it has gained the days
    /// between them, and more than an hour.
    var hasReset: Bool { days > 0 && gain <= (days - 1) * 86_400 + 3_600 + WallSlotConverter.drift }
}
