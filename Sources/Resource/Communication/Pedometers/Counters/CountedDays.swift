internal import StepDomain

/// Completes the past days of a pedometer that counts today's steps and also reports totals of past days.
///
/// A total is the last value of the counter on its day, so it contains what the readings of that day have counted. What
/// it has beyond that was made after the last of them, and is stored for that time: so a sample of a total never
/// overlaps one of a reading. How much was stored of each day is in the cursor (`PastDays`).
///
/// Of a day that was read before the cursor had this, the last reading is known. Earlier days are left as they are.
struct CountedDays {
    /// A day that the pedometer reports.
    struct Report: Hashable {
        var day: Day
        var total: Int
        /// The steps of its slots, which divide the day evenly; nil if it has none. Their sum is the total.
        var slots: [Int]?
    }

    /// Days before today of which it is kept how much was stored: the most that such a pedometer reports.
    static let oldestDay = 7
    /// Seconds of a day at which totals are requested. At other times the pedometer may be on another day, or get to
    /// the next one before it has answered.
    private static let safe = 3_600..<(86_400 - 120)

    private(set) var past: PastDays
    private var cursor: PedometerCursor
    private let clock: ClockState
    private let localTime: LocalTime
    private let today: Day
    private let isClockInDoubt: Bool
    /// What the totals add.
    private var completed = SampleBatch()

    /// - Parameter today: of the reading.
    init(_ context: SessionContext, today: Day) {
        (cursor, clock, localTime, self.today) = (
            context.pedometer.cursor, context.pedometer.clock, context.localTime, today
        )
        isClockInDoubt = !context.setsClock
        past = cursor.pastDays ?? Self.older(cursor)
        // This machine's clock was ahead, or it was in another zone: then it is not known which of its days have what
        // was stored.
        let readings = [cursor.counter, cursor.undecided].compactMap(\.self)
        let days = past.counted.map(\.day) + readings.map(\.day)
        let hasMoved = readings.contains { [localTime] in $0.utcOffset != localTime.utcOffset($0.at) }
        guard hasMoved || days.contains(where: { $0 > today }) else { return }
        past = PastDays(
            since: today.advanced(by: 1), isReversed: past.isReversed, isDistanceFirst: past.isDistanceFirst)
    }

    /// What is known if the cursor has only readings.
    private static func older(_ cursor: PedometerCursor) -> PastDays {
        guard let last = cursor.counter else { return PastDays(since: cursor.undecided?.day) }
        return PastDays(counted: [CountedDay(last.day, steps: last.value, through: last.at)], since: last.day)
    }

    /// Whether totals are to be requested now: once a day, and not around midnight.
    func isDue(at now: Timestamp) -> Bool {
        !isClockInDoubt && past.requested != today && localTime.day(of: now) == today
            && Self.safe.contains(now - localTime.moment(today))
    }

    /// Days before today that can still be completed, the oldest first.
    ///
    /// - Parameter limit: the number of days before today.
    func open(_ limit: Int) -> [Day] {
        (1...max(1, limit)).reversed().map { today.advanced(by: -$0) }.filter { day in
            limit >= 1 && isSteady(day) && (past.since.map { day >= $0 } ?? true)
                && (counted(day).map { $0.through < localTime.span(of: day).end } ?? true)
        }
    }

    func counted(_ day: Day) -> CountedDay? { past.counted.first { $0.day == day } }

    /// Whether a total can be that of a day: at least what was counted of it, and not much more than can have been
    /// walked since.
    ///
    /// Of a day that was never read, nothing else is known than that a total of 0 can also mean that the pedometer has
    /// no record of it.
    func isPossible(_ total: Int, _ day: Day) -> Bool { fits(total, day, within: CounterOfToday.clockTolerance) }

    /// - Parameter seconds: by which the pedometer's day may be longer than the local day.
    private func fits(_ total: Int, _ day: Day, within seconds: Int = 0) -> Bool {
        guard total <= maximumStepsOfADay else { return false }
        guard let counted = counted(day) else { return total > 0 }
        let rest = TimeSpan(counted.through, localTime.span(of: day).end + seconds)
        let steps = total - counted.steps
        return steps == 0 || (steps > 0 && !rest.isEmpty && CounterCredit.isPlausible(steps, rest))
    }

    /// Whether the pedometer's day is the local day: local clocks were not changed on it, and its own clock has shown
    /// local time.
    func isSteady(_ day: Day) -> Bool {
        let span = localTime.span(of: day)
        let offset = localTime.utcOffset(span.start)
        let settings = clock.settings.filter { $0.at < span.end }
        let before = settings.last { $0.at <= span.start }
        let effective = settings.filter { $0.at > span.start } + [before].compactMap(\.self)
        return span.length == 86_400 && localTime.utcOffset(span.end - 1) == offset
            && effective.allSatisfy { $0.utcOffset == offset }
    }

    /// Totals were requested: they are not requested again on this day.
    mutating func request(_ totals: [Int: Int]? = nil, isReversed: Bool? = nil) {
        (past.requested, past.totals, past.isReversed) = (today, totals, isReversed)
    }

