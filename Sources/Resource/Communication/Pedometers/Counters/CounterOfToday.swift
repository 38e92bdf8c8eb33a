internal import StepDomain

/// Calculates steps from two readings of a counter that is set to zero at midnight.
///
/// The counter is set to zero at its own midnight, or some hours later. Its midnight may differ from local midnight,
/// because its clock may be wrong or in another zone. The first reading of a day therefore raises two questions.
///
/// 1. Was the counter reset since the last reading? If not, the value contains the last one, and only the growth is
///    new. It was reset if the value is lower, if the pedometer's clock shows that its midnight has passed long enough
///    ago, or if the two readings are a day or more apart, since there is one reset in every 24 hours, at whatever
///    hour. Readings that are less than a day apart need one more argument: see `isTooMuch`. A value that is the same
///    as the last one is never counted again: an idle watch may not reset at all.
/// 2. Was it reset on this day, or does it still show the day before? This is open during `MidnightReset.latest` after
///    midnight, unless it has fallen since a reading that was taken when the day before had begun for certain.
///
/// While one of these is open, the reading is undecided: it is kept beside the last counted one, it is reported, and
/// the next reading decides. If the next one is lower, the undecided value belonged to the day before, and its growth
/// completes that day. If the day passes without a decision, only the growth is counted: nothing is ever counted twice.
///
/// If one of the two clocks was set between two readings, neither the time between them nor the midnights in it are
/// certain: see `ClockJump`.
///
/// What is known of the reset decides how much of this is in doubt: see `MidnightReset`.
struct CounterOfToday {
    let cursor: PedometerCursor
    let localTime: LocalTime
    var reset = MidnightReset.hoursLate
    /// What it showed a moment before the reading, if an overdue reset may have been carried out in between.
    var shownBefore: CounterReading?
    /// When istep last set the pedometer's clock; nil if it never has.
    var clockSet: ClockState.Setting?
    /// This machine's clock may be wrong (`SessionContext.setsClock`): a reading is undecided, unless the pedometer's
    /// clock agrees with it.
    var isClockInDoubt = false

    typealias Result = CounterResult

    /// Seconds before midnight: the last run of the nightly timer, and the last reading of a watch, begin five minutes
    /// before it.
    static let lastMinutes = 600
    /// Seconds by which a pedometer's clock may differ from local time without being off.
    static let clockTolerance = 900

    /// Whether the pedometer's clock, if it has one, can decide how this reading is counted. It can for: the first
    /// reading ever; the first of a day, if the counter has not fallen or it is soon after midnight; one that is
    /// undecided without the clock; one that has fallen since the last reading of its day. The hour of the reading does
    /// not matter.
    func dependsOnClock(_ reading: CounterReading) -> Bool {
        if isClockInDoubt { return true }
        if let past = withoutFuture(reading) { return past.cursor.counter == nil || past.dependsOnClock(reading) }
        let result = steps(reading)
        if result.isUndecided || result.notices.contains(.counterRestarted) { return true }
        guard let last = cursor.counter else { return true }
        if let undecided = cursor.undecided, undecided.day < reading.day, reading.value >= undecided.value {
            return true
        }
        // Soon after midnight it shows on which day the pedometer is.
        return last.day < reading.day
            && (last.value <= reading.value || reading.at - localTime.moment(reading.day) < MidnightReset.latest)
    }

    /// The batch of a counter that is known to count today's steps.
    ///
    /// An impossible value for a day is a glitch, such as the 536 million of InfiniTime's issue 928: only the frames
    /// are kept, and the next reading is compared with the last good one.
    func batch(of reading: CounterReading, clock: DeviceClock? = nil) -> SampleBatch {
        guard reading.value <= maximumStepsOfADay else { return SampleBatch(notices: [.implausible(samples: 1)]) }
        var result = steps(reading, clock: clock)
        // They belong to the data that this batch makes final.
        result.batch.notices = result.notices
        return result.batch
    }

