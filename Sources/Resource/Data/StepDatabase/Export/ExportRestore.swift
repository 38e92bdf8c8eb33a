import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    /// Takes a whole export in. Nothing of it is stored if anything is wrong.
    ///
    /// - Throws: `ImportError`; `HistoryError`, also for a history that has users.
    public func restore(_ export: any ExportedHistory) throws -> ExportCounts {
        // A transaction turns other errors into those of the history.
        var refusal: ImportError?
        do {
            return try writeManyRows { database in
                let isUsed = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM person)") ?? true
                if isUsed { throw HistoryError.invalidValue("the history is not empty") }
                do { return try ExportRestore(database, export.path).run(export) } catch {
                    refusal = error as? ImportError
                    throw error
                }
            }
        } catch {
            throw refusal ?? error
        }
    }

    /// What `restore` would store, in a file that SQLite deletes by itself.
    ///
    /// - Throws: `ImportError`.
    public static func previewRestoring(_ export: any ExportedHistory) throws -> ExportCounts {
        let queue = try DatabaseQueue(path: "")
        return try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            for migration in Schema.current.migrations { try database.execute(sql: migration.sql) }
            var counts = ExportCounts()
            try database.inTransaction {
                counts = try ExportRestore(database, export.path).run(export)
                return .commit
            }
            return counts
        }
    }
}

/// Writes the rows of an export into an empty history, in the caller's transaction and without its checks of foreign
/// keys.
private final class ExportRestore {
    private let database: Database
    private let path: String
    private var people: [String: Int64] = [:]
    private var counts = ExportCounts()
    private var declared: [String: Int] = [:]
    private var (table, statement): (StoredTable?, Statement?) = (nil, nil)

    init(_ database: Database, _ path: String) { (self.database, self.path) = (database, path) }

    func run(_ export: any ExportedHistory) throws -> ExportCounts {
        // A trigger for each of a million samples would take longer than the rest.
        try database.execute(sql: "INSERT INTO sealing VALUES (1)")
        try export.rows { table, values in
            if table.name == "tables" {
                if let name = values[0], let rows = values[1].flatMap({ Int($0) }) { declared[name] = rows }
                return
            }
            do {
                try add(values, to: table)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw malformed(
                    "row \(counts.rows(of: table.name) + 1) of \(table.name): \(error.message ?? "not valid")")
            } catch let error as HistoryError {
                throw malformed("row \(counts.rows(of: table.name) + 1) of \(table.name): \(error.description)")
            }
        }
        for table in ExportTable.stored where table.name != "tables" {
            guard let rows = declared[table.name] else { throw malformed("it lacks the table \(table.name)") }
            guard rows == counts.rows(of: table.name) else {
                throw malformed("\(table.name) has \(counts.rows(of: table.name)) rows of \(rows)")
            }
        }
        try check()
        try database.execute(
            sql: """
                DELETE FROM sealing;
                INSERT INTO seal SELECT DISTINCT 'sample', pedometer, start / 86400, NULL FROM sample;
                """)
        try Seals(database).complete(atMost: .max)
        return counts
    }

    private func malformed(_ reason: String) -> ImportError { .malformed(path: path, reason: reason) }

    private func check() throws {
        if let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
            let table: String = try row.get(0)
            throw malformed("a row of \(table) refers to one that is not there")
        }
        if let rule = try ColumnRule.all.first(where: { try $0.isViolated(in: database) }) {
            throw malformed("\(rule.table) has a value in \(rule.column) that istep does not write")
        }
        if let broken = try StepDatabase.brokenRules(database).first { throw malformed(broken) }
    }

    private func add(_ values: [String?], to export: ExportTable) throws {
        if table?.export.name != export.name {
            guard let next = StoredTable.all.first(where: { $0.export == export }) else { return }
            (table, statement) = (next, try database.makeStatement(sql: next.insertion))
            counts.begin(export)
        }
        guard let table, let statement else { return }
        var (stored, offset): ([(any DatabaseValueConvertible)?], Int?) = ([], nil)
        for (index, column) in export.columns.enumerated() {
            guard let text = values[index] ?? (column.isOptional || column.kind != .text ? nil : "") else {
                guard column.isOptional else { throw wrong(column, nil) }
                if table.columns[index].insert != nil { stored.append(nil) }
                continue
            }
            let value = try value(text, of: column, in: table, &offset)
            if table.columns[index].insert != nil { stored.append(value) }
        }
        if table.hasOffset { stored.append(offset) }
        if export == .users || export == .pedometers {
            stored.append(try CheckedName(values[export == .users ? 0 : 2] ?? "").key)
        }
        try checkDecodable(stored, of: table)
        try statement.execute(arguments: StatementArguments(stored))
        counts.count()
    }

    private func wrong(_ column: ExportTable.Column, _ text: String?) -> ImportError {
        let name = table?.export.name ?? ""
        let shown = text.map { "has \"\($0.prefix(40))\" in" } ?? "has nothing in"
        return malformed("row \(counts.rows(of: name) + 1) of \(name) \(shown) \(column.name)")
    }

    private func value(
        _ text: String, of column: ExportTable.Column, in table: StoredTable, _ offset: inout Int?
    ) throws -> (any DatabaseValueConvertible)? {
        if column.name == "user" {
            if table.export == .users {
                let name = try CheckedName(text)
                people[text] = Int64(people.count + 1)
                return name.text
            }
            guard let person = people[text] else { throw wrong(column, text) }
            return person
        }
        switch column.kind {
        case .integer: if let number = Int(text) { return number }
        case .number: if let number = Double(text), number.isFinite { return number }
        case .boolean: if let number = ["true": 1, "false": 0][text] { return number }
        case .day:
            if let day = Day(text) { return table.export == .importContents ? day.daysSince1970 : day.description }
        case .time:
            if let time = ExportValue.parsed(time: text) {
                if offset == nil { offset = time.utcOffset }
                return time.seconds
            }
        case .text:
            if column.name != "bytes" { return text }
            if let bytes = Data(hexadecimal: text) { return bytes }
        }
        throw wrong(column, text)
    }

    /// What the constraints of the schema do not say.
    private func checkDecodable(_ stored: [(any DatabaseValueConvertible)?], of table: StoredTable) throws {
        switch table.export {
        case .samples:
            // pedometer, start, length, steps, distance, energy, sync, offset
            guard let start = stored[1] as? Int, let length = stored[2] as? Int, let steps = stored[3] as? Int,
                let offset = stored[7] as? Int, StepSample.starts.contains(start),
                StepSample(start: Timestamp(start), length: length, steps: steps, utcOffset: offset).countsInHistory
            else { throw malformed("row \(counts.rows(of: "samples") + 1) of samples cannot be right") }
        case .importContents:
            guard let day = stored[2] as? Int, let bytes = stored[3] as? Data,
                PackedDay(Array(bytes), of: Day(daysSince1970: day)) != nil
            else { throw malformed("row \(counts.rows(of: "import_contents") + 1) of import_contents cannot be read") }
        default: break
        }
    }
}

extension StoredTable {
    fileprivate var insertion: String {
        var names = columns.compactMap(\.insert)
        if export == .users { names = ["name"] }
        if hasOffset { names.append("utc_offset") }
        if export == .users || export == .pedometers { names.append("name_key") }
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    }
}

extension Data {
    /// Pairs of hexadecimal digits; nil for any other text.
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8).map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes)
    }
}
