import GRDB
public import StepDomain

extension StepDatabase: ShareLedger {
    /// An entry that was handed out stays due until `record` says otherwise, so that whoever is killed in between has
    /// overlooked nothing. Only that it was enqueued is forgotten: from now on that can only mean a later change.
    public func due(
        for destination: String, users: [User.ID], at now: Timestamp, limit: Int
    ) throws(HistoryError) -> [ShareEntry] {
        if users.isEmpty || limit <= 0 { return [] }
        return try write { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: ShareEntry.due),
                arguments: [destination, now.seconds, "[\(users.map { "\($0)" }.joined(separator: ","))]", limit])
            let handOut = try database.cachedStatement(
                sql: "UPDATE share SET stale = 0, next_attempt = ? WHERE destination = ? AND person = ? AND day = ?")
            return try rows.map { row in
                var entry = try ShareEntry(row: row)
                if row["stale"] {
                    entry.nextAttempt = min(entry.nextAttempt ?? now, now)
                    try handOut.execute(arguments: [entry.nextAttempt?.seconds] + entry.key)
                }
                return entry
            }
        }
    }

    public func entries(
        for destination: String?, in states: Set<ShareEntry.State>
    ) throws(HistoryError) -> [ShareEntry] {
        if states.isEmpty { return [] }
        return try read { database in
            try Row.fetchAll(
                database, sql: ShareEntry.listing(of: destination, in: states),
                arguments: StatementArguments(states.map(\.rawValue)) + (destination.map { [$0] } ?? [])
            ).map(ShareEntry.init)
        }
    }

    public func entry(for destination: String, of user: User.ID, on day: Day) throws(HistoryError) -> ShareEntry? {
        try read { database in
            try Row.fetchOne(
                database.cachedStatement(sql: ShareEntry.one), arguments: [destination, user, day.description]
            ).map(ShareEntry.init)
        }
    }

    /// What was enqueued meanwhile stays so: it is due at once, and a day that was asked for stays asked for.
    ///
    /// A text that is too long is cut, since an entry whose failure could not be stored would be sent again and again.
    public func record(_ entries: [ShareEntry]) throws(HistoryError) {
        if entries.isEmpty { return }
        try write { database in
            for user in Set(entries.map(\.user)) { try require(.user, user, database) }
            let record = try database.cachedStatement(sql: ShareEntry.record)
            for entry in entries { try record.execute(arguments: entry.columns) }
        }
    }

    public func remove(_ entry: ShareEntry) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM share WHERE destination = ? AND person = ? AND day = ?", arguments: entry.key)
        }
    }
}
