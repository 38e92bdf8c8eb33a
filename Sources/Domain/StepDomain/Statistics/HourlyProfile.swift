internal import Support

/// An hour as local clocks showed it. Usually 3600 seconds; shorter if a change of offset cuts it.
public struct LocalHour: Hashable, Sendable {
    public var span: TimeSpan
    /// 0...23.
    public var hour: Int
    /// Seconds east of Greenwich during the whole hour.
    public var utcOffset: Int
}

extension LocalTime {
    /// The hours of a day here, in order: 24 of them, 23 on the day when clocks go forward, 25 when they go back (one
    /// label then comes twice). Together they are the day's span.
    public func hours(of day: Day) -> [LocalHour] {
        let span = span(of: day)
        var hours: [LocalHour] = []
        var start = span.start
        while start < span.end {
            let offset = utcOffset(start)
            let wall = floorRemainder(start.seconds + offset, 86_400)
            var end = min(start + (3600 - wall % 3600), span.end)
            if utcOffset(end - 1) != offset { end = change(between: start, and: end - 1) }
            hours.append(LocalHour(span: TimeSpan(start, end), hour: wall / 3600, utcOffset: offset))
            start = end
        }
        return hours
    }
}

/// Steps by the hours of a day. Their sum is the sum of the samples' steps, without those of many hours.
///
/// An hour is known if all of it is accounted for, or if it has steps. Any other hour has no figure: it does not count
/// as 0. A sample of many hours, such as a total of the day, shows how many steps were made, and not when; so do its
/// parts, and what `StepPlacement` spreads over gaps that are many hours together.
public struct HourlyProfile: Hashable, Sendable {
    public private(set) var hours: [DaySummary.Hour]

    /// A sample that spans a few hours is spread over them by time, in whole steps that add up to its own.
    ///
    /// - Parameters:
    ///   - samples: the samples of the day by their own offset, or their pieces (`MergedTracks.placed`). The part of a
    ///     sample that lies past the day's end counts in the day's last hours: the sample belongs to the day as a
    ///     whole.
    ///   - running: those of the samples that were run.
    ///   - coverage: the coverage of all pedometers, in any order.
    ///   - isComplete: whether all of the day is accounted for (`DaySummary.Completeness`): then all hours are known.
    public init(
        _ samples: [StepSample], running: [StepSample] = [], of day: Day, localTime: LocalTime, coverage: [CoveredSpan],
        isComplete: Bool = false
    ) {
        let slots = localTime.hours(of: day)
        let steps = Self.steps(samples.ofKnownHours, in: slots, of: day, localTime)
        let run =
            running.isEmpty ? steps.map { _ in 0 } : Self.steps(running.ofKnownHours, in: slots, of: day, localTime)
        let unknown = Self.steps(samples.ofUnknownHours, in: slots, of: day, localTime)
        let known = Coverage(coverage.compactMap { Self.span(of: $0, on: day, localTime) })
        hours = slots.enumerated().map { index, slot in
            let isCovered = isComplete || known.seconds(of: slot.span) == slot.span.length
            let isKnown = steps[index] > 0 || unknown[index] == 0 && isCovered
            return DaySummary.Hour(
                start: slot.span.start, hour: slot.hour, utcOffset: slot.utcOffset,
                steps: isKnown ? steps[index] : nil, running: min(run[index], steps[index]))
        }
    }

    /// The steps of each slot.
    private static func steps(_ samples: [StepSample], in slots: [LocalHour], of day: Day, _ localTime: LocalTime)
        -> [Int]
    {
        var steps = Array(repeating: 0, count: slots.count)
        guard let first = slots.first, let last = slots.last else { return steps }
        let whole = TimeSpan(first.span.start, last.span.end)
        // The slot in which the last sample began: samples are usually in order of time, so the next slot is seldom far
        // away.
        var index = 0
        for sample in samples where sample.steps > 0 {
            index = slot(of: sample.start, in: slots, near: index)
            let span = span(of: sample, on: day, within: whole, offset: slots[index].utcOffset, localTime)
            let first = span.start == sample.start ? index : slot(of: span.start, in: slots, near: index)
            steps.addSteps(sample.steps, over: span, from: first) { slots[$0].span.end }
        }
        return steps
    }

