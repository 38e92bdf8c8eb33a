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
