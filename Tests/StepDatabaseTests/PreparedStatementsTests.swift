import GRDB
import GRDBSQLite
import StepDomain
import Testing

@testable import StepDatabase

/// SQLite prepares the statements of a connection again after certain pragmas; with the triggers of a merge that takes
/// longer than the merge.
@Suite(.timeLimit(.minutes(5))) struct PreparedStatementsTests {
    @Test func `the days of a sync are merged with statements that are prepared once`() throws {
        try withFixture { history in
            func merge(_ minute: Int) throws {
                try history.merge(slot(minute, 10), slot(minute + 15, 20))
                _ = try history.database.users()  // as between the days of a sync
                _ = try history.data()
            }
            try merge(0)
            let before = preparedAgain(history.database)
            for number in 1..<8 { try merge(number * 30) }
            #expect(preparedAgain(history.database) == before)
        }
    }

    @Test func `foreign keys are checked after a merge`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            #expect(throws: HistoryError.self) {
                try history.database.write {
                    try $0.execute(sql: "UPDATE sync SET pedometer = 4711 WHERE id = ?", arguments: [history.sync])
                }
            }
            try history.merge(slot(15, 10))
            #expect(try history.strings("SELECT pedometer FROM sync") == ["\(history.pedometer.id)"])
        }
    }

    /// How often SQLite has prepared statements of the connection again.
    private func preparedAgain(_ database: StepDatabase) -> Int {
        database.queue.unsafeRead { connection in
            var count = 0
            var statement = sqlite3_next_stmt(connection.sqliteConnection, nil)
            while let current = statement {
                count += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_REPREPARE, 0))
                statement = sqlite3_next_stmt(connection.sqliteConnection, current)
            }
            return count
        }
    }
}
