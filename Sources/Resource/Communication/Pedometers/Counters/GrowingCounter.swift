internal import StepDomain

/// Calculates steps from two readings of a counter that nothing but a restart or an overflow sets back.
///
/// The first reading ever gives no steps: they may be of any time. A reading that gives more steps than people make leaves the cursor where
/// it was: it may be a glitch, and the next reading is then measured against the last good one.
struct GrowingCounter {
    let cursor: PedometerCursor
    let localTime: LocalTime
    /// One more than the counter's greatest value.
    let modulus: Int

    func steps(_ reading: CounterReading) -> CounterResult {
        if let past = cursor.withoutFuture(of: reading) {
            return GrowingCounter(cursor: past, localTime: localTime, modulus: modulus).steps(reading)
        }
        guard let last = cursor.counter else {
            let batch = SampleBatch(cursor: PedometerCursor(readThrough: reading.at, counter: reading))
            return CounterResult(batch: batch, notices: [.countingStarted])
        }
        guard reading.at > last.at else { return CounterResult() }  // our own clock was put back: wait until it has caught up
        var result = CounterResult()
        var steps = reading.value - last.value
        if steps < 0 {
            // A change from the last quarter of its range into the first one is an overflow. Any other decrease is a restart: what it
            // counted between the last reading and the restart is lost.
            let ranOver = last.value >= modulus / 4 * 3 && reading.value < modulus / 4
            steps = ranOver ? steps + modulus : reading.value
            if !ranOver { result.notices.append(.counterRestarted) }
        }
        let isWhole = !result.notices.contains(.counterRestarted)
        CounterCredit(localTime: localTime, clockLead: nil)
            .add(steps, TimeSpan(last.at, reading.at), reading, isWhole: isWhole, to: &result)
        return result
    }
}
