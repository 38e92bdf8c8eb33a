import GRDB
import GRDBSQLite
import StepDomain

/// Inserts samples of slots that the history does not have.
///
/// Binds by SQLite's own functions: GRDB makes an array of boxed values for each row, and with a million samples that
/// takes twice as long as all that SQLite does for them. The statement stays GRDB's, and so does the transaction.
struct SampleInsert {
    private let database: Database
    private let statement: Statement

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID) throws {
        self.database = database
        statement = try database.cachedStatement(
            sql: "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        try check(sqlite3_bind_int64(statement.sqliteStatement, 1, pedometer))
        try check(sqlite3_bind_int64(statement.sqliteStatement, 8, sync))
    }

    /// - Returns: whether the slot was new.
    func run(_ sample: StepSample) throws -> Bool {
        let row = statement.sqliteStatement
        try check(sqlite3_bind_int64(row, 2, Int64(sample.start.seconds)))
        try check(sqlite3_bind_int64(row, 3, Int64(sample.length)))
        try check(sqlite3_bind_int64(row, 4, Int64(sample.steps)))
        try check(bind(sample.distance, 5))
        try check(bind(sample.energy, 6))
        try check(sqlite3_bind_int64(row, 7, Int64(sample.utcOffset)))
        let code = sqlite3_step(row)
        // The message belongs to the last call, so it is taken before the reset.
        let message = code == SQLITE_DONE ? nil : database.lastErrorMessage
        sqlite3_reset(row)
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message) }
        return database.changesCount == 1
    }

    private func bind(_ value: Double?, _ index: Int32) -> Int32 {
        guard let value else { return sqlite3_bind_null(statement.sqliteStatement, index) }
        return sqlite3_bind_double(statement.sqliteStatement, index, value)
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }
}
