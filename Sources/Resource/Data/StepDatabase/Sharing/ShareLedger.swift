import GRDB
public import StepDomain

extension StepDatabase: ShareLedger {
    /// An entry that was handed out stays due until `record` changes it, so a process that is killed in between loses
    /// nothing. Only the mark that it was enqueued is cleared: from now on, such a mark means a later change.
    public func due(
        for destination: String, users: [User.ID], at now: Timestamp, limit: Int
    ) throws(HistoryError) -> [ShareEntry] {
        if users.isEmpty || limit <= 0 { return [] }
        return try write { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: ShareEntry.due),
                arguments: [destination, now.seconds, ShareEntry.list(users), limit])
            let handOut = try database.cachedStatement(
                sql: "UPDATE share SET stale = 0, next_attempt = ? WHERE destination = ? AND person = ? AND day = ?")
            return try rows.map { row in
                var entry = try ShareEntry(row: row)
                if try row.get(13) {
                    entry.nextAttempt = min(entry.nextAttempt ?? now, now)
                    try handOut.execute(arguments: [entry.nextAttempt?.seconds] + entry.key)
                }
                return entry
            }
        }
    }

    public func dueDays(for destination: String, users: [User.ID], at now: Timestamp) throws(HistoryError) -> [UserDay]
    {
        try read { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: ShareEntry.due),
                arguments: [destination, now.seconds, ShareEntry.list(users), -1])
            return try rows.map { row in
                let entry = try ShareEntry(row: row)
                return UserDay(user: entry.user, day: entry.day)
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

    public func changes(at now: Timestamp) throws(HistoryError) -> [ShareEntry] {
        try read { database in
            let sent = try Row.fetchAll(database, sql: ShareEntry.changed, arguments: [now.seconds]).map { row in
                var entry = try ShareEntry(row: row)
                entry.isChanged = true
                return entry
            }
            let new = try Row.fetchAll(database, sql: ShareEntry.unconsidered).map { row in
                ShareEntry(
                    user: try row.get(1), day: try row.day(2), destination: try row.get(0), nextAttempt: now,
                    changedAt: now)
            }
            return (sent + new).sorted { ($0.destination, $0.day, $0.user) < ($1.destination, $1.day, $1.user) }
        }
    }

    public func entry(for destination: String, of user: User.ID, on day: Day) throws(HistoryError) -> ShareEntry? {
        try read { database in
            try Row.fetchOne(
                database.cachedStatement(sql: ShareEntry.one), arguments: [destination, user, day.description]
            ).map(ShareEntry.init)
        }
    }

    /// An entry that was enqueued meanwhile stays enqueued: it is due at once, and a requested day stays requested.
    ///
    /// A text that is too long is cut: if the failure of an entry could not be stored, the entry would be sent
    /// repeatedly.
    public func record(_ entries: [ShareEntry]) throws(HistoryError) {
        if entries.isEmpty { return }
        try write { database in
            for user in Set(entries.map(\.user)) { try require(.user, user, database) }
            let record = try database.cachedStatement(sql: ShareEntry.record)
            for entry in entries { try record.execute(arguments: entry.columns) }
        }
    }

    public func remove(_ entry: ShareEntry, evenIfEnqueued: Bool) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM share WHERE destination = ? AND person = ? AND day = ?"
                    + (evenIfEnqueued ? "" : " AND NOT stale"), arguments: entry.key)
        }
    }
}

extension ShareEntry {
    private static let columns = """
        SELECT person, day, destination, state, asked, fingerprint, confirmed, attempts, first_attempt, next_attempt,
            last_error, remote_id, changed_at, stale, repetition, cause
        """
    private static let query = columns + " FROM share"

    /// Entries due for a destination (1) at a moment (2), of people in a JSON array (3), limited to a number (4).
    ///
    /// Read from the index of open entries in its own order: the query ends as soon as the limit is reached.
    static let due =
        query + """
             WHERE destination = ?1 AND next_attempt IS NOT NULL AND (stale OR next_attempt <= ?2) AND state <> 'sending'
                AND +person IN (SELECT value FROM json_each(?3))
            ORDER BY day, person LIMIT ?4
            """

    /// People as an argument of `due`: a JSON array of their numbers.
    static func list(_ users: [User.ID]) -> String { "[\(users.map { "\($0)" }.joined(separator: ","))]" }

    /// Entries of one destination or of all, in the given states. If `sent` is not among them, an explicit condition
    /// makes SQLite use the index of open entries.
    static func listing(of destination: String?, in states: Set<State>) -> String {
        let marks = Array(repeating: "?", count: states.count).joined(separator: ", ")
        return query + " WHERE state IN (\(marks))" + (states.contains(.sent) ? "" : " AND state <> 'sent'")
            + (destination == nil ? "" : " AND destination = ?") + " ORDER BY destination, day, person"
    }

