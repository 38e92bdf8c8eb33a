internal import StepDomain

/// Calculates steps from two readings of a counter.
///
/// A reading that gives more steps than people make leaves the cursor where it was: it may be a glitch, and the next
/// reading is then measured against the last good one.
///
/// A counter of today is set to zero at its own midnight, or some hours later. That need not be near ours: its clock may be wrong or in
/// another zone. The first reading of a day therefore raises two questions.
///
/// 1. Was the counter reset since the last reading? If not, the value contains the last one, and only the growth is new. It was reset if
///    the value is lower, if the pedometer's clock shows that its midnight has passed long enough ago, or if the two readings are a day
///    or more apart, since there is one reset in every 24 hours, at whatever hour. Readings that are less than a day apart need one more
///    argument: see `isTooMuch`. A value that is the same as the last one is never counted again: an idle watch may not reset at all.
/// 2. Was it reset on this day, or does it still show the day before? This is open during `latestReset` after midnight, unless it has
///    fallen since a reading that was taken when the day before had begun for certain.
///
/// While one of these is open, the reading is undecided: it is kept beside the last counted one, it is reported, and the next reading
/// decides. If the next one is lower, the undecided value belonged to the day before, and its growth completes that day. If the day passes
/// without a decision, only the growth is counted: nothing is ever counted twice.
///
/// If one of the two clocks was set between two readings, neither the time between them nor the midnights in it are certain: see `ClockJump`.
struct CounterDelta {
    let cursor: PedometerCursor
    let localTime: LocalTime
    /// One more than the counter's greatest value.
    let modulus: Int
    /// When istep last set the pedometer's clock; nil if it never has.
    var clockSet: ClockState.Setting?

    struct Result: Hashable {
        var batch = SampleBatch()
        var notices: [SyncNotice] = []

        /// Whether a later reading has to decide which day this one belongs to.
        var isUndecided: Bool { batch.cursor?.quarantined != nil }
    }

    /// Seconds after midnight, ours or that of the pedometer's readable clock, within which a counter may still show the day before.
    ///
    /// Old InfiniTime (its issues 787, 1270, 2274) resets when the watch is woken, so as late as its wearer gets up. A clock that is up to
    /// eight hours behind is covered as well: a watch on UTC between Europe and China. What is further off gives the right sum in any case,
    /// but may be a day late.
    static let latestReset = 8 * 3600
    /// Seconds between two resets, on a pedometer's own clock.
    static let resetPeriod = 86_400
    /// Seconds before midnight: the last run of the nightly timer, and the last reading of a watch, begin five minutes before it.
    static let lastMinutes = 600
    /// Seconds by which a pedometer's clock may differ from local time without being off.
    static let clockTolerance = 900

    // MARK: Marks of the future

    /// The same without what a machine noted whose clock was ahead; nil if there is nothing of that. Otherwise no reading would count until
    /// that time is reached.
    private func withoutFuture(_ reading: CounterReading) -> CounterDelta? {
        let latest = reading.at + WallSlotConverter.drift
        var past = cursor
        if let read = past.readThrough, read > latest { past.readThrough = nil }
        if let last = past.counter, last.at > latest { (past.counter, past.clockLead) = (nil, nil) }
        if let doubtful = past.quarantined, doubtful.at > latest { past.quarantined = nil }
        return past == cursor ? nil : with(past)
    }

    private func with(_ cursor: PedometerCursor) -> CounterDelta {
        CounterDelta(cursor: cursor, localTime: localTime, modulus: modulus, clockSet: clockSet)
    }

    /// Like the first reading ever, but steps of this day may be stored under another time: without a clock that decides, the reading is
    /// undecided, and the next one is counted.
    private func firstAfterFuture(_ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        if let result = clock.flatMap({ decide(reading, $0) }) { return result }
        guard reading.value > 0 else { return sinceMidnight(reading) }
        return undecided(reading)
    }

    private func undecided(_ reading: CounterReading) -> Result {
        var result = Result()
        result.batch.cursor = cursor
        result.batch.cursor?.quarantined = reading
        result.notices = [.undecided(steps: reading.value)]
        return result
    }

    // MARK: A counter that only grows

