internal import StepDomain

/// From two readings of a counter to the steps between them.
///
/// A reading that gives more steps than people make leaves the cursor where it was: it may be a glitch, and the next
/// reading then is measured against the last good one.
struct CounterReckoning {
    let cursor: PedometerCursor
    let localTime: LocalTime
    /// One more than the counter's greatest value.
    let modulus: Int

    struct Result: Hashable {
        var batch = SampleBatch()
        var notices: [SyncNotice] = []
    }

    /// After midnight a watch whose clock is behind still shows yesterday's steps. A first reading of the day within this time
    /// (seconds) that is not below yesterday's last may be one of those.
    static let doubtAfterMidnight = 3 * 3600

    // MARK: A counter that only grows

    func stepsInAll(_ reading: CounterReading) -> Result {
        guard let last = cursor.counter else { return baseline(reading) }
        guard reading.at > last.at else { return Result() }     // our own clock was put back: wait until it has caught up
        var result = Result()
        var steps = reading.value - last.value
        if steps < 0 {
            // From the last quarter of its range into the first it ran over; else it started anew, and what it
            // counted between the last reading and the restart is gone.
            let ranOver = last.value >= modulus / 4 * 3 && reading.value < modulus / 4
            steps = ranOver ? steps + modulus : reading.value
            if !ranOver { result.notices.append(.counterRestarted) }
        }
        let isWhole = !result.notices.contains(.counterRestarted)
        add(steps, TimeSpan(last.at, reading.at), reading, isWhole: isWhole, to: &result)
        return result
    }

    // MARK: A counter that midnight sets back

    func stepsOfToday(_ reading: CounterReading) -> Result {
        let midnight = localTime.moment(reading.day)
        if let doubtful = cursor.quarantined {
            if doubtful.day == reading.day { return settle(doubtful, reading, midnight) }
            if doubtful.day < reading.day { return leave(doubtful, reading) }
        }
        guard let last = cursor.counter else {
            var result = Result()
            add(reading.value, TimeSpan(midnight, reading.at), reading, to: &result)
            return result
        }
        guard reading.at > last.at else { return Result() }
        if last.day >= reading.day { return laterToday(last, reading) }

        let sinceMidnight = reading.at - midnight
        if reading.value >= last.value, reading.value > 0, sinceMidnight < Self.doubtAfterMidnight {
            var result = Result()
            result.batch.cursor = cursor
            result.batch.cursor?.quarantined = reading
            return result
        }
        var result = Result()
        add(reading.value, TimeSpan(midnight, reading.at), reading, to: &result)
        result.notices += notClosed(last, before: midnight)
        return result
    }

    private func laterToday(_ last: CounterReading, _ reading: CounterReading) -> Result {
        var result = Result()
        var steps = reading.value - last.value
        if steps < 0 {
            steps = reading.value
            result.notices.append(.counterRestarted)
        }
        add(steps, TimeSpan(last.at, reading.at), reading, isWhole: steps == reading.value - last.value, to: &result)
        return result
    }

    /// The second reading of a day whose first was doubtful: fallen since, the first was yesterday's and completes it;
    /// not fallen, both are today's.
    private func settle(_ doubtful: CounterReading, _ reading: CounterReading, _ midnight: Timestamp) -> Result {
        guard reading.at > doubtful.at else { return Result() }
        var result = Result()
        add(reading.value, TimeSpan(midnight, reading.at), reading, to: &result)
        guard let last = cursor.counter else { return result }
        if reading.value < doubtful.value {
            let (late, start) = eve(of: doubtful, after: last)
            let span = TimeSpan(start, midnight)
            if !span.isEmpty, isPlausible(late, span) {
                result.batch.samples += perDay(late, span)
                result.batch.coverage.append(span)
            }
            if start > last.at { result.notices += notClosed(last, before: start) }
        } else {
            result.notices += notClosed(last, before: midnight)
        }
        return result
    }

    /// A reading after a day whose only one was doubtful: of which day that was can no longer be told. Either way as many steps
    /// as it is above the last one were made between the two; they count, and neither day is taken for whole.
    private func leave(_ doubtful: CounterReading, _ reading: CounterReading) -> Result {
        guard reading.at > doubtful.at else { return Result() }
        var since = cursor
        since.readThrough = doubtful.at
        since.counter = doubtful
        since.quarantined = nil
        var result = CounterReckoning(cursor: since, localTime: localTime, modulus: modulus).stepsOfToday(reading)
        guard let last = cursor.counter else { return result }
        let (late, start) = eve(of: doubtful, after: last)
        let span = TimeSpan(start, doubtful.at)
        if !span.isEmpty, isPlausible(late, span) {
            result.batch.samples.insert(contentsOf: perDay(late, span), at: 0)
        }
        result.notices.insert(contentsOf: notClosed(last, before: localTime.moment(doubtful.day)), at: 0)
        return result
    }

    /// The steps of the day before that a doubtful reading tells if it is of that day, and since when they were made.
    private func eve(of doubtful: CounterReading, after last: CounterReading) -> (steps: Int, since: Timestamp) {
        let eve = doubtful.day.advanced(by: -1)
        return last.day == eve ? (doubtful.value - last.value, last.at) : (doubtful.value, localTime.moment(eve))
    }

    /// Yesterday's steps after its last reading are unknown.
    private func notClosed(_ last: CounterReading, before midnight: Timestamp) -> [SyncNotice] {
        last.at < midnight ? [.dayNotClosed(last.day)] : []
    }

    // MARK: Samples

    private func isPlausible(_ steps: Int, _ span: TimeSpan) -> Bool {
        StepSample(start: span.start, length: span.length, steps: steps, utcOffset: 0).isPlausible
    }

    private func baseline(_ reading: CounterReading) -> Result {
        Result(batch: SampleBatch(cursor: PedometerCursor(readThrough: reading.at, counter: reading)))
    }

    /// - Parameter isWhole: whether these are all steps of the span; a restart in it took some.
    private func add(_ steps: Int, _ span: TimeSpan, _ reading: CounterReading, isWhole: Bool = true, to result: inout Result) {
        guard !span.isEmpty else {
            result.batch.cursor = PedometerCursor(readThrough: reading.at, counter: reading)
            return
        }
        let whole = StepSample(start: span.start, length: span.length, steps: steps, utcOffset: reading.utcOffset)
        guard whole.isPlausible else {
            result.batch.samples.append(whole)      // kept apart by the history
            return
        }
        result.batch.samples += perDay(steps, span)
        if isWhole { result.batch.coverage.append(span) }
        result.batch.cursor = PedometerCursor(readThrough: reading.at, counter: reading)
    }

    /// Steps of a span that crosses midnights, by each day's share of the time: when they were made is not known, that
    /// they were made is.
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