    /// Days that changed after the watermark of a destination.
    private static let news = """
        FROM share_watermark JOIN changed_day
            ON changed_day.person = share_watermark.person AND changed_day.revision > share_watermark.revision
        """

    /// Sent entries of days that have changed since, or that are due at a moment (1): these were examined and not sent,
    /// or their day has ended. Before the first watermark, only days requested by name were sent, and each of them may
    /// have changed. Begins with the few changes, and not with all entries.
    static let changed =
        columns + """
             FROM (
                SELECT share_watermark.destination AS place, changed_day.person AS owner, changed_day.day AS date \(news)
                UNION SELECT destination, person, day FROM share
                WHERE next_attempt IS NOT NULL AND (stale OR next_attempt <= ?1)
                UNION SELECT share.destination, share.person, share.day
                FROM destination CROSS JOIN person CROSS JOIN share
                    ON share.destination = destination.name AND share.person = person.id
                WHERE NOT EXISTS (
                    SELECT 1 FROM share_watermark
                    WHERE share_watermark.destination = destination.name AND share_watermark.person = person.id))
            CROSS JOIN share ON destination = place AND person = owner AND day = date AND state = 'sent'
            """

    /// Destination, person and day of entries that the next `enqueueChanges` would create.
    static let unconsidered = """
        SELECT share_watermark.destination, changed_day.person, changed_day.day \(news)
        WHERE +changed_day.day >= share_watermark.since AND \(Day.isKnown) AND NOT EXISTS (
            SELECT 1 FROM share WHERE share.destination = share_watermark.destination
                AND share.person = changed_day.person AND share.day = changed_day.day)
        """

    /// The entry of one destination, person and day.
    static let one = query + " WHERE destination = ? AND person = ? AND day = ?"

    static let record = """
        INSERT INTO share (destination, person, day, state, asked, fingerprint, confirmed, attempts, first_attempt,
            next_attempt, last_error, cause, remote_id, changed_at, repetition, stale)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
        SET state = excluded.state, fingerprint = excluded.fingerprint, confirmed = excluded.confirmed,
            attempts = excluded.attempts, first_attempt = excluded.first_attempt, last_error = excluded.last_error,
            cause = excluded.cause,
            remote_id = excluded.remote_id, changed_at = excluded.changed_at, repetition = excluded.repetition,
            asked = iif(stale, max(asked, excluded.asked), excluded.asked),
            next_attempt = iif(stale, ifnull(excluded.next_attempt, excluded.changed_at), excluded.next_attempt)
        """

    var key: StatementArguments { [destination, user, day.description] }

    var columns: StatementArguments {
        key + [
            state.rawValue, isRequested, fingerprint, confirmed, attempts, firstAttempt?.seconds, nextAttempt?.seconds,
            lastError.map(shortened), cause?.rawValue, remoteID, changedAt.seconds, repetition,
        ]
    }

    init(row: Row) throws {
        let name: String = try row.get(3)
        guard let state = State(rawValue: name) else { throw notWritten("an entry in the state \(name)") }
        let cause: String? = try row.get(15)
        self.init(
            user: try row.get(0), day: try row.day(1), destination: try row.get(2), state: state,
            isRequested: try row.get(4),
            fingerprint: try row.get(5), confirmed: try row.get(6), attempts: try row.get(7),
            firstAttempt: try row.timeIfPresent(8),
            nextAttempt: try row.timeIfPresent(9), lastError: try row.get(10),
            cause: cause.flatMap(Cause.init(rawValue:)), remoteID: try row.get(11),
            changedAt: try row.time(12), repetition: try row.get(14))
    }
}

/// A reason, cut to the length that the schema accepts.
func shortened(_ reason: String) -> String { String(String.UnicodeScalarView(reason.unicodeScalars.prefix(1000))) }

extension StepDatabase {
    public func state(of destination: String) throws(HistoryError) -> DestinationState {
        try read { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql:
                        "SELECT first_day, not_before, failures, stopped, last_error, layout FROM destination WHERE name = ?"
                ),
                arguments: [destination])
            guard let row else { return DestinationState(name: destination) }
            return DestinationState(
                name: destination, firstDay: try row.dayIfPresent(0), notBefore: try row.timeIfPresent(1),
                failures: try row.get(2),
                stopped: try row.get(3), lastError: try row.get(4), layout: try row.get(5))
        }
    }

    public func record(_ state: DestinationState) throws(HistoryError) {
        try write { database in
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO destination (name, first_day, not_before, failures, stopped, last_error, layout)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            )
            .execute(arguments: [
                state.name, state.firstDay?.description, state.notBefore?.seconds, state.failures,
                state.stopped.map(shortened), state.lastError.map(shortened), state.layout,
            ])
        }
    }
}