    func stepsInAll(_ reading: CounterReading) -> Result {
        if let past = withoutFuture(reading) { return past.stepsInAll(reading) }
        guard let last = cursor.counter else {
            return Result(batch: SampleBatch(cursor: PedometerCursor(readThrough: reading.at, counter: reading)), notices: [.countingStarted])
        }
        guard reading.at > last.at else { return Result() }  // our own clock was put back: wait until it has caught up
        var result = Result()
        var steps = reading.value - last.value
        if steps < 0 {
            // A change from the last quarter of its range into the first one is an overflow. Any other decrease is a restart: what it
            // counted between the last reading and the restart is lost.
            let ranOver = last.value >= modulus / 4 * 3 && reading.value < modulus / 4
            steps = ranOver ? steps + modulus : reading.value
            if !ranOver { result.notices.append(.counterRestarted) }
        }
        let isWhole = !result.notices.contains(.counterRestarted)
        add(steps, TimeSpan(last.at, reading.at), reading, isWhole: isWhole, to: &result)
        return result
    }

    // MARK: A counter that midnight sets back

    /// Whether the pedometer's clock, if it has one, can decide how this reading is counted. It can for: the first reading ever; the first
    /// of a day, if the counter has not fallen or it is soon after midnight; one that is undecided without the clock; one that has fallen
    /// since the last reading of its day. The hour of the reading does not matter.
    func dependsOnClock(_ reading: CounterReading) -> Bool {
        if let past = withoutFuture(reading) { return past.cursor.counter == nil || past.dependsOnClock(reading) }
        let result = stepsOfToday(reading)
        if result.isUndecided || result.notices.contains(.counterRestarted) { return true }
        guard let last = cursor.counter else { return true }
        if let doubtful = cursor.quarantined, doubtful.day < reading.day, reading.value >= doubtful.value { return true }
        // Soon after midnight it shows on which day the pedometer is.
        return last.day < reading.day && (last.value <= reading.value || reading.at - localTime.moment(reading.day) < Self.latestReset)
    }

    /// The batch of a counter that is known to count today's steps.
    ///
    /// A value that nobody walks in a day is a glitch, such as the 536 million of InfiniTime's issue 928: only the frames are kept, and the
    /// next reading is measured against the last good one.
    func batch(ofToday reading: CounterReading, clock: DeviceClock? = nil) -> SampleBatch {
        guard reading.value <= mostStepsOfADay else { return SampleBatch(notices: [.implausible(samples: 1)]) }
        var result = stepsOfToday(reading, clock: dependsOnClock(reading) ? clock : nil)
        note(clock, reading, in: &result)
        // They belong to the data that this batch makes final.
        result.batch.notices = result.notices
        return result.batch
    }

    /// - Parameter clock: the pedometer's, read together with the counter; nil if it has none or nothing depends on it.
    func stepsOfToday(_ reading: CounterReading, clock: DeviceClock? = nil) -> Result {
        var result = decided(reading, clock)
        note(clock, reading, in: &result)
        return result
    }

    private func decided(_ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        if let past = withoutFuture(reading) {
            if let result = clock.flatMap({ grownBeforeFuture(reading, $0) }) { return result }
            let isFirst = past.cursor.counter == nil && past.cursor.quarantined == nil
            return isFirst ? past.firstAfterFuture(reading, clock) : past.stepsOfToday(reading, clock: clock)
        }
        if let doubtful = cursor.quarantined {
            if doubtful.day < reading.day { return pass(doubtful, reading, clock) }
            if doubtful.day == reading.day, doubtful.at >= reading.at { return Result() }
            if doubtful.day == reading.day, reading.value < doubtful.value { return settle(doubtful, reading) }
        }
        if let last = cursor.counter {
            guard reading.at > last.at else { return Result() }
            if last.day >= reading.day { return laterToday(last, reading, clock) }
        }
        if let result = clock.flatMap({ decide(reading, $0) }) { return result }
        if isDoubtful(reading) { return undecided(reading) }
        return sinceMidnight(reading)
    }

