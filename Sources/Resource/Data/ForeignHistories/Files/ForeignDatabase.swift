import CSQLite
import GRDBSQLite
import Glibc
import StepDomain

/// A SQLite database of another program, opened for reading only: no code of its schema is run, and nothing is written,
/// not even a log.
final class ForeignDatabase {
    /// For messages.
    let path: String
    private let connection: OpaquePointer
    private let budget: Budget
    /// The columns of each table, by the names as they stand there.
    let tables: [String: [String]]
    /// The first of its views, triggers and virtual tables; nil if it has none. Their code would never run, but a view
    /// can stand where a program has a table.
    let foreignCode: String?

    /// What all queries may take. Pages that several others name make a small file have any number of rows.
    private final class Budget {
        /// In thousands of SQLite's operations.
        var rest: Int

        init(_ rest: Int) { self.rest = rest }
    }

    /// For a table of 30 bytes a row, hundreds of operations a row, in each of ten queries.
    private static func operations(forBytes size: Int) -> Int { 300_000_000 + 200 * size }

    /// - Parameters:
    ///   - isImmutable: whether the file stands alone: SQLite then takes no lock and creates no file beside it.
    ///   - operations: of SQLite, that all queries may take; nil for many more than a file of this size needs.
    init(_ path: String, shownAs shown: String, isImmutable: Bool = true, operations: Int? = nil) throws(ImportError) {
        self.path = shown
        let escaped = path.utf8.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "/._-0123456789".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        var opened: OpaquePointer?
        let mode = isImmutable ? "?mode=ro&immutable=1" : ""
        let flags =
            (isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2("file:\(escaped)\(mode)", &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw .unreadable(path: shown, reason: String(cString: sqlite3_errstr(code)))
        }
        connection = opened
        var status = stat()
        let size = stat(path, &status) == 0 ? Int(status.st_size) : 0
        budget = Budget((operations ?? Self.operations(forBytes: size)) / 1000)
        sqlite3_progress_handler(
            opened, 1000,
            { context in
                guard let context else { return 1 }
                let budget = Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
                budget.rest -= 1
                return budget.rest < 0 ? 1 : 0
            }, Unmanaged.passUnretained(budget).toOpaque())
        csqlite_harden(UnsafeMutableRawPointer(opened))
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 4 << 20)
        sqlite3_limit(opened, SQLITE_LIMIT_SQL_LENGTH, 1 << 20)
        sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(opened, SQLITE_LIMIT_COLUMN, 500)
        for setting in [
            "trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0", "cache_size = -8000",
            "temp_store = FILE",
        ] {
            sqlite3_exec(opened, "PRAGMA \(setting)", nil, nil, nil)
        }
        do throws(ImportError) {
            try Self.checkSize(of: path, opened, shown)
            tables = try Self.tables(ofTrusted: opened, shown)
            var code: String?
            try Self.rows(
                "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1",
                [],
                opened, shown
            ) { row throws(ImportError) in code = row.text(0) }
            foreignCode = code
        } catch {
            // Without all properties set, there is no deinit.
            sqlite3_close_v2(opened)
            throw error
        }
    }

    deinit { sqlite3_close_v2(connection) }

    /// SQLite takes the rest of a last page that is cut off for zeros, and reads the file without an error.
    private static func checkSize(of path: String, _ connection: OpaquePointer, _ shown: String) throws(ImportError) {
        var pageSize = 0
        try rows("PRAGMA page_size", [], connection, shown) { row throws(ImportError) in
            pageSize = row.integer(0) ?? 0
        }
        var status = stat()
        guard pageSize > 0, stat(path, &status) == 0, Int(status.st_size) % pageSize != 0 else { return }
        throw .malformed(path: shown, reason: "its last page is incomplete; it is truncated")
    }

    /// "istp" in ASCII: the application ID of a history of istep.
    private static let ownID = 0x6973_7470

    /// A history of istep has checks by `json_valid`, which older versions of SQLite count among the functions that an
    /// untrusted schema may not use. Nothing that is read here runs a check, and there are no functions but those of
    /// SQLite.
    private static func tables(ofTrusted connection: OpaquePointer, _ path: String) throws(ImportError) -> [String:
        [String]]
    {
        var application = 0
        try rows("PRAGMA application_id", [], connection, path) { row throws(ImportError) in
            application = row.integer(0) ?? 0
        }
        if application == ownID { sqlite3_exec(connection, "PRAGMA trusted_schema = ON", nil, nil, nil) }
        return try tables(of: connection, path)
    }