    mutating func isDistanceFirst(_ isFirst: Bool) { past.isDistanceFirst = isFirst }

    // MARK: Completing days

    /// Completes days by their reports, as far as these fit what was counted.
    ///
    /// A reading whose day is not decided yet belongs to yesterday or today. If yesterday is completed, it is not
    /// needed any more: the total of yesterday, or the counter of today, contains it. If not, no day is completed, so
    /// that it can still be counted.
    ///
    /// - Parameters:
    ///   - reading: of the counter, on this day.
    ///   - hasBegun: whether the counter is known to count the steps of today.
    mutating func complete(_ reports: [Report], before reading: CounterReading, hasBegun: Bool) {
        let days = open(Self.oldestDay)
        let reports = reports.filter { days.contains($0.day) && fits($0.total, $0.day) }.sorted { $0.day < $1.day }
        let yesterday = today.advanced(by: -1)
        guard cursor.undecided == nil || reports.contains(where: { $0.day == yesterday }) else { return }
        for report in reports { complete(report, reading, hasBegun && report.day == yesterday) }
    }

    private mutating func complete(_ report: Report, _ reading: CounterReading, _ hasBegun: Bool) {
        let span = localTime.span(of: report.day)
        let before = counted(report.day) ?? CountedDay(report.day, steps: 0, through: span.start)
        let rest = TimeSpan(max(before.through, span.start), span.end)
        completed.samples += samples(report, of: rest, steps: report.total - before.steps, in: span)
        completed.coverage.append(span)
        past.counted.removeAll { $0.day == report.day }
        past.counted.append(CountedDay(report.day, steps: report.total, through: span.end))
        if cursor.undecided.map({ $0.at <= span.end || report.day == today.advanced(by: -1) }) == true {
            cursor.undecided = nil
        }
        // A later reading has its own day already.
        guard cursor.counter.map({ $0.at < span.end }) ?? true else { return }
        cursor.readThrough = span.end
        // A value that is that of yesterday is not today's: an idle pedometer may not have reset it.
        let isReset = hasBegun && (reading.value == 0 || reading.value != report.total)
        cursor.counter = CounterReading(
            at: span.end, value: isReset ? 0 : report.total, utcOffset: localTime.utcOffset(span.end),
            countsDay: isReset ? nil : report.day)
    }

    /// The steps that were made after the last reading of a day: by the slots after it, if they agree with it.
    private func samples(_ report: Report, of rest: TimeSpan, steps: Int, in span: TimeSpan) -> [StepSample] {
        let offset = localTime.utcOffset(span.start)
        let whole = [StepSample(start: rest.start, length: rest.length, steps: steps, utcOffset: offset)].filter {
            $0.steps > 0
        }
        guard let slots = report.slots, !slots.isEmpty else { return whole }
        let length = span.length / slots.count
        let all = slots.enumerated().map { index, steps in
            StepSample(start: span.start + index * length, length: length, steps: steps, utcOffset: offset)
        }
        var after = all.filter { $0.start >= rest.start }
        // The slot in which it was read: the part of it that was not counted.
        if let cut = all.first(where: { $0.start < rest.start && $0.span.end > rest.start }) {
            let left = steps - after.reduce(0) { $0 + $1.steps }
            guard (0...cut.steps).contains(left) else { return whole }
            after.append(
                StepSample(start: rest.start, length: cut.span.end - rest.start, steps: left, utcOffset: offset))
        }
        guard after.reduce(0, { $0 + $1.steps }) == steps, after.allSatisfy(\.isPlausible) else { return whole }
        return after.filter { $0.steps > 0 }
    }

    /// The batch of a reading, and of the days that were completed before it.
    func batch(of reading: CounterReading) -> SampleBatch {
        let counter = CounterOfToday(cursor: cursor, localTime: localTime, isClockInDoubt: isClockInDoubt).batch(
            of: reading)
        var days = self
        days.record(counter)
        var batch = completed.followed(by: counter)
        if batch.cursor == nil, !completed.coverage.isEmpty { batch.cursor = cursor }
        batch.cursor?.pastDays = days.past
        return batch
    }

    /// Keeps what a reading stores of each day.
    private mutating func record(_ batch: SampleBatch) {
        for sample in batch.samples where sample.isPlausible {
            add(sample.steps, of: sample.day, through: sample.span.end)
        }
        for span in batch.coverage {
            var day = localTime.day(of: span.start)
            while localTime.moment(day) < span.end {
                add(0, of: day, through: span.end)
                day = day.advanced(by: 1)
            }
        }
        past.counted.removeAll { $0.day < today.advanced(by: -Self.oldestDay) }
        past.counted.sort { $0.day < $1.day }
    }

    private mutating func add(_ steps: Int, of day: Day, through end: Timestamp) {
        let end = min(end, localTime.span(of: day).end)
        guard let index = past.counted.firstIndex(where: { $0.day == day }) else {
            past.counted.append(CountedDay(day, steps: steps, through: end))
            return
        }
        past.counted[index].steps += steps
        past.counted[index].through = max(past.counted[index].through, end)
    }
}
