import GRDB
import GRDBSQLite

// Reads and writes rows in large numbers with SQLite's own functions. The statements are GRDB's, and so are the
// transactions.

/// A row of a query. Reading a value takes a tenth of the time that it takes with GRDB, and ten years have five million
/// samples.
struct RawRow {
    let statement: SQLiteStatement

    /// - Throws: if it is NULL, or a text that is not a number.
    func integer(_ column: Int32) throws -> Int {
        let value = sqlite3_column_int64(statement, column)
        // SQLite converts both to 0. The type is asked for only then: few values of a sample are 0.
        if value == 0, sqlite3_column_type(statement, column) != SQLITE_INTEGER {
            throw notWritten("a value that is not a number")
        }
        return Int(value)
    }
    func number(_ column: Int32) -> Double? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : sqlite3_column_double(statement, column)
    }
    func text(_ column: Int32) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }
    /// The bytes are valid during `body`.
    func bytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        let start = sqlite3_column_blob(statement, column)
        return body(
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
        )
    }
}

extension Statement {
    /// Runs a query with whole numbers as its arguments.
    func rows(of database: Database, for arguments: [Int64], _ body: (RawRow) throws -> Void) throws {
        let statement = sqliteStatement
        sqlite3_reset(statement)
        for (index, argument) in arguments.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), argument) }
        defer { sqlite3_reset(statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
            }
            try body(RawRow(statement: statement))
        }
    }
}

/// A statement that inserts a row in each run. GRDB creates an array of boxed values for each row, which for a million
/// samples takes twice as long as SQLite's own work for them.
struct RawInsert {
    private let database: Database
    private let statement: Statement

    init(_ database: Database, _ sql: String) throws {
        self.database = database
        statement = try database.cachedStatement(sql: sql)
    }

    /// Sets the value of a parameter, counted from 1, for the following runs.
    func bind(_ index: Int32, _ value: Int64) throws {
        try check(sqlite3_bind_int64(statement.sqliteStatement, index, value))
    }

    func bind(_ index: Int32, _ value: Double?) throws {
        guard let value else { return try check(sqlite3_bind_null(statement.sqliteStatement, index)) }
        try check(sqlite3_bind_double(statement.sqliteStatement, index, value))
    }

    func bind(_ index: Int32, _ value: String) throws {
        try check(sqlite3_bind_text(statement.sqliteStatement, index, value, -1, Self.copied))
    }

    func bind(_ index: Int32, _ value: [UInt8]) throws {
        // An empty array has no address, and would be stored as NULL.
        let code =
            value.isEmpty
            ? sqlite3_bind_zeroblob(statement.sqliteStatement, index, 0)
            : sqlite3_bind_blob(statement.sqliteStatement, index, value, Int32(value.count), Self.copied)
        try check(code)
    }

    /// - Returns: whether a row was inserted or changed.
    func run() throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        // The message belongs to the last call, so it is read before the reset.
        let message = code == SQLITE_DONE ? nil : database.lastErrorMessage
        sqlite3_reset(statement.sqliteStatement)
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message) }
        return sqlite3_changes(sqlite3_db_handle(statement.sqliteStatement)) == 1
    }

    /// SQLITE_TRANSIENT: SQLite copies the value.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }
}