    /// Everything that the counter shows belongs to the day on which it was read. If that is more than can be walked since midnight, it
    /// was reset earlier, at a midnight of its own that is after the last reading.
    private func sinceMidnight(_ reading: CounterReading) -> Result {
        var result = Result()
        let today = TimeSpan(localTime.moment(reading.day), reading.at)
        if !isPlausible(reading.value, today), let last = cursor.counter, isPlausible(reading.value, TimeSpan(last.at, reading.at)) {
            add(reading.value, TimeSpan(last.at, reading.at), reading, isWhole: false, to: &result)
        } else {
            add(reading.value, today, reading, to: &result)
        }
        result.notices += notClosed(cursor.counter)
        return result
    }

    /// Whether it is undecided if the counter was reset since the last reading, or on which day.
    private func isDoubtful(_ reading: CounterReading) -> Bool {
        guard reading.value > 0 else { return false }
        let midnight = localTime.moment(reading.day)
        let isSoonAfterMidnight = reading.at - midnight < Self.latestReset
        guard let last = cursor.counter else { return isSoonAfterMidnight }
        let hasFallen = reading.value < last.value
        if !hasFallen, reading.value == last.value { return true }
        if !hasFallen, reading.at - last.at < Self.resetPeriod, isSoonAfterMidnight || !isTooMuch(last, within: reading) { return true }
        guard isSoonAfterMidnight else { return false }
        // It has fallen since a reading that was taken after the reset of the day before: there was one more reset, that of today.
        let eve = reading.day.advanced(by: -1)
        return !hasFallen || last.day != eve || last.at - localTime.moment(eve) < Self.latestReset
    }

    /// Whether the last value is too high for there to have been no reset between it and a reading less than a day later.
    ///
    /// If there was no reset in between, the reset before the last reading was not earlier than a day before this reading: in the evening,
    /// that leaves an hour or a few for all steps of the last value. A person makes at most `StepSample.mostStepsPerSecond`, and rarely
    /// more than one step in two seconds for hours with all pauses (1,800 in an hour; 10,000 steps in a waking day are 600). Two hours'
    /// worth is allowed in any case, so that one long walk does not count. For example, 8,000 steps at 23:55 and 9,000 at 20:00 on the next
    /// day are today's 9,000, since 8,000 are not made in 3 h 55 min; 9,000 at 15:00 are undecided until a reading after 19:30.
    private func isTooMuch(_ last: CounterReading, within reading: CounterReading) -> Bool {
        let left = Self.resetPeriod - (reading.at - last.at)
        return last.value > min(left * StepSample.mostStepsPerSecond, max(left, 7_200) / 2)
    }

    private func laterToday(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        var result = Result()
        let steps = reading.value - last.value
        if steps >= 0 {
            add(steps, TimeSpan(last.at, reading.at), reading, to: &result)
        } else if let clock, reading.at - clock.secondOfDay > last.at {
            // Its own midnight has passed: it was reset as expected, but its clock is off.
            add(reading.value, TimeSpan(reading.at - clock.secondOfDay, reading.at), reading, to: &result)
            result.notices.append(.clockWasOff(seconds: clock.lead(over: reading)))
        } else {
            add(reading.value, TimeSpan(last.at, reading.at), reading, isWhole: false, to: &result)
            result.notices.append(.counterRestarted)
        }
        return result
    }

    // MARK: By the pedometer's clock

    /// What the pedometer's clock shows about the first reading ever, or the first of a day; nil if it does not decide.
    private func decide(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        let midnight = localTime.moment(reading.day)
        let isSoonAfterMidnight = reading.at - midnight < Self.latestReset
        let (lead, began) = (clock.lead(over: reading), reading.at - clock.secondOfDay)
        if let last = cursor.counter, reading.value >= last.value { return decide(reading, after: last, clock) }
        guard abs(lead) < 86_400 else {
            // Its date was never set. Its time of day still shows how long it has counted.
            guard cursor.counter == nil else { return nil }
            return since(began, reading, lead)
        }
        if isSoonAfterMidnight, clock.day < reading.day.daysSince1970 {
            var result = closeYesterday(reading, since: abs(lead) <= Self.clockTolerance ? nil : began)
            if abs(lead) > Self.clockTolerance { result?.notices.append(.clockWasOff(seconds: lead)) }
            return result
        }
        if abs(lead) <= Self.clockTolerance {
            // A counter that is reset late shows more than can have been walked since midnight: its clock does not help here.
            return isPlausible(reading.value, TimeSpan(midnight, reading.at)) ? sinceMidnight(reading) : nil
        }
        return cursor.counter == nil || isSoonAfterMidnight ? since(began, reading, lead) : nil
    }

