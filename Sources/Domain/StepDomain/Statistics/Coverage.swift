/// How much of a time is accounted for.
public struct Coverage: Hashable, Sendable {
    /// Sorted, merged: no two overlap or touch.
    public private(set) var spans: [TimeSpan]

    /// - Parameter spans: in any order, overlapping or not; empty ones are left out.
    public init(_ spans: some Sequence<TimeSpan>) {
        self.spans = []
        for span in spans.filter({ !$0.isEmpty }).sorted(by: { $0.start < $1.start }) {
            if let last = self.spans.last, span.start <= last.end {
                self.spans[self.spans.count - 1] = TimeSpan(last.start, max(last.end, span.end))
            } else {
                self.spans.append(span)
            }
        }
    }

    /// Seconds of `span` that are accounted for.
    public func seconds(of span: TimeSpan) -> Int {
        spans.reduce(0) { $0 + ($1.intersection(span)?.length ?? 0) }
    }

    /// The parts of `span` that are not accounted for, by time.
    public func gaps(in span: TimeSpan) -> [TimeSpan] {
        var gaps: [TimeSpan] = []
        var start = span.start
        for covered in spans {
            guard let inside = covered.intersection(span) else { continue }
            if start < inside.start { gaps.append(TimeSpan(start, inside.start)) }
            start = inside.end
        }
        if start < span.end { gaps.append(TimeSpan(start, span.end)) }
        return gaps
    }
}

/// Time that a pedometer has accounted for, with its UTC offset. No sample inside it means no steps.
public struct CoveredSpan: Hashable, Sendable {
    public var span: TimeSpan
    /// Seconds east of Greenwich at the place where it was recorded. It decides to which days the span belongs, as for
    /// samples.
    public var utcOffset: Int

    public init(_ span: TimeSpan, utcOffset: Int) {
        self.span = span
        self.utcOffset = utcOffset
    }

    /// The part that lies within a day by the span's own offset; nil if there is none.
    public func part(of day: Day) -> TimeSpan? {
        let midnight = Timestamp(day.daysSince1970 * 86_400 - utcOffset)
        return span.intersection(TimeSpan(midnight, midnight + 86_400))
    }
}

extension Sequence<CoveredSpan> {
    /// The spans that decide how much of a day is accounted for: those with a part in the day, and those that lie
    /// between such parts or adjoin them. Empty if no span has a part in the day.
    public func deciding(_ day: Day) -> [CoveredSpan] {
        let parts = compactMap { $0.part(of: day) }
        guard let start = parts.map(\.start).min(), let end = parts.map(\.end).max() else { return [] }
        return filter { $0.span.start <= end && $0.span.end >= start }
    }
}

extension LocalTime {
    /// A span divided where local clocks were changed, each part with its offset.
    public func covered(_ span: TimeSpan) -> [CoveredSpan] {
        var pieces: [CoveredSpan] = []
        var start = span.start
        while start < span.end {
            let offset = utcOffset(start)
            var end = start
            // Offsets change at most once a day, so no change is missed between two checks.
            while end < span.end, utcOffset(end) == offset { end = min(end + 86_400, span.end) }
            if utcOffset(end - 1) != offset { end = change(between: max(start, end - 86_400), and: end - 1) }
            pieces.append(CoveredSpan(TimeSpan(start, end), utcOffset: offset))
            start = end
        }
        return pieces
    }
}