    /// - Parameter clock: the pedometer's clock, read together with the counter; nil if it has none or nothing depends
    ///   on it.
    func steps(_ reading: CounterReading, clock: DeviceClock? = nil) -> Result {
        var result = decided(reading, clock)
        note(clock, reading, in: &result)
        return result
    }

    private func decided(_ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        if isClockInDoubt, clock.map({ abs($0.offset(from: reading)) > ClockMark.tolerance }) ?? true {
            return reading.value > 0 ? keepUndecided(reading) : Result()
        }
        if let past = withoutFuture(reading) {
            if let result = clock.flatMap({ grownBeforeFuture(reading, $0) }) { return result }
            let isFirst = past.cursor.counter == nil && past.cursor.undecided == nil
            return isFirst ? past.firstAfterFuture(reading, clock) : past.steps(reading, clock: clock)
        }
        if let result = clock.flatMap({ decideByReset(reading, $0) }) { return result }
        if let undecided = cursor.undecided {
            if undecided.day < reading.day { return resolveOnLaterDay(undecided, reading, clock) }
            if undecided.day == reading.day, undecided.at >= reading.at { return Result() }
            if undecided.day == reading.day, reading.value < undecided.value {
                return resolveOnSameDay(undecided, reading)
            }
        }
        if let last = cursor.counter {
            guard reading.at > last.at else { return Result() }
            if last.day >= reading.day { return laterToday(last, reading, clock) }
        }
        if reset != .whenAwake, let result = clock.flatMap({ decide(reading, $0) }) { return result }
        if isUndecided(reading) { return keepUndecided(reading) }
        return sinceMidnight(reading)
    }

    /// Everything that the counter shows belongs to the day on which it was read. If that is more than can be walked
    /// since midnight, it was reset earlier, at a midnight of its own that is after the last reading.
    func sinceMidnight(_ reading: CounterReading) -> Result {
        var result = Result()
        let today = TimeSpan(localTime.moment(reading.day), reading.at)
        let sinceLast = cursor.counter.map { TimeSpan($0.at, reading.at) }
        if !CounterCredit.isPlausible(reading.value, today), let sinceLast,
            CounterCredit.isPlausible(reading.value, sinceLast)
        {
            credit.add(reading.value, sinceLast, reading, isWhole: false, to: &result)
        } else {
            credit.add(reading.value, today, reading, isWhole: reset != .whenAwake, to: &result)
        }
        result.notices += notClosed(cursor.counter)
        return result
    }

    /// Whether it is not known if the counter was reset since the last reading, or on which day.
    private func isUndecided(_ reading: CounterReading) -> Bool {
        guard reading.value > 0 else { return false }
        let midnight = localTime.moment(reading.day)
        let isSoonAfterMidnight = reset == .whenAwake || reading.at - midnight < MidnightReset.latest
        guard let last = cursor.counter else { return isSoonAfterMidnight }
        let hasFallen = reading.value < last.value
        if !hasFallen, reset == .whenAwake { return true }
        if !hasFallen, reading.value == last.value { return true }
        if !hasFallen, reading.at - last.at < MidnightReset.period,
            isSoonAfterMidnight || !isTooMuch(last, within: reading)
        {
            return true
        }
        guard isSoonAfterMidnight else { return false }
        // It has fallen since a reading that was taken after the reset of the day before: there was one more reset,
        // that of today.
        let yesterday = reading.day.advanced(by: -1)
        return !hasFallen || last.day != yesterday || last.at - localTime.moment(yesterday) < MidnightReset.latest
    }

