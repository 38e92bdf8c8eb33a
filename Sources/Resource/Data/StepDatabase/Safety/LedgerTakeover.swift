import GRDB
import StepDomain

/// What a restored history takes over from the one that it replaces: which days were sent, the state of the
/// destinations, and how the clocks of the pedometers were set. A restore changes none of these things.
///
/// People are matched by their names, pedometers by their addresses. The watermarks stay those of the backup, because
/// they refer to its own changes: days that are read again are examined again, and those that the destination has are
/// not sent.
struct LedgerTakeover {
    private typealias Values = [String: DatabaseValue]

    private var entries: [Values] = []
    private var destinations: [Values] = []
    private var clocks: [Values] = []
    /// Whether all of it could be read.
    private var isComplete = true

    /// Reads the ledger of a history, also of a damaged one or of another version, as far as possible.
    init(from path: String) {
        do {
            (entries, destinations, clocks, isComplete) = try StepDatabase.reading(path) {
                try $0.read { try Self.read($0) }
            }
        } catch {
            isComplete = false
        }
    }

    private static func read(_ database: Database) throws -> ([Values], [Values], [Values], Bool) {
        var isComplete = true
        switch try Schema.current.state(of: database) {
        // No day was ever sent.
        case .foreign, .older(0), .older(1): return ([], [], [], true)
        case .current, .older: break
        case .newer, .inconsistent: isComplete = false
        }
        func rows(_ sql: String) -> [Values] {
            var rows: [Values] = []
            do {
                let cursor = try Row.fetchCursor(database, sql: sql)
                while let row = try cursor.next() {
                    rows.append(Dictionary(zip(row.columnNames, row.databaseValues)) { first, _ in first })
                }
            } catch {
                isComplete = false
            }
            return rows
        }
        let entries = rows("SELECT name_key, share.* FROM share JOIN person ON person.id = share.person")
        let destinations = rows("SELECT * FROM destination")
        let clocks = rows("SELECT address, model, clock FROM pedometer")
        // A damaged table can lack rows without an error.
        for table in ["person", "share", "destination"] where isComplete {
            isComplete = (try? String.fetchAll(database, sql: "PRAGMA integrity_check('\(table)')")) == ["ok"]
        }
        return (entries, destinations, clocks, isComplete)
    }

