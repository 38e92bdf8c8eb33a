import GRDB

/// The versions of the database, and the way from each to the next.
///
/// The version stands in the file's header (`PRAGMA user_version`), so that opening costs one read and no query on a
/// table of migrations; `PRAGMA application_id` tells a history from another program's database.
struct Schema: Sendable {
    /// One step forward. What is released is never edited: a change is a new step.
    struct Migration: Sendable {
        let name: String
        let sql: String
    }

    /// "istp" in ASCII.
    static let applicationID = 0x6973_7470

    static let current = Schema(migrations: [.history, .sharing, .notices])

    let migrations: [Migration]

    /// What this program writes; a database is of version n after the first n migrations.
    var version: Int { migrations.count }

    enum State: Equatable {
        case current
        case older(Int)
        case newer(Int)
        case foreign
    }

    func state(of database: Database) throws -> State {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if application != Schema.applicationID {
            // An empty file, just made, has no identity yet; anything else is not ours to migrate.
            let objects = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
            return application == 0 && version == 0 && objects == 0 ? .older(0) : .foreign
        }
        if version == self.version { return .current }
        return version < self.version ? .older(version) : .newer(version)
    }

    /// Brings the database forward, all steps in one transaction.
    ///
    /// The state is looked at again under the write lock: another process may have migrated in between.
    func migrate(_ database: Database) throws {
        try database.inTransaction(.immediate) {
            guard case .older(let version) = try state(of: database) else { return .rollback }
            for migration in migrations[version...] { try database.execute(sql: migration.sql) }
            try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(self.version)")
            return .commit
        }
    }
}