    /// Uses the pedometer's clock on a value that is not lower than the last one, which was read on an earlier day: whether the clock's
    /// midnight, and with it a reset, lies between the two. The time of day is enough for that; the date does not matter.
    private func decide(_ reading: CounterReading, after last: CounterReading, _ clock: DeviceClock) -> Result? {
        let (lead, began) = (clock.lead(over: reading), reading.at - clock.secondOfDay)
        if let jump = clockJump(reading, clock), !jump.hasReset { return grown(last, reading, clock, isWhole: false) }
        guard began > last.at else { return grown(last, reading, clock) }
        // The reset may be late, and an idle watch may have none.
        guard clock.secondOfDay >= Self.latestReset, reading.value > last.value else { return nil }
        guard abs(lead) <= Self.clockTolerance else {
            var counted = reading
            if abs(lead) < 86_400, clock.day < reading.day.daysSince1970 { counted.countsDay = reading.day.advanced(by: -1) }
            return since(began, counted, lead)
        }
        return isPlausible(reading.value, TimeSpan(localTime.moment(reading.day), reading.at)) ? sinceMidnight(reading) : nil
    }

    /// There was no reset since the last reading: only the growth is new.
    ///
    /// - Parameter isWhole: false if it is not certain that there was no reset.
    private func grown(_ last: CounterReading, _ reading: CounterReading, _ clock: DeviceClock, isWhole: Bool = true) -> Result {
        var result = Result()
        var counted = reading
        var span = TimeSpan(last.at, reading.at)
        let lead = clock.lead(over: reading)
        if abs(lead) < 86_400, clock.day < reading.day.daysSince1970 {
            // The pedometer is still on the day before.
            counted.countsDay = reading.day.advanced(by: -1)
            span = spanOfEve(from: last.at, to: reading, steps: reading.value - last.value)
        }
        add(reading.value - last.value, span, counted, isWhole: isWhole, to: &result)
        if abs(lead) > Self.clockTolerance { result.notices.append(.clockWasOff(seconds: lead)) }
        return result
    }

    /// The counter was reset at the pedometer's own midnight, `began`, which is not ours.
    private func since(_ began: Timestamp, _ reading: CounterReading, _ lead: Int) -> Result? {
        let span = TimeSpan(max(began, cursor.counter?.at ?? began), reading.at)
        guard isPlausible(reading.value, span) else { return nil }
        var result = Result()
        add(reading.value, span, reading, to: &result)
        result.notices += notClosed(cursor.counter) + [.clockWasOff(seconds: lead)]
        return result
    }

    /// The pedometer has not reached its midnight: the reading is the last one of yesterday, and the first one that is known of that day.
    ///
    /// - Parameter began: when it began to count; nil for yesterday's midnight.
    private func closeYesterday(_ reading: CounterReading, since began: Timestamp?) -> Result? {
        var (steps, start, isWhole) = eve(of: reading, after: cursor.counter)
        if let began, began > start { (start, isWhole) = (began, true) }  // it was reset at its own midnight, as expected
        var closing = reading
        closing.countsDay = reading.day.advanced(by: -1)
        let span = spanOfEve(from: start, to: reading, steps: steps)
        guard isPlausible(steps, span) else { return nil }
        var result = Result()
        add(steps, span, closing, isWhole: isWhole, to: &result)
        if !isWhole { result.notices.append(.counterRestarted) }
        if let last = cursor.counter, start > last.at { result.notices += notClosed(last) }
        return result
    }

    /// The span of the steps that a reading of today shows for the day before. It ends at midnight. It ends at the reading if the day
    /// before was read after midnight already, or if the time until midnight is too short for the steps.
    private func spanOfEve(from start: Timestamp, to reading: CounterReading, steps: Int) -> TimeSpan {
        let toMidnight = TimeSpan(start, localTime.moment(Day(of: reading.at, utcOffset: reading.utcOffset)))
        let isEnough = !toMidnight.isEmpty && (steps == 0 || isPlausible(steps, toMidnight))
        return isEnough ? toMidnight : TimeSpan(start, reading.at)
    }

