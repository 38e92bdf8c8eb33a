import GRDB
import GRDBSQLite
import StepDomain

/// The hash of a row. Those of a group are added, so that a row can be added to a group without reading the others.
///
/// Any change of one value changes it: each step can be reversed. NULL leaves it as it is, so that a column which a
/// later version adds does not change the rows that lack it.
struct RowSeal {
    private(set) var hash: UInt64 = 0x9e37_79b9_7f4a_7c15
    private var column: UInt64 = 0

    /// A step of splitmix64 (https://prng.di.unimi.it/splitmix64.c).
    private mutating func mix(_ value: UInt64) {
        var mixed = hash ^ value &+ column &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        hash = mixed ^ mixed >> 31
    }

    mutating func add(_ value: Int64) {
        column &+= 1
        mix(UInt64(bitPattern: value))
    }

    mutating func add(_ value: Double?) {
        column &+= 1
        // SQLite stores -0 as 0.
        if let value { mix((value + 0).bitPattern) }
    }

    mutating func add(bytes: UnsafeRawBufferPointer) {
        column &+= 1
        mix(UInt64(bytes.count))
        for byte in bytes { mix(UInt64(byte)) }
    }

    /// Of the row at which a statement is, from a column on.
    init(row statement: SQLiteStatement, from first: Int32) {
        for index in first..<sqlite3_column_count(statement) {
            switch sqlite3_column_type(statement, index) {
            case SQLITE_INTEGER: add(sqlite3_column_int64(statement, index))
            case SQLITE_FLOAT: add(sqlite3_column_double(statement, index))
            case SQLITE_NULL: add(nil as Double?)
            default:
                let start = sqlite3_column_blob(statement, index)
                add(
                    bytes: UnsafeRawBufferPointer(
                        start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))))
            }
        }
    }

    /// Of a row of `sample`.
    init(_ sample: StepSample, pedometer: Pedometer.ID, sync: SyncRecord.ID) {
        add(pedometer)
        add(Int64(sample.start.seconds))
        add(Int64(sample.length))
        add(Int64(sample.steps))
        add(sample.distance)
        add(sample.energy)
        add(Int64(sample.utcOffset))
        add(sync)
    }
}

/// A group of rows with one sum.
struct SealedGroup: Hashable, Sendable, Comparable {
    /// The table.
    let kind: String
    let owner: Int64
    let part: Int64

    /// Nil if the rows of all owners are one group.
    var ownerKind: SealedTable.Owner? { SealedTable.all.first { $0.name == kind }?.ownerKind }

    /// The day in which samples begin. A damaged number can be any.
    fileprivate var dayWords: String {
        let day = Day(daysSince1970: Int(clamping: part))
        return Period.calendar.contains(day) ? "\(day)" : "a day that no calendar has"
    }

    static func < (a: SealedGroup, b: SealedGroup) -> Bool { (a.kind, a.part, a.owner) < (b.kind, b.part, b.owner) }
}

/// Calculates, stores and compares the sums of groups (`Schema.Migration.seals`).
struct Seals {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Groups of one transaction: 500 days of minute samples take about 0.2 s. What an older history has more is left
    /// to the next ones.
    static let maximumAtOnce = 500