    /// Stores it in the file that replaces the history, and migrates this file if it is of an earlier version.
    ///
    /// - Returns: whether all that was sent is known.
    func store(in file: DatabaseCopy, at moment: Timestamp) throws -> Bool {
        if entries.isEmpty, destinations.isEmpty, clocks.isEmpty { return isComplete }
        do {
            let queue = try DatabaseQueue(
                path: file.path, configuration: StepDatabase.configuration(busyTimeout: StepDatabase.busyTimeout))
            let isWhole = try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                if !entries.isEmpty || !destinations.isEmpty { try Schema.current.migrate(database) }
                var isWhole = isComplete
                try database.inTransaction(.immediate) {
                    for entry in entries where try !store(entry, at: moment, database) { isWhole = false }
                    for destination in destinations where try !store(destination: destination, database) {
                        isWhole = false
                    }
                    try storeClocks(database)
                    return .commit
                }
                return isWhole
            }
            try queue.close()
            // The log is not moved with the file.
            guard StepDatabase.isEmptyOrMissing(file.path + FileSuffix.log) else {
                throw HistoryError.failed(path: file.path, reason: "its log could not be emptied")
            }
            return isWhole
        } catch {
            throw file.at(error)
        }
    }

    /// Stores the newer of two entries, unless nothing was sent of it. A day that the destination has and the backup
    /// does not know is examined again: it may have other figures now.
    ///
    /// - Returns: whether what was sent of the day is known.
    private func store(_ entry: Values, at moment: Timestamp, _ database: Database) throws -> Bool {
        func text(_ name: String) -> String? { entry[name].flatMap { String.fromDatabaseValue($0) } }
        let isUnsent = text("confirmed") == nil && text("fingerprint") == nil
        guard let key = text("name_key"), let destination = text("destination"), let day = text("day"),
            let person = try Int64.fetchOne(database, sql: "SELECT id FROM person WHERE name_key = ?", arguments: [key])
        else { return isUnsent }
        var taken = entry
        taken["person"] = person.databaseValue
        taken["repetition"] = entry["repetition"] ?? 0.databaseValue
        // Of a history of an earlier version.
        if entry["cause"] == nil, let error = text("last_error") {
            taken["cause"] = try DatabaseValue.fetchOne(
                database, sql: "SELECT \(Schema.Migration.causeByWords) FROM (SELECT ? AS last_error)",
                arguments: [error])
        }
        if let confirmed = text("confirmed") {
            let known = try String.fetchOne(
                database, sql: "SELECT confirmed FROM share WHERE destination = ? AND person = ? AND day = ?",
                arguments: [destination, person, day])
            if known != confirmed {
                let next = entry["next_attempt"].flatMap { Int.fromDatabaseValue($0) }
                taken["next_attempt"] = min(next ?? moment.seconds, moment.seconds).databaseValue
                taken["stale"] = 1.databaseValue
            }
        }
        return try insert(taken, Self.entryColumns, Self.insertEntry, database) || isUnsent
    }

    private func store(destination: Values, _ database: Database) throws -> Bool {
        var taken = destination
        taken["layout"] = destination["layout"] ?? 0.databaseValue
        return try insert(taken, Self.destinationColumns, Self.insertDestination, database)
    }

    /// - Returns: whether the schema accepts the row; a damaged history can have any values in it.
    private func insert(_ values: Values, _ columns: [String], _ sql: String, _ database: Database) throws -> Bool {
        let row: [DatabaseValue] = columns.map { values[$0] ?? .null }
        do {
            try database.execute(sql: sql, arguments: StatementArguments(row))
            return true
        } catch let error as DatabaseError
            where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG].contains(error.resultCode)
        {
            return false
        }
    }

    /// Adds the settings of a clock that the backup does not have: the pedometer's slots since then were stamped with
    /// them.
    private func storeClocks(_ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT id, address, model, clock FROM pedometer") {
            let (id, address, model): (Int64, DatabaseValue, DatabaseValue) = (
                try row.get(0), try row.get(1), try row.get(2)
            )
            let clock: ClockState = try value(row.get(3))
            var all = Set(clock.settings)
            for taken in clocks where taken["address"] == address && taken["model"] == model {
                guard let text = taken["clock"].flatMap({ String.fromDatabaseValue($0) }),
                    let other = try? value(text) as ClockState
                else { continue }
                all.formUnion(other.settings)
            }
            if all.count == clock.settings.count { continue }
            try database.execute(
                sql: "UPDATE pedometer SET clock = ? WHERE id = ?",
                arguments: [try json(ClockState(settings: Array(all))), id])
        }
    }

    private static let entryColumns = [
        "destination", "person", "day", "state", "asked", "fingerprint", "confirmed", "attempts", "first_attempt",
        "next_attempt", "last_error",
        "cause", "remote_id", "changed_at", "stale", "repetition",
    ]

    private static let insertEntry = """
        INSERT INTO share (\(entryColumns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET \(entryColumns.dropFirst(3).map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        WHERE excluded.confirmed IS NOT NULL OR excluded.fingerprint IS NOT NULL OR excluded.repetition > share.repetition
            OR share.confirmed IS NULL AND share.fingerprint IS NULL
        """

    private static let destinationColumns = [
        "name", "first_day", "not_before", "failures", "stopped", "last_error", "layout",
    ]

    /// Keeps the earlier first day, so that no day is omitted, and the earlier layout, so that all days are examined.
    private static let insertDestination = """
        INSERT INTO destination (\(destinationColumns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET
            first_day = min(ifnull(first_day, excluded.first_day), ifnull(excluded.first_day, first_day)),
            not_before = excluded.not_before, failures = excluded.failures, stopped = excluded.stopped, last_error = excluded.last_error,
            layout = min(layout, excluded.layout)
        """
}