    private static func tables(of connection: OpaquePointer, _ path: String) throws(ImportError) -> [String: [String]] {
        var names: [String] = []
        try rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite_%' LIMIT 2000",
            [],
            connection, path
        ) { row throws(ImportError) in names.append(row.text(0)) }
        var tables: [String: [String]] = [:]
        for name in names {
            try rows("SELECT name FROM pragma_table_info(?)", [.text(name)], connection, path) {
                row throws(ImportError) in
                tables[name, default: []].append(row.text(0))
            }
        }
        return tables
    }

    /// - Throws: `ImportError.malformed` for a database with views or triggers, which the program does not make.
    func refuseForeignCode() throws(ImportError) {
        guard let foreignCode else { return }
        throw .malformed(path: path, reason: "it has the \(foreignCode.prefix(80)), which the program does not make")
    }

    /// A table that has all of these columns; names compare without regard to case.
    func hasTable(_ name: String, columns: [String]) -> Bool {
        guard
            let found = tables.first(where: { $0.key.lowercased() == name.lowercased() })?.value.map({ $0.lowercased() }
            )
        else { return false }
        return columns.allSatisfy { found.contains($0.lowercased()) }
    }

    enum Value {
        case integer(Int)
        case text(String)
    }

    /// Runs a query on tables that `tables` names.
    func rows(_ sql: String, _ arguments: [Value] = [], _ body: (ForeignRow) throws(ImportError) -> Void)
        throws(ImportError)
    {
        try Self.rows(sql, arguments, connection, path, body)
    }

    private static func rows(
        _ sql: String, _ arguments: [Value], _ connection: OpaquePointer, _ path: String,
        _ body: (ForeignRow) throws(ImportError) -> Void
    ) throws(ImportError) {
        func failure() -> ImportError {
            .malformed(path: path, reason: "SQLite reports: \(String(cString: sqlite3_errmsg(connection)))")
        }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure()
        }
        defer { sqlite3_finalize(statement) }
        for (index, argument) in arguments.enumerated() {
            switch argument {
            case .integer(let value): sqlite3_bind_int64(statement, Int32(index + 1), Int64(value))
            case .text(let text):
                sqlite3_bind_text(
                    statement, Int32(index + 1), text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            if code == SQLITE_INTERRUPT {
                throw .malformed(path: path, reason: "it has more rows than a file of its size can have")
            }
            guard code == SQLITE_ROW else { throw failure() }
            try body(ForeignRow(statement: statement))
        }
    }

    /// A name as part of a statement.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

/// A row of a query.
struct ForeignRow {
    fileprivate let statement: OpaquePointer

    /// Nil if it is not a whole number, also where it is NULL or text.
    ///
    /// - Parameter limit: what its magnitude is below, so that calculations with it do not overflow. The usual limit is
    ///   later than any time in milliseconds.
    func integer(_ column: Int32, below limit: UInt = 1 << 50) -> Int? {
        let number: Int? =
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: Int(sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: Int(exactly: sqlite3_column_double(statement, column).rounded())
            default: nil
            }
        return number.flatMap { $0.magnitude < limit ? $0 : nil }
    }

    func number(_ column: Int32) -> Double? {
        [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_column_type(statement, column))
            ? sqlite3_column_double(statement, column) : nil
    }

    /// A value as `istep export` writes it in its other forms; nil for NULL.
    func exported(_ column: Int32, isBoolean: Bool) -> String? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER:
            let number = sqlite3_column_int64(statement, column)
            return isBoolean && (0...1).contains(number) ? "\(number == 1)" : "\(number)"
        case SQLITE_FLOAT: return "\(sqlite3_column_double(statement, column))"
        default:
            guard let bytes = sqlite3_column_text(statement, column) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }

    /// Empty for NULL.
    func text(_ column: Int32) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }
}

extension FileTree {
    /// The databases that have all of these tables, each with at least these columns.
    func databases(with tables: [String: [String]]) throws(ImportError) -> [ForeignFile] {
        var found: [ForeignFile] = []
        for file in files where file.kind == .sqlite {
            let database = try file.database(allowingCode: true)
            if tables.allSatisfy({ database.hasTable($0.key, columns: $0.value) }) { found.append(file) }
        }
        return found
    }
}
