extension ClosedRange<Day> {
    /// Where the days begin, as the clocks of a place show it: seconds since 1970.
    public var startSecond: Int { lowerBound.daysSince1970 * 86_400 }
    /// The same of the midnight after the last day.
    public var endSecond: Int { (upperBound.daysSince1970 + 1) * 86_400 }
}

extension CoveredSpan {
    /// The parts of it that do not lie on days, by its own offset.
    public func without(_ days: ClosedRange<Day>) -> [CoveredSpan] {
        let start = Timestamp(days.startSecond - utcOffset), end = Timestamp(days.endSecond - utcOffset)
        return [TimeSpan(span.start, min(span.end, start)), TimeSpan(max(span.start, end), span.end)]
            .filter { $0.start < $0.end }.map { CoveredSpan($0, utcOffset: utcOffset) }
    }
}

extension PackedDay {
    /// What it says of other days.
    public func without(_ days: DaySet) -> PackedDay {
        PackedDay(
            samples: samples.filter { !days.contains($0.day) }, coverage: coverage.flatMap { days.removed(from: $0) })
    }
}

/// Days as ranges: by day, no two touch.
public struct DaySet: Hashable, Sendable {
    public let ranges: [ClosedRange<Day>]

    public init(_ range: ClosedRange<Day>) { ranges = [range] }

    public init(_ days: some Sequence<Day>) {
        ranges = Set(days).sorted().reduce(into: []) { ranges, day in
            if let last = ranges.last, last.upperBound.advanced(by: 1) == day {
                ranges[ranges.count - 1] = last.lowerBound...day
            } else {
                ranges.append(day...day)
            }
        }
    }

    public var isEmpty: Bool { ranges.isEmpty }

    public func contains(_ day: Day) -> Bool { ranges.contains { $0.contains(day) } }

    /// The parts of a span that do not lie on the days, by its own offset.
    public func removed(from covered: CoveredSpan) -> [CoveredSpan] {
        ranges.reduce([covered]) { parts, range in parts.flatMap { $0.without(range) } }
    }
}
