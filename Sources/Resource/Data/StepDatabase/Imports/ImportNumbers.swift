import GRDB
import StepDomain

/// The numbers of imports. None is given twice, also if its import was taken back or deleted: `istep imports remove 3`
/// that was typed from an old list removes no other one.
struct ImportNumbers {
    let database: Database

    /// - Returns: nil if the numbers are at their end; SQLite then finds a free one.
    func next() throws -> ImportRecord.ID? {
        // A repair may have lost the row.
        let last = try Int64.fetchOne(
            database, sql: "SELECT max(last) FROM (SELECT last FROM import_number UNION ALL SELECT max(id) FROM import)"
        )
        let next = (last ?? 0).addingReportingOverflow(1)
        if next.overflow { return nil }
        try database.execute(sql: "INSERT OR REPLACE INTO import_number VALUES (1, ?)", arguments: [next.partialValue])
        return next.partialValue
    }
}