    /// Whether the last value is too high for there to have been no reset between it and a reading less than a day
    /// later.
    ///
    /// If there was no reset in between, the reset before the last reading was not earlier than a day before this
    /// reading: in the evening, that leaves an hour or a few for all steps of the last value. A person makes at most
    /// `StepSample.maximumStepsPerSecond`, and rarely more than one step in two seconds for hours with pauses (1,800
    /// in an hour; 10,000 steps in a waking day are 600). Two hours' worth is allowed in any case, so that one long
    /// walk does not count. For example, 8,000 steps at 23:55 and 9,000 at 20:00 on the next day are today's 9,000,
    /// since 8,000 are not made in 3 h 55 min; 9,000 at 15:00 are undecided until a reading after 19:30.
    private func isTooMuch(_ last: CounterReading, within reading: CounterReading) -> Bool {
        let left = MidnightReset.period - (reading.at - last.at)
        return last.value > min(left * StepSample.maximumStepsPerSecond, max(left, 7_200) / 2)
    }

    private func laterToday(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        var result = Result()
        let steps = reading.value - last.value
        if steps >= 0 {
            credit.add(steps, TimeSpan(last.at, reading.at), reading, to: &result)
        } else if let clock, reading.at - clock.secondOfDay > last.at {
            // Its own midnight has passed: it was reset as expected, but its clock is off.
            credit.add(reading.value, TimeSpan(reading.at - clock.secondOfDay, reading.at), reading, to: &result)
            result.notices.append(.clockWasOff(seconds: clock.offset(from: reading)))
        } else {
            credit.add(reading.value, TimeSpan(last.at, reading.at), reading, isWhole: false, to: &result)
            result.notices.append(.counterRestarted)
        }
        return result
    }

    // MARK: Readings in the future

    private func withoutFuture(_ reading: CounterReading) -> CounterOfToday? {
        cursor.withoutFuture(of: reading).map(with)
    }

    private func with(_ cursor: PedometerCursor) -> CounterOfToday {
        CounterOfToday(
            cursor: cursor, localTime: localTime, reset: reset, shownBefore: shownBefore, clockSet: clockSet,
            isClockInDoubt: isClockInDoubt)
    }

    /// Like the first reading ever, but steps of this day may be stored under another time: without a clock that
    /// decides, the reading is undecided, and the next one is counted.
    private func firstAfterFuture(_ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        if reset != .whenAwake, let result = clock.flatMap({ decide(reading, $0) }) { return result }
        guard reading.value > 0 else { return sinceMidnight(reading) }
        return keepUndecided(reading)
    }

    private func keepUndecided(_ reading: CounterReading) -> Result {
        var result = Result()
        result.batch.cursor = cursor
        result.batch.cursor?.undecided = reading
        result.notices = [.undecided(steps: reading.value)]
        return result
    }

    // MARK: Undecided readings

    /// The counter has fallen since an undecided reading of the same day: the undecided one belonged to yesterday and
    /// completes it.
    private func resolveOnSameDay(_ undecided: CounterReading, _ reading: CounterReading) -> Result {
        var result = Result()
        let midnight = localTime.moment(reading.day)
        credit.add(reading.value, TimeSpan(midnight, reading.at), reading, isWhole: reset != .whenAwake, to: &result)
        creditToDayBefore(undecided, &result)
        return result
    }

    /// Credits an undecided reading to the day before it. A watch that slept until its reset has lost the steps that it
    /// made asleep.
    func creditToDayBefore(_ undecided: CounterReading, _ result: inout Result) {
        let (late, start, isWhole) = stepsOfYesterday(in: undecided, after: cursor.counter)
        let span = spanOfYesterday(from: start, to: undecided, steps: late)
        credit.addSamples(late, span, undecided, isWhole: isWhole && reset == .hoursLate, to: &result)
        if reset == .hoursLate, let last = cursor.counter, start > last.at { result.notices += notClosed(last) }
    }

