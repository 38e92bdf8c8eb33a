extension [PackedDay] {
    /// What several exports of one source say together of the same day, the newest last.
    ///
    /// A newer export replaces what the earlier ones say of the time that it accounts for, and of slots that begin at
    /// the same moment. What it says nothing of stays.
    public var overlaid: PackedDay {
        guard var result = first else { return PackedDay() }
        for newer in dropFirst() {
            let known = Coverage(newer.coverage.map(\.span) + newer.samples.map(\.span))
            let starts = Set(newer.samples.map(\.start))
            result.samples.removeAll { starts.contains($0.start) || known.gaps(in: $0.span).isEmpty }
            result.samples = (result.samples + newer.samples).sorted { $0.start < $1.start }
            let earlier = result.coverage.flatMap { covered in
                Coverage(newer.coverage.map(\.span)).gaps(in: covered.span).map {
                    CoveredSpan($0, utcOffset: covered.utcOffset)
                }
            }
            result.coverage = (earlier + newer.coverage).joined
        }
        return result
    }
}

extension PackedDay {
    /// The local days on which two versions of this differ.
    public func days(differingFrom other: PackedDay) -> Set<Day> {
        if self == other { return [] }
        var days: Set<Day> = []
        for sample in Set(samples).symmetricDifference(other.samples) { days.insert(sample.day) }
        for covered in Set(coverage).symmetricDifference(other.coverage) {
            let last = Day(of: covered.span.end - 1, utcOffset: covered.utcOffset)
            days.formUnion(Day(of: covered.span.start, utcOffset: covered.utcOffset)...last)
        }
        return days
    }
}

extension [CoveredSpan] {
    /// Spans by start, without overlaps; those of one offset that touch become one.
    var joined: [CoveredSpan] {
        sorted { $0.span.start < $1.span.start }.reduce(into: []) { joined, next in
            guard let last = joined.last, next.span.start <= last.span.end else { return joined.append(next) }
            if last.utcOffset == next.utcOffset {
                joined[joined.count - 1].span = TimeSpan(last.span.start, Swift.max(last.span.end, next.span.end))
            } else if next.span.end > last.span.end {
                joined.append(CoveredSpan(TimeSpan(last.span.end, next.span.end), utcOffset: next.utcOffset))
            }
        }
    }
}