    /// Calculates the sums that are not known, at the end of a transaction that writes.
    func complete(atMost limit: Int = maximumAtOnce) throws {
        let open = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT kind, owner, part FROM seal WHERE sum IS NULL LIMIT ?"),
            arguments: [limit])
        for row in open {
            let group = SealedGroup(kind: try row.get(0), owner: try row.get(1), part: try row.get(2))
            guard let table = SealedTable.all.first(where: { $0.name == group.kind }) else { continue }
            try store(try sum(of: group, table), of: group)
        }
    }

    /// Adds samples that a transaction has inserted to their sums, and deletes the stored sums of their days, which is
    /// left to it. A group without a row had no samples before.
    func add(_ sums: [Int64: UInt64], of pedometer: Pedometer.ID) throws {
        let select = try database.cachedStatement(
            sql: "SELECT sum FROM seal WHERE kind = 'sample' AND owner = ? AND part = ?")
        let deleteSums = try database.cachedStatement(
            sql:
                "DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = ?) AND day BETWEEN ?2 - 1 AND ?2 + 1"
        )
        for (part, sum) in sums {
            // In whatever offset, a sample belongs to this day, the one before or the one after.
            try deleteSums.execute(arguments: [pedometer, part])
            let group = SealedGroup(kind: "sample", owner: pedometer, part: part)
            guard let row = try Row.fetchOne(select, arguments: [pedometer, part]) else {
                try store(sum, of: group)
                continue
            }
            // An unknown sum is calculated at the end.
            if let known: Int64 = try row.get(0) { try store(UInt64(bitPattern: known) &+ sum, of: group) }
        }
    }

    /// - Parameter sum: nil if the group has no rows.
    private func store(_ sum: UInt64?, of group: SealedGroup) throws {
        guard let sum else {
            return try database.cachedStatement(sql: "DELETE FROM seal WHERE kind = ? AND owner = ? AND part = ?")
                .execute(arguments: [group.kind, group.owner, group.part])
        }
        try database.cachedStatement(
            sql: "INSERT INTO seal VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET sum = excluded.sum"
        ).execute(arguments: [group.kind, group.owner, group.part, Int64(bitPattern: sum)])
    }

    private func sum(of group: SealedGroup, _ table: SealedTable) throws -> UInt64? {
        // The samples of a day are found by their primary key.
        let condition =
            table.name.hasSuffix("sample")
            ? "of.pedometer = ?1 AND of.start >= ?2 * 86400 - 86400 AND of.start < ?2 * 86400 + 86400 AND \(table.part("of")) = ?2"
            : table.name == "sync"
                ? "?1 = 0 AND of.id BETWEEN ?2 * 32 - 31 AND ?2 * 32 + 31 AND \(table.part("of")) = ?2"
                : "\(table.owner("of")) = ?1 AND \(table.part("of")) = ?2"
        let statement = try database.cachedStatement(sql: "SELECT * FROM \(table.name) AS of WHERE \(condition)")
        var sum: UInt64?
        try statement.rows(of: database, for: [group.owner, group.part]) { row in
            sum = (sum ?? 0) &+ RowSeal(row: row.statement, from: 0).hash
        }
        return sum
    }

    /// The groups whose rows are not those that were stored. Groups whose sum is not known are not compared.
    ///
    /// - Parameter omitted: tables that are not read.
    func broken(besides omitted: Set<String> = []) throws -> [SealedGroup] {
        // An older version has fewer of them.
        let tables = Set(try Schema.current.ownTables(in: database))
        return try SealedTable.all.filter { !omitted.contains($0.name) && tables.contains($0.name) }
            .flatMap { try broken(in: $0, stored: stored(of: $0)) }.sorted()
    }

    /// The groups of a table whose rows have another sum than the one that was stored.
    func broken(in table: SealedTable, stored: [SealedGroup: UInt64]) throws -> [SealedGroup] {
        if stored.isEmpty { return [] }
        let sums = try sums(of: table)
        // A sum is deleted with the last row of its group.
        return stored.compactMap { group, sum in sums[group] == sum ? nil : group }
    }

    /// The sums that are known.
    private func stored(of table: SealedTable) throws -> [SealedGroup: UInt64] {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT owner, part, sum FROM seal WHERE kind = ? AND sum IS NOT NULL",
            arguments: [table.name])
        var stored: [SealedGroup: UInt64] = [:]
        while let row = try rows.next() {
            let sum: Int64 = try row.get(2)
            stored[SealedGroup(kind: table.name, owner: try row.get(0), part: try row.get(1))] = UInt64(bitPattern: sum)
        }
        return stored
    }

    /// The sums of all groups of a table, as the rows are now.
    private func sums(of table: SealedTable) throws -> [SealedGroup: UInt64] {
        let statement = try database.makeStatement(
            sql: "SELECT \(table.owner("of")), \(table.part("of")), * FROM \(table.name) AS of")
        var sums: [SealedGroup: UInt64] = [:]
        // Rows of a group follow each other: a look-up for each of millions of rows would take longer than reading
        // them.
        var current: (owner: Int64, part: Int64, sum: UInt64)?
        func end() {
            guard let current else { return }
            sums[SealedGroup(kind: table.name, owner: current.owner, part: current.part), default: 0] &+= current.sum
        }
        try statement.rows(of: database, for: []) { row in
            let (owner, part) = (sqlite3_column_int64(row.statement, 0), sqlite3_column_int64(row.statement, 1))
            let hash = RowSeal(row: row.statement, from: 2).hash
            if let known = current, known.owner == owner, known.part == part {
                current?.sum = known.sum &+ hash
            } else {
                end()
                current = (owner, part, hash)
            }
        }
        end()
        return sums
    }

    /// What is wrong with groups, as text: the day, and whose it is.
    func complaints(_ groups: [SealedGroup]) throws -> [String] {
        try groups.map { group in
            let what = "not as they were stored (checksum)"
            let name = try group.ownerKind.flatMap { kind in
                try String.fetchOne(
                    database, sql: "SELECT name FROM \(kind.rawValue) WHERE id = ?", arguments: [group.owner])
            }
            let owner = name.map { " of \($0.debugDescription)" } ?? ""
            return switch group.kind {
            case "sample": "the steps\(owner) around \(group.dayWords) are \(what)"
            case "implausible_sample": "the implausible slots\(owner) around \(group.dayWords) are \(what)"
            case "person": "the users are \(what)"
            case "sync":
                "the records of syncs \(Int128(group.part) * 32) to \(Int128(group.part) * 32 + 31) are \(what)"
            case "pedometer":
                "the properties of the pedometer\(name.map { " \($0.debugDescription)" } ?? "") are \(what)"
            default: "the values\(owner) in \(group.kind) are \(what)"
            }
        }
    }
}
