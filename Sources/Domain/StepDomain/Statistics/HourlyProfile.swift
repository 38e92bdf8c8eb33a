/// Steps by the hours of a day. Their sum is the sum of the samples' steps.
public struct HourlyProfile: Hashable, Sendable {
    public private(set) var hours: [DaySummary.Hour]

    /// A sample that spans several hours is spread over them by time, in whole steps that add up to its own.
    ///
    /// - Parameter samples: of the day by their own offset. What of a sample lies past the day's end counts in the day's
    ///   last hours: the sample belongs to the day as a whole.
    public init(_ samples: [StepSample], of day: Day, localTime: LocalTime) {
        let slots = localTime.hours(of: day)
        var steps = Array(repeating: 0, count: slots.count)
        if let first = slots.first, let last = slots.last {
            let whole = TimeSpan(first.span.start, last.span.end)
            for sample in samples where sample.steps > 0 {
                let span = Self.span(of: sample, on: day, within: whole, localTime)
                Self.spread(sample.steps, over: span, slots, into: &steps)
            }
        }
        hours = zip(slots, steps).map { DaySummary.Hour(start: $0.span.start, hour: $0.hour, steps: $1) }
    }

    /// Where in the day a sample lies: at its moment, or, made where clocks showed something else than here, at the hour that
    /// they showed. Never empty, always inside the day.
    private static func span(of sample: StepSample, on day: Day, within whole: TimeSpan, _ localTime: LocalTime) -> TimeSpan {
        var span = sample.span
        if localTime.utcOffset(sample.start) != sample.utcOffset {
            let wall = sample.start.seconds + sample.utcOffset - day.daysSince1970 * 86_400
            let start = localTime.moment(day, seconds: wall)
            span = TimeSpan(start, start + sample.length)
        }
        if let inside = span.intersection(whole) { return inside }
        return span.start < whole.start
            ? TimeSpan(whole.start, whole.start + 1) : TimeSpan(whole.end - 1, whole.end)
    }

    private static func spread(_ count: Int, over span: TimeSpan, _ slots: [LocalHour], into steps: inout [Int]) {
        var given = 0
        for (index, slot) in slots.enumerated() where slot.span.overlaps(span) {
            let elapsed = min(slot.span.end, span.end) - span.start
            // Rounding the running total instead of each part keeps the sum; full width, so that no length overflows.
            let through = span.length.dividingFullWidth(count.multipliedFullWidth(by: elapsed)).quotient
            steps[index] += through - given
            given = through
        }
    }
}