    /// Handles a reading after a day whose only reading was undecided. If the undecided one shows more than can have
    /// been walked since its midnight, it belonged to the day before. Otherwise its day is not known: its steps were
    /// made between the reading before it and itself; they count, and neither day is complete.
    private func resolveOnLaterDay(_ undecided: CounterReading, _ reading: CounterReading, _ clock: DeviceClock?)
        -> Result
    {
        guard reading.at > undecided.at else { return Result() }
        if let clock, clockJump(reading, clock) == nil, let last = cursor.counter, reading.value >= undecided.value,
            undecided.value > last.value, reading.at - clock.secondOfDay > last.at,
            reading.at - clock.secondOfDay <= undecided.at,
            clock.secondOfDay >= MidnightReset.latest, reset != .whenAwake
        {
            // Its midnight lies between the last and the undecided reading: the undecided one and this one belong to
            // the same count.
            var counted = reading
            let clockOffset = clock.offset(from: reading)
            if abs(clockOffset) < 86_400, clock.day < reading.day.daysSince1970 {
                counted.countsDay = reading.day.advanced(by: -1)
            }
            var result = Result()
            credit.add(reading.value, TimeSpan(reading.at - clock.secondOfDay, reading.at), counted, to: &result)
            result.notices = notClosed(last)
            if abs(clockOffset) > Self.clockTolerance { result.notices.append(.clockWasOff(seconds: clockOffset)) }
            return result
        }
        let midnight = localTime.moment(Day(of: undecided.at, utcOffset: undecided.utcOffset))
        let isOfYesterday = !CounterCredit.isPlausible(undecided.value, TimeSpan(midnight, undecided.at))
        var earlier = Result()
        if isOfYesterday {
            creditToDayBefore(undecided, &earlier)
        } else {
            let (late, start, _) = stepsOfYesterday(in: undecided, after: cursor.counter)
            credit.addSamples(late, TimeSpan(start, undecided.at), undecided, isWhole: false, to: &earlier)
            earlier.notices = notClosed(cursor.counter)
        }
        var since = cursor
        since.readThrough = undecided.at
        since.counter = undecided
        if isOfYesterday { since.counter?.countsDay = undecided.day.advanced(by: -1) }
        since.undecided = nil
        var result = with(since).steps(reading, clock: clock)
        result.batch.samples.insert(contentsOf: earlier.batch.samples, at: 0)
        result.batch.coverage.insert(contentsOf: earlier.batch.coverage, at: 0)
        result.notices.insert(contentsOf: earlier.notices, at: 0)
        return result
    }

    /// The steps of the day before in a reading that belongs to that day: how many, since when they were made, and
    /// whether they are all of them. If a value is lower than the one before it, the counter was reset between the two.
    func stepsOfYesterday(in reading: CounterReading, after last: CounterReading?) -> (
        steps: Int, since: Timestamp, isWhole: Bool
    ) {
        let yesterday = Day(of: reading.at, utcOffset: reading.utcOffset).advanced(by: -1)
        guard let last else { return (reading.value, localTime.moment(yesterday), true) }
        let hasFallen = reading.value < last.value
        let isOneCount =
            !hasFallen
            && (reset != .hoursLate || reading.value == last.value || reading.at - last.at < MidnightReset.period)
        guard last.day == yesterday || isOneCount else {
            return (reading.value, max(last.at, localTime.moment(yesterday)), true)
        }
        return (hasFallen ? reading.value : reading.value - last.value, last.at, !hasFallen)
    }

    /// The steps of a day after its last reading are lost, if that was taken before the day's end. If the last reading
    /// was as late as those before midnight are, this is not reported again every night: the day is shown as partial.
    func notClosed(_ last: CounterReading?) -> [SyncNotice] {
        guard let last, !Self.isClosed(last.day, by: last.at, localTime) else { return [] }
        return [.dayNotClosed(last.day)]
    }

    /// Whether a reading at this moment was the last one of a day: all but its last minutes were read.
    static func isClosed(_ day: Day, by last: Timestamp, _ localTime: LocalTime) -> Bool {
        localTime.span(of: day).end - last <= lastMinutes
    }

    var credit: CounterCredit { CounterCredit(localTime: localTime, clockOffset: cursor.clockOffset) }
}
