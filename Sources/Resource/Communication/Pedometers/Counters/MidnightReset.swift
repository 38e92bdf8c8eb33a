internal import StepDomain

/// When a counter of today is set to zero: what is known of a device.
enum MidnightReset: Hashable, Sendable {
    /// When its own clock shows midnight, at the latest by the time it is read: that clock decides each reading.
    case onTime
    /// Once in 24 hours, at its midnight or up to `latest` later. A clock decides what this leaves
    /// open.
    case hoursLate
    /// When it first wakes after its midnight. Until then it shows what it had counted when it fell asleep, for days if
    /// nobody looks at it, while its clock is right: the clock does not show of which day the counter is.
    case whenAwake

    /// Seconds after midnight, ours or that of the pedometer's readable clock, within which a counter may still show
    /// the day before.
    ///
    /// For `hoursLate`. A clock that is up to eight hours behind is covered as well: a watch on UTC
    /// between Europe and China. What is further off gives the right sum in any case, but may be a day late.
    static let latest = 8 * 3600
    /// Seconds between two resets, on a pedometer's own clock.
    static let period = 86_400
}

/// What follows from the pedometer's clock and from what is known of its reset.
extension CounterOfToday {
    /// Seconds around the pedometer's midnight. The clock is read after the counter, and a reset takes a moment.
    private static let margin = 60

    /// Nil if this decides nothing.
    func decideByReset(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        guard cursor.counter.map({ $0.at < reading.at }) ?? true else { return nil }
        if reset != .hoursLate, cursor.undecided == nil, let result = afterBoot(reading, clock) { return result }
        switch reset {
        case .onTime: return cursor.undecided == nil ? decideOnTime(reading, clock) : nil
        case .hoursLate: return nil
        case .whenAwake: return decideAwake(reading, clock)
        }
    }

    /// A restart that lost the clock has set the counter to zero, whatever it shows now. InfiniTime's clock then begins
    /// at 1 January, 0:00, of the year of its build (`DateTimeController.cpp`). Nil if the clock does not show that.
    private func afterBoot(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        guard let last = cursor.counter, let before = clockAtLast, clock.wall < before.wall,
            let newYear = Day(year: clock.fields.year, month: 1, day: 1)
        else { return nil }
        let boot = reading.at - (clock.wall - newYear.daysSince1970 * 86_400)
        guard boot > last.at else { return nil }
        var result = Result()
        let start = reset == .onTime ? reading.at - clock.secondOfDay : boot
        credit.add(reading.value, TimeSpan(start, reading.at), reading, isWhole: false, to: &result)
        result.notices = [.counterRestarted, .clockWasOff(seconds: clock.offset(from: reading))]
        return result
    }

    // MARK: A reset on time

    private func decideOnTime(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        guard (Self.margin..<86_400 - Self.margin).contains(clock.secondOfDay) else { return nil }
        guard let last = cursor.counter else {
            // Only the value before an overdue reset is to be told apart; the clock decides the rest as for any
            // counter.
            guard let shownBefore, reading.value < shownBefore.value, var result = decide(reading, clock) else {
                return nil
            }
            creditToDayBefore(shownBefore, &result)
            return result
        }
        guard clockAtLast != nil else { return nil }
        let (jump, hasFallen) = (clockJump(reading, clock), reading.value < last.value)
        guard reading.at - clock.secondOfDay > last.at, jump?.hasReset ?? true || hasFallen else {
            return hasFallen ? restarted(last, reading, clock) : grown(last, reading, clock, isWhole: jump == nil)
        }
        var result = sinceItsMidnight(last, reading, clock)
        if let shownBefore, reading.value < shownBefore.value { creditToDayBefore(shownBefore, &result) }
        return result
    }

    private func restarted(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock) -> Result {
        var result = grown(
            CounterReading(at: last.at, value: 0, utcOffset: last.utcOffset), reading, clock, isWhole: false)
        result.notices.insert(.counterRestarted, at: 0)
        return result
    }

    private func sinceItsMidnight(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock) -> Result {
        let clockOffset = clock.offset(from: reading)
        let isOnDayBefore = abs(clockOffset) < 86_400 && clock.day < reading.day.daysSince1970
        if abs(clockOffset) <= Self.clockTolerance, !isOnDayBefore { return sinceMidnight(reading) }
        var (result, counted, span) = (Result(), reading, TimeSpan(reading.at - clock.secondOfDay, reading.at))
        if isOnDayBefore {
            counted.countsDay = reading.day.advanced(by: -1)
            if abs(clockOffset) <= Self.clockTolerance {
                span = spanOfYesterday(from: span.start, to: reading, steps: reading.value)
            }
        }
        credit.add(reading.value, span, counted, to: &result)
        result.notices = notClosed(last)
        if abs(clockOffset) > Self.clockTolerance { result.notices.append(.clockWasOff(seconds: clockOffset)) }
        return result
    }

    // MARK: A reset when it wakes

    private func decideAwake(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        let (last, began) = (cursor.counter, reading.at - clock.secondOfDay)
        if last != nil, clockAtLast == nil { return nil }
        let jump = clockJump(reading, clock)
        if let undecided = cursor.undecided {
            guard reading.value > undecided.value, jump == nil, began <= undecided.at - Self.margin else { return nil }
            // It has grown, so it was awake since the undecided reading, and with that the reset of this day was
            // carried out.
            var result = Result()
            credit.add(reading.value, TimeSpan(began, reading.at), reading, isWhole: false, to: &result)
            result.notices = notClosed(last)
            return result
        }
        guard let last, last.day < reading.day, reading.value >= last.value else { return nil }
        let hadNoMidnight = jump.map { !$0.hasReset } ?? (began <= last.at)
        return hadNoMidnight ? grown(last, reading, clock, isWhole: false) : nil
    }
}