    /// The place of a covered span in the day: its own moments or, if its offset differs from local time here, the
    /// hours that its local clocks showed. Nil if it has no part of the day.
    private static func span(of covered: CoveredSpan, on day: Day, _ localTime: LocalTime) -> TimeSpan? {
        guard let part = covered.part(of: day) else { return nil }
        func here(_ moment: Timestamp, by offset: Int) -> Timestamp {
            if offset == covered.utcOffset { return moment }
            return localTime.moment(day, seconds: moment.seconds + covered.utcOffset - day.daysSince1970 * 86_400)
        }
        return TimeSpan(
            here(part.start, by: localTime.utcOffset(part.start)), here(part.end, by: localTime.utcOffset(part.end - 1))
        )
    }

    /// The slot that contains a moment; the first or the last for a moment outside of all.
    private static func slot(of moment: Timestamp, in slots: [LocalHour], near guess: Int) -> Int {
        var index = guess
        while index > 0, moment < slots[index].span.start { index -= 1 }
        while index < slots.count - 1, moment >= slots[index].span.end { index += 1 }
        return index
    }

    /// The place of a sample in the day: its own moment or, if its offset differs from local time here, the hour that
    /// its local clocks showed. Never empty, always inside the day.
    ///
    /// - Parameter offset: local time's offset in the slot of the sample's start, or in the slot nearest to it.
    private static func span(
        of sample: StepSample, on day: Day, within whole: TimeSpan, offset: Int, _ localTime: LocalTime
    ) -> TimeSpan {
        var span = sample.span
        // Outside of the day another offset may be in force.
        let here = whole.contains(sample.start) ? offset : localTime.utcOffset(sample.start)
        if here != sample.utcOffset {
            let wall = sample.start.seconds + sample.utcOffset - day.daysSince1970 * 86_400
            let start = localTime.moment(day, seconds: wall)
            span = TimeSpan(start, start + sample.length)
        }
        if let inside = span.intersection(whole) { return inside }
        return span.start < whole.start
            ? TimeSpan(whole.start, whole.start + 1) : TimeSpan(whole.end - 1, whole.end)
    }
}

extension StepSample {
    /// Seconds up to which a sample is spread over its hours: of a longer one nobody knows when its steps were made.
    ///
    /// Stored sums of days depend on it, and the schema of PostgreSQL: with another value, `DaySums.revision` and
    /// `PostgresSchema.version` grow.
    package static let maximumSpread = 6 * 3600

    /// Whether it is spread over its hours.
    var hasKnownHours: Bool { length <= Self.maximumSpread && !isPartOfManyHours }
}

extension [StepSample] {
    /// Those that are spread over their hours.
    var ofKnownHours: [StepSample] {
        allSatisfy(\.hasKnownHours) ? self : filter(\.hasKnownHours)
    }

    /// The time of the others, with a step for each second.
    var ofUnknownHours: [StepSample] {
        filter { $0.steps > 0 && !$0.hasKnownHours }.map { sample in
            StepSample(
                start: sample.start, length: sample.length, steps: sample.length, utcOffset: sample.utcOffset)
        }
    }
}

extension [Int] {
    /// Adds the steps of a sample to the hours in which it lies: spread by time, in whole steps that add up to its own.
    ///
    /// - Parameters:
    ///   - steps: the steps of the sample.
    ///   - span: the time of the sample; not empty.
    ///   - first: the hour in which the span begins.
    ///   - end: returns the end of an hour. Each hour begins where the one before it ended.
    mutating func addSteps(_ steps: Int, over span: TimeSpan, from first: Int, end: (_ hour: Int) -> Timestamp) {
        var given = 0
        for hour in first..<count {
            let hourEnd = end(hour)
            let elapsed = Swift.min(hourEnd, span.end) - span.start
            // Rounding the running total instead of each part keeps the sum; full width, so that no length overflows.
            let through = span.length.dividingFullWidth(steps.multipliedFullWidth(by: elapsed)).quotient
            self[hour] += through - given
            given = through
            if hourEnd >= span.end { return }
        }
    }
}
