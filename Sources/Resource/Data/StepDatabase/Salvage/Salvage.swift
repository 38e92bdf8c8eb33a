import Foundation
import GRDB
import StepDomain

/// Saves what can be read of a damaged history, row by row, into a new one.
///
/// Rows are found through the trees of their tables as far as these are readable, then on the pages that no tree leads
/// to. A row is accepted if the schema accepts it. If a row refers to a lost row, the lost row is recreated from the
/// entries of its indexes.
///
/// SQLite has the same in its recover extension (`.recover` of the shell), which knows nothing of the schema. Debian's
/// libsqlite3 has neither that nor the table `sqlite_dbpage`, which it reads. With them, the extension would replace
/// `PageStore`, `TreePage` and the walk here; `Tests/Benchmarks/salvage.py` compares the rows that both save.
final class Salvage {
    private let path: String
    let store: PageStore
    private let schema: Schema
    private let version: Int
    let shapes: [TableShape]
    /// How many columns each of the tables of `derived` has.
    let derivedColumns: [(name: String, count: Int)]
    let derivedIndexes: [TableShape.Index]
    let roots: [String: Int]
    /// The objects of the file that are not istep's.
    let others: OtherObjects
    /// The checksums of the file.
    var sums = StoredSums()
    var tables: [String: SalvageReport.Table] = [:]
    var inserts: [String: Statement] = [:]
    let resets: [String: ValueReset]
    /// The values that were replaced.
    var replaced: [ReplacedValue: Int] = [:]
    /// The numbers in the file's header that cannot be correct.
    let headerNumbers: [SalvageReport.HeaderNumber]
    /// Row numbers of tables that other tables refer to and that were read without a gap.
    var parents: [String: Set<Int64>] = [:]
    /// Whether all pages are known that are not istep's, or are free: then each stray page is of a table of istep.
    var areStraysCertain = false
    /// Tables with pages or rows that cannot be read at all.
    var incomplete: Set<String> = []
    /// The groups of rows of which the report says that they were changed or left out.
    var reported: Set<SealedGroup> = []
    /// By table and row number: column values from index entries.
    var fragments: [String: [Int64: [String: DatabaseValue]]] = [:]
    /// The strictest first: a row that fits `sample` is not an implausible sample.
    lazy var candidates = shapes.sorted { ($0.strictness, $0.name) > ($1.strictness, $1.name) }
    /// Where samples are missing: the sample before the gap and the one after it.
    var gaps: [(before: SampleKey?, after: SampleKey?)] = []

    /// Tables that are calculated from others: they stay empty, and their rows are not taken for rows of other tables.
    private static let derived: Set = ["day_sum", "seal", "sealing"]

    /// A column in which a value was replaced, and of `pedometer` the row.
    struct ReplacedValue: Hashable {
        let table: String
        let column: String
        var pedometer: Int64?
    }

    /// A row that could not be inserted where it was found.
    struct Displaced {
        let number: Int64?
        let values: [DatabaseValue]
        /// The table in whose tree it was found.
        var shape: TableShape?
    }

    struct SampleKey {
        let pedometer: Int64
        let start: Int
        let end: Int
    }

    init(_ path: String, schema: Schema = .current) throws {
        self.path = path
        self.schema = schema
        store = try PageStore(path)
        // The schema table begins on the first page.
        let known = try schema.objectsOfVersions()
        let names = known.map { Set($0.filter { $0.type == "table" }.map(\.name)) }
        var found: [String: Int] = [:], tables: Set<String> = [], objects: Set<SchemaObject> = []
        var others = OtherObjects(besides: Set(known.joined().map(\.name)))
        var walk = TreeWalk(store)
        // If a definition is damaged, the number of its first page may remain; only that number of the row is needed.
        walk.walk(1, isIndex: false, repairingText: true) { event in
            guard case .row(_, let values) = event, values.count == 5, let name = String.fromDatabaseValue(values[1])
            else { return others.addUnknown() }
            let type = String.fromDatabaseValue(values[0]) ?? "", table = String.fromDatabaseValue(values[2]) ?? ""
            let object = SchemaObject(type: type, name: name, table: table, sql: String.fromDatabaseValue(values[4]))
            objects.insert(object.collapsed)
            // A view or a trigger, which may have the name of a table, has no pages (root 0).
            let root = Int.fromDatabaseValue(values[3]).flatMap { $0 > 0 ? $0 : nil }
            others.add(object, root: root)
            guard let root else { return }
            // The row has the table's name twice: if one is damaged, the other is used.
            let isTable = type == "table" || names.contains { $0.contains(name) }
            let isDamaged = isTable && !names.contains { $0.contains(name) } && names.contains { $0.contains(table) }
            found[isDamaged ? table : name] = root
            if isTable { tables.insert(isDamaged ? table : name) }
        }
        let header = store.page(1)
        let stated = header.map { unsigned($0, 60, 4) } ?? 0
        tables = tables.filter { !$0.hasPrefix("sqlite_") }
        if let header, header.starts(with: Array("SQLite format 3\0".utf8)),
            unsigned(header, 68, 4) != Schema.applicationID,
            !tables.isEmpty, tables.isDisjoint(with: names[schema.version - 1])
        {
            throw HistoryError.foreign(path: path)
        }
        // The version that matches the most definitions. On a tie, for example if no definition can be read, the
        // version in the header.
        let counts = known.map { objects.intersection($0).count }
        let best = counts.max() ?? 0
        version =
            (1...schema.version).contains(stated) && counts[stated - 1] == best
            ? stated : (counts.lastIndex(of: best) ?? schema.version - 1) + 1
        let all = try TableShape.all(schema, version: version)
        shapes = all.filter { !Self.derived.contains($0.name) }
        resets = try Dictionary(uniqueKeysWithValues: shapes.map { ($0.name, try ValueReset($0)) })
        var headerNumbers: [SalvageReport.HeaderNumber] = []
        if header != nil, stated != version { headerNumbers.append(.version) }
        if let header, unsigned(header, 68, 4) != Schema.applicationID { headerNumbers.append(.applicationID) }
        self.headerNumbers = headerNumbers
        derivedColumns = all.filter { Self.derived.contains($0.name) }.map { ($0.name, $0.columns.count) }
        derivedIndexes = all.filter { Self.derived.contains($0.name) }.flatMap(\.indexes)
        // A table whose root is lost is recovered page by page.
        roots = found
        self.others = others
    }

