import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    /// Takes an export in, all that it has. Nothing of it is stored if anything is wrong.
    ///
    /// - Throws: `ImportError`; `HistoryError`, also for a history that has users.
    public func restore(_ export: any ExportedHistory, _ limits: ExportLimits) throws -> ExportCounts {
        // A transaction turns other errors into those of the history.
        var refusal: ImportError?
        do {
            return try writeManyRows { database in
                let isUsed = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM person)") ?? true
                if isUsed { throw HistoryError.invalidValue("the history is not empty") }
                do { return try ExportRestore(database, export, limits).run(export) } catch {
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
    public static func previewRestoring(_ export: any ExportedHistory, _ limits: ExportLimits) throws -> ExportCounts {
        let queue = try DatabaseQueue(path: "")
        return try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            for migration in Schema.current.migrations { try database.execute(sql: migration.sql) }
            var counts = ExportCounts()
            try database.inTransaction {
                counts = try ExportRestore(database, export, limits).run(export)
                return .commit
            }
            return counts
        }
    }
}

/// What a history cannot know by itself of an export, which can be made by anybody.
public struct ExportLimits: Sendable {
    /// Nothing was counted or corrected after it.
    let now: Timestamp
    /// What a pedometer or a source can have as its model.
    let models: Set<String>

    /// - Parameters:
    ///   - models: the keys of models.
    ///   - formats: the keys of formats of imports.
    public init(now: Timestamp, models: [String], formats: [String]) {
        self.now = now
        self.models = Set(models + formats.map { Pedometer.importPrefix + $0 })
    }

    /// Clocks differ, and zones too.
    private static let tolerance = 86_400

    fileprivate func areOver(_ seconds: Int) -> Bool { seconds > now.seconds + Self.tolerance }
    fileprivate func areOver(_ day: Day) -> Bool { day > Day(of: now, utcOffset: 0).advanced(by: 1) }
}

/// Writes the rows of an export into an empty history, in the caller's transaction and without its checks of foreign
/// keys.
private final class ExportRestore {
    private let database: Database
    private let path: String
    private let limits: ExportLimits
    private let missing: Set<ExportTable>
    private var people: [String: Int64] = [:]
    private var counts = ExportCounts()
    private var declared: [String: Int] = [:]
    private var (table, statement): (StoredTable?, Statement?) = (nil, nil)

    init(_ database: Database, _ export: any ExportedHistory, _ limits: ExportLimits) {
        (self.database, path, self.limits, missing) = (database, export.path, limits, Set(export.missing))
    }

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
        for table in ExportTable.stored where table != .tables && missing.isDisjoint(with: [table, .tables]) {
            guard let rows = declared[table.name] else { throw malformed("it lacks the table \(table.name)") }
            guard rows == counts.rows(of: table.name) else {
                throw malformed("\(table.name) has \(counts.rows(of: table.name)) rows of \(rows)")
            }
        }
        if !missing.isDisjoint(with: ExportTable.ofImports) { try separateSources() }
        if missing.contains(.changedDays) { try noteDays() }
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

    private func inFuture(_ table: String) -> ImportError {
        malformed("row \(counts.rows(of: table) + 1) of \(table) is in the future")
    }

    private func check() throws {
        if let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
            let table: String = try row.get(0)
            throw malformed("a row of \(table) refers to one that is not there")
        }
        if let rule = try ColumnRule.all.first(where: { try $0.isViolated(in: database) }) {
            throw malformed("\(rule.table) has a value in \(rule.column) that istep does not write")
        }
        for (words, sql) in Self.rulesOfImports
        where try Bool.fetchOne(database, sql: "SELECT EXISTS (\(sql))") ?? false { throw malformed(words) }
        if let broken = try StepDatabase.brokenRules(database).first { throw malformed(broken) }
    }

    private static let rulesOfImports = [
        (
            "an import has a source of another user",
            """
            SELECT 1 FROM import_track JOIN import ON import.id = import JOIN pedometer ON pedometer.id = pedometer
            WHERE import.person <> pedometer.person
            """
        ),
        (
            "an import refers to a sync of another source",
            "SELECT 1 FROM import_track JOIN sync ON sync.id = sync WHERE sync.pedometer <> import_track.pedometer"
        ),
        (
            "an import has a content of a source that it does not have",
            """
            SELECT 1 FROM import_part AS part JOIN import_content AS content ON content.id = part.content
            WHERE NOT EXISTS (SELECT 1 FROM import_track AS track
                WHERE track.import = part.import AND track.pedometer = content.pedometer)
            """
        ),
    ]

    /// Sources of imports that the export does not have: a later import must not replace what they say, as it would
    /// take their coverage for that of imports that are not there. So it becomes a source of its own.
    private func separateSources() throws {
        try database.execute(
            sql: "UPDATE pedometer SET address = printf('IMPORT-R%09X', id) WHERE \(Pedometer.isImported)")
    }

    /// The days that have anything, if the export does not say them.
    private func noteDays() throws {
        for person in people.values {
            var changed = ChangedDays()
            let counted = try Int.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT (start + utc_offset + 86400) / 86400 - 1 FROM sample JOIN pedometer ON id = pedometer
                    WHERE person = ?
                    """, arguments: [person])
            for day in counted { changed.insert(Day(daysSince1970: day)) }
            let spans = try Row.fetchAll(
                database,
                sql: """
                    SELECT start, until, coverage.utc_offset FROM coverage JOIN pedometer ON id = pedometer
                    WHERE person = ?
                    """, arguments: [person])
            for row in spans {
                changed.insert(
                    TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2), neighbours: [])
            }
            try changed.store(of: person, database)
            let corrected = try String.fetchAll(
                database, sql: "SELECT day FROM correction WHERE person = ?", arguments: [person])
            try noteChange(of: Set(corrected.map(Day.init(column:))), person: person, isCounted: false, database)
        }
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
            if people[text] == nil, missing.contains(.users) { try addUser(text) }
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

    private func addUser(_ text: String) throws {
        let name = try CheckedName(text)
        try database.execute(
            sql: "INSERT INTO person (name, name_key) VALUES (?, ?)", arguments: [name.text, name.key])
        people[text] = database.lastInsertedRowID
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
            if limits.areOver(start) { throw inFuture("samples") }
        case .coverage:
            if let end = stored[2] as? Int, limits.areOver(end) { throw inFuture("coverage") }
        case .corrections:
            if let day = (stored[1] as? String).flatMap({ Day($0) }), limits.areOver(day) {
                throw inFuture("corrections")
            }
        case .excluded:
            if let start = stored[1] as? Int, limits.areOver(start) { throw inFuture("excluded") }
        case .pedometers:
            if let model = stored[3] as? String, !limits.models.contains(model) {
                throw malformed(
                    "row \(counts.rows(of: "pedometers") + 1) of pedometers has the model \"\(model.prefix(40))\", "
                        + "which this istep does not know")
            }
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
