import GRDB
import StepDomain

/// Adds spans to what one pedometer has accounted for; spans of one offset that overlap or touch become one.
struct CoverageMerge {
    private let database: Database
    private let pedometer: Pedometer.ID

    init(_ database: Database, pedometer: Pedometer.ID) {
        self.database = database
        self.pedometer = pedometer
    }

    /// - Parameter changed: takes the days of what was not accounted for before.
    func merge(_ spans: [TimeSpan], place: LocalTime, _ changed: inout ChangedDays) throws {
        for span in spans {
            // The calendar's end bounds what a pedometer can claim.
            let span = TimeSpan(max(span.start, Timestamp(0)), min(span.end, Timestamp.last + 1))
            let offsets = -StepSample.mostUTCOffset...StepSample.mostUTCOffset
            for piece in place.covered(span) where offsets.contains(piece.utcOffset) { try merge(piece, &changed) }
        }
    }

    /// What was accounted for before keeps its offset, as the samples in it do: a later one, after a journey, would move the past
    /// to other days.
    private func merge(_ piece: CoveredSpan, _ changed: inout ChangedDays) throws {
        let touched = try Self.spans(of: pedometer, touching: piece.span, database)
        let gaps = Coverage(touched.map(\.span)).gaps(in: piece.span)
        if gaps.isEmpty { return }
        for gap in gaps { changed.insert(gap, utcOffset: piece.utcOffset, neighbours: touched) }
        for old in touched {
            try database.cachedStatement(sql: "DELETE FROM coverage WHERE pedometer = ? AND start = ?")
                .execute(arguments: [pedometer, old.span.start.seconds])
        }
        let insert = try database.cachedStatement(sql: "INSERT INTO coverage VALUES (?, ?, ?, ?)")
        for new in joined(touched + gaps.map { CoveredSpan($0, utcOffset: piece.utcOffset) }) {
            try insert.execute(arguments: [pedometer, new.span.start.seconds, new.span.end.seconds, new.utcOffset])
        }
    }

    /// Those that touch and have the same offset become one.
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
    /// Since no two overlap, their ends are sorted as their starts are: going back from the span's end, the first that
    /// ends before its start is the last to look at, and no range of the table is scanned.
    static func spans(of pedometer: Pedometer.ID, touching span: TimeSpan, _ database: Database) throws -> [CoveredSpan] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT start, until, utc_offset FROM coverage WHERE pedometer = ? AND start <= ? ORDER BY start DESC"),
            arguments: [pedometer, span.end.seconds])
        var spans: [CoveredSpan] = []
        while let row = try rows.next() {
            let found = CoveredSpan(TimeSpan(Timestamp(row[0]), Timestamp(row[1])), utcOffset: row[2])
            if found.span.end < span.start { break }
            spans.append(found)
        }
        return spans.reversed()
    }
}
