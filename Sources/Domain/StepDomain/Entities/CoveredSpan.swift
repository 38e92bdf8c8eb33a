/// Time that a pedometer has accounted for, and where: inside it, no sample means no steps.
public struct CoveredSpan: Hashable, Sendable {
    public var span: TimeSpan
    /// Seconds east of Greenwich where it was made: it decides the days that it accounts for, as it does for samples.
    public var utcOffset: Int

    public init(_ span: TimeSpan, utcOffset: Int) {
        self.span = span
        self.utcOffset = utcOffset
    }

    /// The part that lies within a day by the span's own offset; nil where there is none.
    public func part(of day: Day) -> TimeSpan? {
        let midnight = Timestamp(day.daysSince1970 * 86_400 - utcOffset)
        return span.intersection(TimeSpan(midnight, midnight + 86_400))
    }
}

extension Sequence<CoveredSpan> {
    /// What decides how much of a day is accounted for: the spans that have a part of it, and those that lie between such parts
    /// or adjoin them. Empty where none has a part.
    public func deciding(_ day: Day) -> [CoveredSpan] {
        let parts = compactMap { $0.part(of: day) }
        guard let start = parts.map(\.start).min(), let end = parts.map(\.end).max() else { return [] }
        return filter { $0.span.start <= end && $0.span.end >= start }
    }
}

extension LocalTime {
    /// A span as it was spent here: cut where clocks were changed.
    public func covered(_ span: TimeSpan) -> [CoveredSpan] {
        var pieces: [CoveredSpan] = []
        var start = span.start
        while start < span.end {
            let offset = utcOffset(start)
            var end = start
            // Offsets change at most once in a day, so that no change lies unseen between two looks.
            while end < span.end, utcOffset(end) == offset { end = min(end + 86_400, span.end) }
            if utcOffset(end - 1) != offset { end = change(between: max(start, end - 86_400), and: end - 1) }
            pieces.append(CoveredSpan(TimeSpan(start, end), utcOffset: offset))
            start = end
        }
        return pieces
    }
}

extension ClockState {
    /// Where a pedometer was when: the offset that its clock was set to, from each setting on.
    ///
    /// Within one zone the day follows the zone, across a change of daylight saving too; after a journey the time before it
    /// keeps the old place's offset. Before the first setting, and for a pedometer without a clock, it is `here`.
    public func place(_ here: LocalTime) -> LocalTime {
        let settings = settings
        guard !settings.isEmpty else { return here }
        return LocalTime { moment in
            guard let setting = settings.last(where: { $0.at <= moment }) else { return here.utcOffset(moment) }
            return here.utcOffset(setting.at) == setting.utcOffset ? here.utcOffset(moment) : setting.utcOffset
        }
    }
}
