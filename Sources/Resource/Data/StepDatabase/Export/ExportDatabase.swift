import Foundation
import GRDB
public import StepDomain
import Support

/// Writes an export as a plain SQLite file: the tables with the same columns, described in its schema. It has its name
/// once it is complete.
public final class ExportDatabase: ExportWriter {
    private let path: String
    private let temporary: String
    private let queue: DatabaseQueue
    private var statement: (sql: String, rows: [StatementArguments]) = ("", [])
    private var isFinished = false

    /// Rows of a transaction.
    private static let batch = 5000

    /// - Throws: `HistoryError`; an earlier file is never replaced.
    public init(_ path: String) throws(HistoryError) {
        self.path = try absolute(path)
        temporary = temporaryPath(for: self.path)
        guard access(self.path, F_OK) != 0 else { throw Self.exists(self.path) }
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HistoryError(errno: errno, path: self.path) }
        close(descriptor)
        do {
            queue = try DatabaseQueue(path: temporary)
            // If the machine stops, there is no file of that name.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = OFF") }
        } catch {
            unlink(temporary)
            throw HistoryError(error, path: self.path)
        }
    }

    public func begin(_ table: ExportTable) throws {
        try flush()
        let columns = table.columns.enumerated().map { index, column in
            let comma = index == table.columns.count - 1 ? "" : ","
            return "    \"\(column.name)\" \(column.sqlType)\(comma) -- \(column.text)"
        }
        let sql = "CREATE TABLE \"\(table.name)\" ( -- \(table.text)\n\(columns.joined(separator: "\n"))\n) STRICT"
        try execute { try $0.execute(sql: sql) }
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        statement = ("INSERT INTO \"\(table.name)\" VALUES (\(marks))", [])
    }

    public func row(_ values: [ExportValue]) throws {
        statement.rows.append(StatementArguments(values.map(\.stored)))
        if statement.rows.count >= Self.batch { try flush() }
    }

    public func finish() throws {
        try flush()
        do { try queue.close() } catch { throw HistoryError(error, path: path) }
        let code = renameWithoutReplacing(temporary, to: path)
        guard code == 0 else { throw code == EEXIST ? Self.exists(path) : HistoryError(errno: code, path: path) }
        isFinished = true
    }

    private static func exists(_ path: String) -> HistoryError {
        .cannotOpen(path: path, reason: "it exists, and an export replaces no file")
    }

    deinit {
        if isFinished { return }
        try? queue.close()
        unlink(temporary)
    }

    private func flush() throws {
        if statement.rows.isEmpty { return }
        try execute { database in
            try database.inTransaction {
                let insert = try database.cachedStatement(sql: statement.sql)
                for row in statement.rows { try insert.execute(arguments: row) }
                return .commit
            }
        }
        statement.rows.removeAll(keepingCapacity: true)
    }

    private func execute(_ body: (Database) throws -> Void) throws {
        do { try queue.writeWithoutTransaction(body) } catch { throw HistoryError(error, path: path) }
    }
}

extension ExportTable.Column {
    /// With its constraint.
    fileprivate var sqlType: String {
        let type =
            switch kind {
            case .integer, .boolean: "INTEGER"
            case .number: "REAL"
            case .text, .day, .time: "TEXT"
            }
        return isOptional ? type : type + " NOT NULL"
    }
}

extension ExportValue {
    fileprivate var stored: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .number(let value): value
        case .text(let value): value
        case .boolean(let value): value ? 1 : 0
        }
    }
}
