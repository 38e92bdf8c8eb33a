import GRDB
public import StepDomain

/// Imports of files of other programs.
extension StepDatabase {
    public func preview(_ history: ForeignHistory, of user: User, at now: Timestamp) throws(HistoryError)
        -> ImportChanges
    {
        try undone { database in
            let user = user.isNew ? try Self.add(user, database) : user
            return try ImportMerge(database: database, user: user, now: now).store(history)
        }
    }

    public func outcomeWithoutStoring(
        _ history: ForeignHistory, of user: User, at now: Timestamp
    ) throws(HistoryError) -> ImportChanges? {
        try read { database in
            try require(.user, user.id, database)
            let merge = ImportMerge(database: database, user: user, now: now)
            guard case .nothing(let changes) = try merge.examine(history) else { return nil }
            return changes
        }
    }

    public func store(_ history: ForeignHistory, of user: User, at now: Timestamp) throws(HistoryError) -> ImportChanges
    {
        try writeManyRows { database in
            try require(.user, user.id, database)
            return try ImportMerge(database: database, user: user, now: now).store(history)
        }
    }

    /// The preview where there is no history yet: no file is made of it.
    public static func previewWithoutHistory(
        _ history: ForeignHistory, of user: User, at now: Timestamp
    ) throws(HistoryError) -> ImportChanges {
        do {
            // An empty name is a file that SQLite makes, hides and deletes by itself
            // (https://www.sqlite.org/inmemorydb.html).
            let queue = try DatabaseQueue(path: "")
            return try queue.write { database in
                for migration in Schema.current.migrations { try database.execute(sql: migration.sql) }
                return try ImportMerge(database: database, user: add(user, database), now: now).store(history)
            }
        } catch {
            throw HistoryError(error, path: "the preview")
        }
    }

    private static func add(_ user: User, _ database: Database) throws -> User {
        let name = try CheckedName(user.name)
        try database.execute(
            sql: "INSERT INTO person (name, name_key) VALUES (?, ?)", arguments: [name.text, name.key])
        return User(id: database.lastInsertedRowID, name: name.text)
    }

    /// Runs a transaction, and takes it back.
    func undone<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        var result: T?
        do {
            try writeManyRows { database in
                result = try body(database)
                throw Undone()
            }
        } catch {
            if result == nil { throw error }
        }
        guard let result else { preconditionFailure("a transaction that was taken back has run") }
        return result
    }

    private struct Undone: Error {}

    public func imports() throws(HistoryError) -> [ImportRecord] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT id, person, at, path, format, digest, days, steps, first_day, last_day, changed_days,
                        (SELECT count(*) FROM import_correction WHERE import = import.id),
                        (SELECT count(*) FROM import_exclusion WHERE import = import.id)
                    FROM import ORDER BY id
                    """
            ).map { row in
                let id: ImportRecord.ID = try row.get(0)
                let sources = try String.fetchAll(
                    database,
                    sql: """
                        SELECT name FROM import_track JOIN pedometer ON pedometer.id = import_track.pedometer
                        WHERE import = ? ORDER BY pedometer.id
                        """,
                    arguments: [id])
                return ImportRecord(
                    id: id, user: try row.get(1), at: try row.time(2), path: try row.get(3), format: try row.get(4),
                    digest: try row.get(5),
                    sources: sources, days: try row.get(6), steps: try row.get(7), firstDay: try row.dayIfPresent(8),
                    lastDay: try row.dayIfPresent(9), changedDays: try row.get(10),
                    corrections: try row.get(11), exclusions: try row.get(12))
            }
        }
    }

    public func removeImport(_ id: ImportRecord.ID, at now: Timestamp, isPreview: Bool) throws -> ImportChanges {
        let body = { (database: Database) -> ImportChanges? in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT person.id, person.name FROM import JOIN person ON person.id = person WHERE import.id = ?",
                arguments: [id]
            )
            guard let row else { return nil }
            return try ImportMerge(database: database, user: User(row: row), now: now).remove(id)
        }
        guard let changes = isPreview ? try undone(body) : try writeManyRows(body) else {
            throw ImportError.noImport(id)
        }
        return changes
    }

    public func importSources() throws(HistoryError) -> [Pedometer] {
        try read { database in
            try Row.fetchAll(
                database, sql: Pedometer.query + " WHERE NOT forgotten AND \(Pedometer.isImported) ORDER BY name_key"
            )
            .map(Pedometer.init)
        }
    }
}