    /// Fills an empty database.
    ///
    /// - Returns: the tables in the order of the schema, and which days are affected.
    /// - Throws: `irreparable` if nothing can be saved.
    func save(in database: Database) throws -> SalvageReport {
        for migration in schema.migrations[..<version] { try database.execute(sql: migration.sql) }
        // A migration may have filled a table with initial rows.
        for shape in shapes {
            try database.execute(sql: "DELETE FROM \(shape.name)")
            tables[shape.name] = SalvageReport.Table(name: shape.name)
            let places = shape.columns.map { _ in "?" }.joined(separator: ", ")
            inserts[shape.name] = try database.makeStatement(
                sql: "INSERT INTO \(shape.name) VALUES (\(places)) ON CONFLICT DO NOTHING")
        }
        try readRows(database)
        let parents = LostParents(
            shapes, fragments: fragments,
            isBroken: { [tables] in tables[$0]?.gaps ?? 0 > 0 || tables[$0]?.rejected ?? 0 > 0 })
        add(try parents.rebuild(in: database))
        // The sums are those of rows of this version.
        let wrong = try wrongGroups(database)
        add(try parents.removeOrphans(in: database))
        inserts = [:]
        try schema.migrate(database, from: version)
        let days = try markLostTime(wrong, database)
        let isSharingUncertain = try repairSharing(database)
        for shape in shapes {
            tables[shape.name]?.rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(shape.name)") ?? 0
        }
        // A history without people was just created, unless rows are missing.
        guard tables["person"]?.rows ?? 0 > 0 || tables.values.allSatisfy(\.isWhole) else {
            throw HistoryError.irreparable(path: path, reason: "nothing in it can be read")
        }
        if schema.hasSeals { try Seals(database).complete(atMost: .max) }
        return SalvageReport(
            tables: shapes.compactMap { tables[$0.name] }, days: days, resets: try namedResets(database),
            headerNumbers: headerNumbers, otherTables: others.tables,
            isSharingUncertain: isSharingUncertain, contents: try HistoryContents(database, path: path), damaged: "")
    }

    private func add(_ changes: [String: LostParents.Change]) {
        for (name, change) in changes {
            tables[name]?.rebuilt += change.rebuilt
            tables[name]?.rejected += change.removed
            reported.formUnion(change.groups)
            for (column, count) in change.corrected {
                replaced[ReplacedValue(table: name, column: column), default: 0] += count
            }
        }
    }

    /// In place of a column: the rows are kept as they are.
    static let checksum = "checksum"

    /// In the order of the schema.
    private func namedResets(_ database: Database) throws -> [SalvageReport.Reset] {
        let order = Dictionary(uniqueKeysWithValues: shapes.enumerated().map { ($1.name, $0) })
        return try replaced.map { value, rows in
            let name = try value.pedometer.flatMap {
                try String.fetchOne(database, sql: "SELECT name FROM pedometer WHERE id = ?", arguments: [$0])
            }
            return SalvageReport.Reset(table: value.table, column: value.column, pedometer: name, rows: rows)
        }
        .sorted {
            (order[$0.table] ?? 0, $0.pedometer ?? "", $0.column) < (
                order[$1.table] ?? 0, $1.pedometer ?? "", $1.column
            )
        }
    }

    /// If the watermarks of sharing are lost, all known days count as considered: omitting some days is better than
    /// posting the days of years again.
    private func repairSharing(_ database: Database) throws -> Bool {
        guard tables["share"] != nil else { return false }
        let isUncertain = ["share", "share_watermark", "destination"].contains { table in
            tables[table]?.isWhole == false || replaced.keys.contains { $0.table == table }
        }
        if tables["changed_day"]?.isWhole == false {
            // The known days are determined from the remaining samples.
            try database.execute(
                sql: """
                    INSERT INTO changed_day
                    SELECT DISTINCT person, date((start + utc_offset + 86400) / 86400 * 86400 - 86400, 'unixepoch'), 1, 1
                    FROM sample JOIN pedometer ON pedometer.id = pedometer WHERE start + utc_offset < 253402300800
                    ON CONFLICT DO NOTHING
                    """)
        }
        if isUncertain {
            try database.execute(
                sql: """
                    INSERT INTO share_watermark
                    SELECT d.name, p.id, '0001-01-01', (SELECT ifnull(max(revision), 0) FROM changed_day WHERE person = p.id)
                    FROM (SELECT name FROM destination UNION SELECT destination FROM share) AS d JOIN person AS p WHERE true
                    ON CONFLICT DO NOTHING
                    """)
        }
        return isUncertain
    }
}
