import GRDB
import StepDomain

/// Adds spans to what one pedometer has accounted for; spans that overlap or touch become one.
struct CoverageMerge {
    private let database: Database
    private let pedometer: Pedometer.ID

    init(_ database: Database, pedometer: Pedometer.ID) {
        self.database = database
        self.pedometer = pedometer
    }

    func merge(_ spans: [TimeSpan]) throws {
        for span in spans {
            // The calendar's end bounds what a pedometer can claim.
            let span = TimeSpan(max(span.start, Timestamp(0)), min(span.end, Timestamp.last + 1))
            if !span.isEmpty { try merge(span) }
        }
    }

    private func merge(_ span: TimeSpan) throws {
        let touched = try Self.spans(of: pedometer, touching: span, database)
        if touched.count == 1, touched[0].start <= span.start, touched[0].end >= span.end { return }
        for old in touched {
            try database.cachedStatement(sql: "DELETE FROM coverage WHERE pedometer = ? AND start = ?")
                .execute(arguments: [pedometer, old.start.seconds])
        }
        let start = touched.first.map { min($0.start, span.start) } ?? span.start
        let end = touched.last.map { max($0.end, span.end) } ?? span.end
        try database.cachedStatement(sql: "INSERT INTO coverage VALUES (?, ?, ?)")
            .execute(arguments: [pedometer, start.seconds, end.seconds])
    }

    /// The spans that share a second with `span` or adjoin it, sorted.
    ///
    /// Since no two touch, their ends are sorted as their starts are: going back from the span's end, the first that
    /// ends before its start is the last to look at, and no range of the table is scanned.
    static func spans(of pedometer: Pedometer.ID, touching span: TimeSpan, _ database: Database) throws -> [TimeSpan] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT start, until FROM coverage WHERE pedometer = ? AND start <= ? ORDER BY start DESC"),
            arguments: [pedometer, span.end.seconds])
        var spans: [TimeSpan] = []
        while let row = try rows.next() {
            let found = TimeSpan(Timestamp(row[0]), Timestamp(row[1]))
            if found.end < span.start { break }
            spans.append(found)
        }
        return spans.reversed()
    }
}