    // MARK: Clocks that were set

    /// What the pedometer's clock showed at the last counted reading, by the last known difference between the two clocks.
    private var clockAtLast: DeviceClock? {
        guard let last = cursor.counter else { return nil }
        if let clockSet, clockSet.at >= last.at { return DeviceClock(wall: last.at.seconds + clockSet.utcOffset) }
        return cursor.clockLead.map { DeviceClock(wall: last.at.seconds + $0) }
    }

    /// Nil if no clock was set since the last counted reading, or if that is not known.
    private func clockJump(_ reading: CounterReading, _ clock: DeviceClock) -> ClockJump? {
        guard let last = cursor.counter, let before = clockAtLast else { return nil }
        return ClockJump(from: before, to: clock, seconds: reading.at - last.at)
    }

    /// This machine's clock was set back to before the last reading. On the same day of the pedometer only the growth is new; the time since
    /// then is that of the pedometer's clock. Nil if that clock does not show this.
    private func grownBeforeFuture(_ reading: CounterReading, _ clock: DeviceClock) -> Result? {
        guard var last = cursor.counter, last.at > reading.at, reading.value >= last.value, let before = clockAtLast, clock.day <= before.day
        else { return nil }
        last.at = reading.at - max(0, clock.wall - before.wall)
        return grown(last, reading, clock, isWhole: false)
    }

    /// Keeps the present difference between the two clocks beside a reading that was counted.
    private func note(_ clock: DeviceClock?, _ reading: CounterReading, in result: inout Result) {
        guard let clock, result.batch.cursor?.counter?.at == reading.at else { return }
        result.batch.cursor?.clockLead = clock.wall - reading.at.seconds
    }

    // MARK: By a later reading

    /// The counter has fallen since a doubtful reading of the same day: the doubtful one belonged to yesterday and completes it.
    private func settle(_ doubtful: CounterReading, _ reading: CounterReading) -> Result {
        var result = Result()
        let midnight = localTime.moment(reading.day)
        add(reading.value, TimeSpan(midnight, reading.at), reading, to: &result)
        complete(doubtful, &result)
        return result
    }

    /// Credits a doubtful reading to the day before it.
    private func complete(_ doubtful: CounterReading, _ result: inout Result) {
        let (late, start, isWhole) = eve(of: doubtful, after: cursor.counter)
        credit(late, spanOfEve(from: start, to: doubtful, steps: late), doubtful, isWhole: isWhole, to: &result)
        if let last = cursor.counter, start > last.at { result.notices += notClosed(last) }
    }

    /// Handles a reading after a day whose only reading was doubtful. If the doubtful one shows more than can have been walked since its
    /// midnight, it belonged to the day before. Otherwise its day is not known: its steps were made between the reading before it and
    /// itself; they count, and neither day is complete.
    private func pass(_ doubtful: CounterReading, _ reading: CounterReading, _ clock: DeviceClock?) -> Result {
        guard reading.at > doubtful.at else { return Result() }
        if let clock, clockJump(reading, clock) == nil, let last = cursor.counter, reading.value >= doubtful.value, doubtful.value > last.value,
            reading.at - clock.secondOfDay > last.at, reading.at - clock.secondOfDay <= doubtful.at, clock.secondOfDay >= Self.latestReset
        {
            // Its midnight lies between the last and the doubtful reading: the doubtful one and this one belong to the same count.
            var counted = reading
            let lead = clock.lead(over: reading)
            if abs(lead) < 86_400, clock.day < reading.day.daysSince1970 { counted.countsDay = reading.day.advanced(by: -1) }
            var result = Result()
            add(reading.value, TimeSpan(reading.at - clock.secondOfDay, reading.at), counted, to: &result)
            result.notices = notClosed(last)
            if abs(lead) > Self.clockTolerance { result.notices.append(.clockWasOff(seconds: lead)) }
            return result
        }
        let midnight = localTime.moment(Day(of: doubtful.at, utcOffset: doubtful.utcOffset))
        let isOfEve = !isPlausible(doubtful.value, TimeSpan(midnight, doubtful.at))
        var earlier = Result()
        if isOfEve {
            complete(doubtful, &earlier)
        } else {
            let (late, start, _) = eve(of: doubtful, after: cursor.counter)
            credit(late, TimeSpan(start, doubtful.at), doubtful, isWhole: false, to: &earlier)
            earlier.notices = notClosed(cursor.counter)
        }
        var since = cursor
        since.readThrough = doubtful.at
        since.counter = doubtful
        if isOfEve { since.counter?.countsDay = doubtful.day.advanced(by: -1) }
        since.quarantined = nil
        var result = with(since).stepsOfToday(reading, clock: clock)
        result.batch.samples.insert(contentsOf: earlier.batch.samples, at: 0)
        result.batch.coverage.insert(contentsOf: earlier.batch.coverage, at: 0)
        result.notices.insert(contentsOf: earlier.notices, at: 0)
        return result
    }

