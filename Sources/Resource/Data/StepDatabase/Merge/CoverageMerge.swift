import GRDB
import StepDomain

/// Adds spans to what one pedometer has accounted for; spans of one offset that overlap or touch become one.
struct CoverageMerge {
    private let database: Database
    private let pedometer: Pedometer.ID
    private let excepted: DaySet?

    /// - Parameter excepted: days that the user has deleted: their time is not accounted for.
    init(_ database: Database, pedometer: Pedometer.ID, except excepted: DaySet? = nil) {
        self.database = database
        self.pedometer = pedometer
        self.excepted = excepted
    }

    /// - Parameter changed: receives the days that were not accounted for before.
    func merge(_ spans: [TimeSpan], localTime: LocalTime, _ changed: inout ChangedDays) throws {
        for span in spans {
            // The end of the calendar limits the time that a pedometer can report.
            let span = TimeSpan(max(span.start, Timestamp(0)), min(span.end, Timestamp.last + 1))
            for piece in localTime.covered(span) where StepSample.utcOffsets.contains(piece.utcOffset) {
                for rest in excepted?.removed(from: piece) ?? [piece] { try merge(rest, &changed) }
            }
        }
    }

    /// Time that was accounted for before keeps its offset, like the samples in it: a later offset, after a journey,
    /// would move past time to other days.
    func merge(_ piece: CoveredSpan, _ changed: inout ChangedDays) throws {
        let touched = try Self.spans(of: pedometer, touching: piece.span, database)
        let gaps = Coverage(touched.map(\.span)).gaps(in: piece.span)
        if gaps.isEmpty { return }
        for gap in gaps { changed.insert(gap, utcOffset: piece.utcOffset, neighbours: touched) }
        try replace(touched, by: joined(touched + gaps.map { CoveredSpan($0, utcOffset: piece.utcOffset) }))
    }

    /// Replaces all spans of the pedometer.
    ///
    /// - Parameter spans: no two overlap.
    func replaceAll(by spans: [CoveredSpan]) throws {
        let all = TimeSpan(Timestamp(0), Timestamp.last + 1)
        try replace(Self.spans(of: pedometer, touching: all, database), by: joined(spans))
    }

    /// Writes only what differs: usually the last span gets another end. A span of years that were deleted and inserted
    /// again would make the triggers of the schema delete the sums of all its days.
    private func replace(_ before: [CoveredSpan], by after: [CoveredSpan]) throws {
        func key(_ span: CoveredSpan) -> [Int] { [span.span.start.seconds, span.utcOffset] }
        let kept = Dictionary(after.map { (key($0), $0) }) { first, _ in first }
        for old in before where kept[key(old)] == nil {
            try database.cachedStatement(sql: "DELETE FROM coverage WHERE pedometer = ? AND start = ?")
                .execute(arguments: [pedometer, old.span.start.seconds])
        }
        let known = Dictionary(before.map { (key($0), $0.span.end) }) { first, _ in first }
        for new in after {
            guard let end = known[key(new)] else {
                try database.cachedStatement(sql: "INSERT INTO coverage VALUES (?, ?, ?, ?)")
                    .execute(arguments: [pedometer, new.span.start.seconds, new.span.end.seconds, new.utcOffset])
                continue
            }
            if end == new.span.end { continue }
            try database.cachedStatement(sql: "UPDATE coverage SET until = ? WHERE pedometer = ? AND start = ?")
                .execute(arguments: [new.span.end.seconds, pedometer, new.span.start.seconds])
        }
    }

    /// Merges adjacent spans that have the same offset.
    private func joined(_ spans: [CoveredSpan]) -> [CoveredSpan] {
        spans.sorted { $0.span.start < $1.span.start }.reduce(into: []) { joined, next in
            if let last = joined.last, last.span.end == next.span.start, last.utcOffset == next.utcOffset {
                joined[joined.count - 1].span = TimeSpan(last.span.start, next.span.end)
            } else {
                joined.append(next)
            }
        }
    }

    /// The spans that share a second with `span` or adjoin it, sorted.
    ///
    /// Spans do not overlap, so their ends have the same order as their starts. The search goes back from the span's
    /// end and stops at the first span that ends before its start, so no range of the table is scanned.
    static func spans(of pedometer: Pedometer.ID, touching span: TimeSpan, _ database: Database) throws -> [CoveredSpan]
    {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql:
                    "SELECT start, until, utc_offset FROM coverage WHERE pedometer = ? AND start <= ? ORDER BY start DESC"
            ),
            arguments: [pedometer, span.end.seconds])
        var spans: [CoveredSpan] = []
        while let row = try rows.next() {
            let found = CoveredSpan(TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2))
            guard !found.span.isEmpty, StepSample.utcOffsets.contains(found.utcOffset) else {
                throw notWritten("the span \(found)")
            }
            if found.span.end < span.start { break }
            spans.append(found)
        }
        return spans.reversed()
    }
}
