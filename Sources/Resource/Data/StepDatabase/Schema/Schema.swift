import GRDB

/// The versions of the database, and the migrations between them.
///
/// The version is in the file's header (`PRAGMA user_version`), so that opening costs one read and no query on a table
/// of migrations; `PRAGMA application_id` distinguishes a history from another program's database.
struct Schema: Sendable {
    /// One migration. A released migration is never edited: a change is a new migration. Each one changes the schema,
    /// so that a damaged version number can be distinguished from a later one.
    struct Migration: Sendable {
        let name: String
        let sql: String
    }

    /// "istp" in ASCII.
    static let applicationID = 0x6973_7470

    static let current = Schema(migrations: [
        .history, .sharing, .notices, .delivery, .layouts, .reasons, .daySums, .deviceTotals, .seals, .imports,
        .exclusions, .scheduledImports, .runningSteps, .deletions, .importedDecisions, .shareCauses, .importNumbers,
        .scheduledImportDetails,
    ])

    let migrations: [Migration]

    /// The version that this program writes; a database has version n after the first n migrations.
    var version: Int { migrations.count }

    /// Whether it has checksums; tests also use earlier versions.
    var hasSeals: Bool { migrations.contains { $0.name == Migration.seals.name } }

    /// Whether days can be deleted in it.
    var hasDeletions: Bool { migrations.contains { $0.name == Migration.deletions.name } }

    /// The names of the tables of all versions. Other tables are the user's own.
    ///
    /// Compared as bytes, because each start of a sync reads this.
    var tables: Set<String> {
        let start = Array("CREATE TABLE ".utf8)
        return Set(
            migrations.flatMap { $0.sql.utf8.split(separator: UInt8(ascii: "\n")) }.filter { $0.starts(with: start) }
                .map { line in
                    String(decoding: line.dropFirst(start.count).prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
                })
    }

    /// The tables of istep that a database has.
    func ownTables(in database: Database) throws -> [String] {
        let own = tables
        return try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .filter(own.contains)
    }

    enum State: Equatable {
        case current
        case older(Int)
        case newer(Int)
        case foreign
        /// A history whose version number cannot be correct; the text is the reason.
        case inconsistent(String)
    }

    /// Why a history in this state cannot be used; nil if it can, if need be after a migration.
    func refusal(of path: String, in state: State) -> HistoryError? {
        switch state {
        case .current: nil
        case .older(0): .empty(path: path)
        case .older: nil
        case .newer(let found): .newerVersion(path: path, found: found, supported: version)
        case .foreign: .foreign(path: path)
        case .inconsistent(let reason): .damaged(path: path, reason: reason)
        }
    }

    func state(of database: Database) throws -> State {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if application != Schema.applicationID {
            // An empty new file has no application ID yet; any other file is not a history and is not migrated.
            let objects = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
            if objects == 0 { return application == 0 && version == 0 ? .older(0) : .foreign }
            let found = try columns(in: database)
            guard try columnsOfVersions().contains(found) else { return .foreign }
            return .inconsistent("its application ID is that of another program, but its tables are those of istep")
        }
        if version == self.version { return .current }
        if version > self.version {
            // Each migration changes the schema: a later version cannot have that of an earlier one.
            let fingerprint = Schema.fingerprint(of: try SchemaObject.all(in: database))
            guard let known = Schema.fingerprints.prefix(self.version).firstIndex(of: fingerprint) else {
                return .newer(version)
            }
            return .inconsistent("its version number is \(version), but its tables are those of version \(known + 1)")
        }
        // A migration sets both numbers at once, so no history of istep has a version below 1.
        if version < 1 { return .inconsistent("its version number is \(version), which istep never writes") }
        let found = try columns(in: database)
        let known = try columnsOfVersions()
        if found == known[version - 1] { return .older(version) }
        let fitting = known.lastIndex(of: found).map { $0 + 1 }
        return .inconsistent(
            "its version number is \(version), but its tables are those of "
                + (fitting.map { "version \($0)" } ?? "no version that this istep knows"))
    }

    /// The columns of each of istep's tables.
    private func columns(in database: Database) throws -> [String: [String]] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
                WHERE t.type = 'table' ORDER BY t.name, c.cid
                """)
        let own = tables
        return try rows.reduce(into: [:]) { columns, row in
            let table: String = try row.get(0)
            if own.contains(table) { try columns[table, default: []].append(row.get(1)) }
        }
    }

    /// The columns of histories of the versions 1 to `version`, in this order.
    func columnsOfVersions() throws -> [[String: [String]]] {
        try DatabaseQueue().write { database in
            try migrations.map { migration in
                try database.execute(sql: migration.sql)
                return try columns(in: database)
            }
        }
    }

    /// An empty history of a version, in memory.
    func example(ofVersion version: Int) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { database in
            for migration in migrations[..<version] { try database.execute(sql: migration.sql) }
        }
        return queue
    }

    /// Migrates the database, all steps in one transaction.
    ///
    /// The state is checked again under the write lock: another process may have migrated in between.
    ///
    /// - Parameter check: called under the write lock, before anything is written.
    func migrate(_ database: Database, checking check: () throws -> Void = {}) throws {
        try database.inTransaction(.immediate) {
            try check()
            guard case .older(let version) = try state(of: database) else { return .rollback }
            try migrate(database, from: version)
            return .commit
        }
    }

    /// In the caller's transaction.
    func migrate(_ database: Database, from version: Int) throws {
        for migration in migrations[version...] { try database.execute(sql: migration.sql) }
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(self.version)")
    }
}

extension StepDatabase {
    /// The version that this program writes, and the newest that it can read.
    public static var schemaVersion: Int { Schema.current.version }
}