    /// For a reading that belongs to the day before: that day's steps, since when they were made, and whether these are all of them. A
    /// value that is lower than the one before it was reset between the two.
    private func eve(of reading: CounterReading, after last: CounterReading?) -> (steps: Int, since: Timestamp, isWhole: Bool) {
        let eve = Day(of: reading.at, utcOffset: reading.utcOffset).advanced(by: -1)
        guard let last else { return (reading.value, localTime.moment(eve), true) }
        let hasFallen = reading.value < last.value
        let isOneCount = !hasFallen && (reading.value == last.value || reading.at - last.at < Self.resetPeriod)
        guard last.day == eve || isOneCount else { return (reading.value, max(last.at, localTime.moment(eve)), true) }
        return (hasFallen ? reading.value : reading.value - last.value, last.at, !hasFallen)
    }

    /// The steps of a day after its last reading are lost, if that was taken before the day's end. Where the last reading was as late as
    /// those before midnight are, this is not reported again every night: the day is shown as partial.
    private func notClosed(_ last: CounterReading?) -> [SyncNotice] {
        guard let last, last.at < localTime.span(of: last.day).end - Self.lastMinutes else { return [] }
        return [.dayNotClosed(last.day)]
    }

    // MARK: Samples

    private func isPlausible(_ steps: Int, _ span: TimeSpan) -> Bool {
        StepSample(start: span.start, length: span.length, steps: steps, utcOffset: 0).isPlausible
    }

    /// - Parameter isWhole: whether these are all steps of the span; false if a restart in it lost some.
    private func add(_ steps: Int, _ span: TimeSpan, _ reading: CounterReading, isWhole: Bool = true, to result: inout Result) {
        guard !span.isEmpty else {
            result.batch.cursor = cursorAfter(reading)
            return
        }
        guard credit(steps, span, reading, isWhole: isWhole, to: &result) else { return }
        result.batch.cursor = cursorAfter(reading)
    }

    private func cursorAfter(_ reading: CounterReading) -> PedometerCursor {
        PedometerCursor(readThrough: reading.at, counter: reading, clockLead: cursor.clockLead)
    }

    /// Adds samples and coverage and leaves the cursor as it is.
    ///
    /// - Returns: false if so many steps cannot be walked in this span. The history keeps such a sample apart and reports it.
    @discardableResult
    private func credit(_ steps: Int, _ span: TimeSpan, _ reading: CounterReading, isWhole: Bool, to result: inout Result) -> Bool {
        guard !span.isEmpty else { return true }
        let whole = StepSample(start: span.start, length: span.length, steps: steps, utcOffset: reading.utcOffset)
        guard whole.isPlausible else {
            result.batch.samples.append(whole)
            return false
        }
        result.batch.samples += perDay(steps, span)
        if isWhole { result.batch.coverage.append(span) }
        return true
    }

    /// Splits the steps of a span that crosses midnights by each day's share of the time: it is known that they were made, but not when.
    private func perDay(_ steps: Int, _ span: TimeSpan) -> [StepSample] {
        var samples: [StepSample] = []
        var start = span.start
        var given = 0
        while start < span.end {
            let end = min(span.end, localTime.span(of: localTime.day(of: start)).end)
            let through = Int((Double(steps) * Double(end - span.start) / Double(span.length)).rounded())
            let part = StepSample(
                start: start, length: end - start, steps: through - given, utcOffset: localTime.utcOffset(start))
            if part.steps > 0 { samples.append(part) }
            given = through
            start = end
        }
        return samples
    }
}
