import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    /// Reads the contents of a backup, and checks whether it is sound. Nothing is written to it.
    ///
    /// - Throws: `missing`, `empty`, `foreign`, `newerVersion`, `damaged` or why it cannot be read, of the backup (`HistoryError.of`).
    public static func contents(of path: String) throws(HistoryError) -> HistoryContents {
        let path = absolute(path)
        do {
            let health = try check(path)
            if let first = health.allComplaints.first { throw HistoryError.damaged(path: path, reason: first) }
            let queue = try openForReading(path, busyTimeout: busyTimeout)
            let contents = try queue.read { try HistoryContents($0, path: path) }
            try queue.close()
            return contents
        } catch {
            throw HistoryError(error, path: path).of(.backup)
        }
    }
}

extension HistoryContents {
    init(_ database: Database, path: String) throws {
        var status = stat()
        self.init(
            path: path, version: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
            size: stat(path, &status) == 0 ? Int(status.st_size) : 0,
            people: try String.fetchAll(database, sql: "SELECT name FROM person ORDER BY name_key"),
            pedometers: try String.fetchAll(database, sql: "SELECT name FROM pedometer ORDER BY forgotten, name_key"),
            samples: try Int.fetchOne(database, sql: "SELECT count(*) FROM sample") ?? 0,
            syncs: try Int.fetchOne(database, sql: "SELECT count(*) FROM sync") ?? 0,
            corrections: try Int.fetchOne(database, sql: "SELECT count(*) FROM correction") ?? 0,
            lastSync: try Int.fetchOne(database, sql: "SELECT max(ended_at) FROM sync WHERE outcome = 'complete'").map(Timestamp.init))
        // By the primary key: reads the first and last samples of each pedometer, not all of them.
        for pedometer in try Int64.fetchAll(database, sql: "SELECT id FROM pedometer") {
            for order in ["ASC", "DESC"] {
                guard
                    let row = try Row.fetchOne(
                        database, sql: "SELECT start, utc_offset FROM sample WHERE pedometer = ? ORDER BY start \(order) LIMIT 1",
                        arguments: [pedometer])
                else { continue }
                let day = Day(of: Timestamp(row[0]), utcOffset: row[1])
                firstDay = min(firstDay ?? day, day)
                lastDay = max(lastDay ?? day, day)
            }
        }
    }
}
