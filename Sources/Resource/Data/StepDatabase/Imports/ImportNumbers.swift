import GRDB
import StepDomain

/// The numbers of imports. None is given twice, also if its import was taken back or deleted: `istep imports remove 3`
/// that was typed from an old list removes no other one.
struct ImportNumbers {
    let database: Database

    /// The row of `scheduled_import` that has the greatest number as the size of a file. An import of the configuration
    /// cannot have its name: those have no dot.
    static let row = "import.number"

    /// - Returns: nil if the numbers are at their end; SQLite then finds a free one.
    func next() throws -> ImportRecord.ID? {
        let last = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(ifnull((SELECT max(id) FROM import), 0),
                    ifnull((SELECT size FROM scheduled_import WHERE name = ?), 0))
                """, arguments: [Self.row])
        guard let last, last < .max else { return nil }
        try database.execute(
            sql:
                "INSERT OR REPLACE INTO scheduled_import (name, file, size, modified, tried_at) VALUES (?, '', ?, 0, 0)",
            arguments: [Self.row, last + 1])
        return last + 1
    }
}
