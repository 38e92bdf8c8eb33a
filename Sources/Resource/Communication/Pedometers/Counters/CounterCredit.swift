internal import StepDomain

/// What a reading of a counter gives.
struct CounterResult: Hashable {
    /// Its cursor is nil if the reading changes nothing for the next one.
    var batch = SampleBatch()
    var notices: [SyncNotice] = []

    /// Whether a later reading has to decide which day this one belongs to.
    var isUndecided: Bool { batch.cursor?.undecided != nil }
}

/// Credits the steps that a counter shows to a span of time.
struct CounterCredit {
    let localTime: LocalTime
    /// Seconds by which the pedometer's clock was ahead of UTC at its last reading; kept in the next cursor.
    let clockOffset: Int?

    static func isPlausible(_ steps: Int, _ span: TimeSpan) -> Bool {
        StepSample(start: span.start, length: span.length, steps: steps, utcOffset: 0).isPlausible
    }

    /// Adds the steps and moves the cursor to the reading. If so many steps cannot be walked in the span, the cursor
    /// remains.
    ///
    /// - Parameter isWhole: whether these are all steps of the span; false if a restart in it lost some.
    func add(
        _ steps: Int, _ span: TimeSpan, _ reading: CounterReading, isWhole: Bool = true, to result: inout CounterResult
    ) {
        guard addSamples(steps, span, reading, isWhole: isWhole, to: &result) else { return }
        result.batch.cursor = PedometerCursor(readThrough: reading.at, counter: reading, clockOffset: clockOffset)
    }

    /// Adds samples and coverage and leaves the cursor as it is.
    ///
    /// - Returns: false if so many steps cannot be walked in this span. A sample that nobody can walk in seconds is
    ///   kept apart by the history, which reports it; of one that nobody walks in days, only the frames are kept.
    @discardableResult
    func addSamples(
        _ steps: Int, _ span: TimeSpan, _ reading: CounterReading, isWhole: Bool, to result: inout CounterResult
    ) -> Bool {
        guard !span.isEmpty else { return true }
        let whole = StepSample(start: span.start, length: span.length, steps: steps, utcOffset: reading.utcOffset)
        guard whole.isPlausible else {
            result.batch.samples.append(whole)
            return false
        }
        guard steps <= maximumStepsOfADay * max(1, span.length / 86_400) else {
            result.notices.append(.implausible(samples: 1))
            return false
        }
        result.batch.samples += perDay(steps, span)
        if isWhole { result.batch.coverage.append(span) }
        return true
    }

    /// Splits the steps of a span that crosses midnights by each day's share of the time: it is known that they were
    /// made, but not when.
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

extension PedometerCursor {
    /// The cursor without marks later than this reading, stored while a machine's clock was ahead; nil if it has none.
    /// With such a mark, no reading would count until its time is reached.
    func withoutFuture(of reading: CounterReading) -> PedometerCursor? {
        var past = withoutFutureReading(at: reading.at)
        if past.counter?.at.isAhead(of: reading.at) == true { (past.counter, past.clockOffset) = (nil, nil) }
        if past.undecided?.at.isAhead(of: reading.at) == true { past.undecided = nil }
        if past.alternative?.at.isAhead(of: reading.at) == true { past.alternative = nil }
        return past == self ? nil : past
    }
}
