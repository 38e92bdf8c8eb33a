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

extension DaySummary.Completeness {
    /// By the places where the day was spent, so that a later journey never changes it.
    ///
    /// A day is complete where all is accounted for from its midnight to its next, each by the offset then in force: 24 hours as a
    /// rule, 23 or 25 where clocks were changed, more or less where the user travelled. Where a change skipped midnight itself, the
    /// time accounted for before it reaches up to midnight by the old offset, or that after it begins past the next one by the
    /// new.
    ///
    /// - Parameters:
    ///   - coverage: of all pedometers, as `deciding(_:)` gives it, in any order.
    ///   - hasSamples: steps are something known, also where no pedometer vouches for the time around them.
    init(_ coverage: [CoveredSpan], of day: Day, hasSamples: Bool) {
        let parts = coverage.compactMap { covered in
            covered.part(of: day).map { CoveredSpan($0, utcOffset: covered.utcOffset) }
        }
        guard let start = parts.map(\.span.start).min(), let end = parts.map(\.span.end).max() else {
            self = hasSamples ? .partial : .unknown
            return
        }
        let midnight = day.daysSince1970 * 86_400
        let begins = parts.contains { $0.span.start == start && start.seconds + $0.utcOffset == midnight }
            || coverage.contains { $0.span.end == start && start.seconds + $0.utcOffset <= midnight }
        let ends = parts.contains { $0.span.end == end && end.seconds + $0.utcOffset == midnight + 86_400 }
            || coverage.contains { $0.span.start == end && end.seconds + $0.utcOffset >= midnight + 86_400 }
        let hasGaps = !Coverage(coverage.map(\.span)).gaps(in: TimeSpan(start, end)).isEmpty
        self = begins && ends && !hasGaps ? .complete : .partial
    }
}
