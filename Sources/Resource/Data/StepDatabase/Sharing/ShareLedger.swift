import GRDB
public import StepDomain

extension StepDatabase: ShareLedger {
    /// An entry that was handed out stays due until `record` changes it, so a process that is killed in between loses nothing. Only the
    /// mark that it was enqueued is cleared: from now on, such a mark means a later change.
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
                if row["stale"] {
                    entry.nextAttempt = min(entry.nextAttempt ?? now, now)
                    try handOut.execute(arguments: [entry.nextAttempt?.seconds] + entry.key)
                }
                return entry
            }
        }
    }

    public func dueCount(for destination: String, users: [User.ID], at now: Timestamp) throws(HistoryError) -> Int {
        try read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM (\(ShareEntry.due))",
                arguments: [destination, now.seconds, ShareEntry.list(users), -1]) ?? 0
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

    /// An entry that was enqueued meanwhile stays enqueued: it is due at once, and a requested day stays requested.
    ///
    /// A text that is too long is cut: if the failure of an entry could not be stored, the entry would be sent repeatedly.
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

/// Puts days of one person into the outbox of one destination.
struct Outbox {
    /// Up to which revision the changes of a person's days were considered, and from which day on.
    struct Watermark: Equatable {
        let since: Day
        let revision: Int
    }

    private let user: User.ID
    private let destination: String
    private let now: Timestamp
    private let database: Database

    init(of user: User.ID, for destination: String, at now: Timestamp, _ database: Database) {
        self.user = user
        self.destination = destination
        self.now = now
        self.database = database
    }

    /// Nil before the first time.
    func watermark() throws -> Watermark? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT since, revision FROM share_watermark WHERE destination = ? AND person = ?"),
            arguments: [destination, user]
        ).map { Watermark(since: try Day(column: $0[0]), revision: $0[1]) }
    }

    func move(to watermark: Watermark) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO share_watermark VALUES (?, ?, ?, ?)")
            .execute(arguments: [destination, user, watermark.since.description, watermark.revision])
    }

    func latestRevision() throws -> Int {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT ifnull(max(revision), 0) FROM changed_day WHERE person = ?"),
            arguments: [user]) ?? 0
    }

    /// Marks the entries of days that changed after a revision to be examined again.
    ///
    /// This applies to any day: a day that was requested by name, before the first day of automatic sharing, is corrected too.
    func freshen(after revision: Int) throws {
        try database.cachedStatement(sql: Self.freshen).execute(arguments: [destination, user, now.seconds, revision])
    }

    /// Creates entries for days that changed after a revision and have no entry.
    func add(after revision: Int, from first: Day, through last: Day) throws {
        try database.cachedStatement(sql: Self.add).execute(arguments: [
            destination, user, now.seconds, revision, first.description, last.description,
        ])
    }

    /// Creates the entry of a requested day, or marks it to be examined again.
    func ask(for day: Day) throws {
        try database.cachedStatement(sql: Self.ask).execute(arguments: [destination, user, now.seconds, day.description])
    }

    static let freshen = """
        UPDATE share SET stale = 1, next_attempt = min(ifnull(next_attempt, ?3), ?3)
        WHERE destination = ?1 AND person = ?2
            AND day IN (SELECT day FROM changed_day WHERE person = ?2 AND revision > ?4)
        """

    static let add = """
        INSERT INTO share (destination, person, day, state, asked, attempts, next_attempt, changed_at, stale)
        SELECT ?1, person, day, 'pending', 0, 0, ?3, ?3, 0 FROM changed_day
        WHERE person = ?2 AND revision > ?4 AND +day BETWEEN ?5 AND ?6 AND \(Day.isKnown)
        ON CONFLICT DO NOTHING
        """

    static let ask = """
        INSERT INTO share (destination, person, day, state, asked, attempts, next_attempt, changed_at, stale)
        VALUES (?1, ?2, ?4, 'pending', 1, 0, ?3, ?3, 0)
        ON CONFLICT DO UPDATE SET asked = 1, stale = 1, next_attempt = min(ifnull(next_attempt, ?3), ?3)
        """
}

extension ShareEntry {
    private static let query = """
        SELECT person, day, destination, state, asked, fingerprint, confirmed, attempts, first_attempt, next_attempt,
            last_error, remote_id, changed_at, stale, repetition FROM share
        """

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

    /// Entries of one destination or of all, in the given states. If `sent` is not among them, an explicit condition makes SQLite use the
    /// index of open entries.
    static func listing(of destination: String?, in states: Set<State>) -> String {
        let marks = Array(repeating: "?", count: states.count).joined(separator: ", ")
        return query + " WHERE state IN (\(marks))" + (states.contains(.sent) ? "" : " AND state <> 'sent'")
            + (destination == nil ? "" : " AND destination = ?") + " ORDER BY destination, day, person"
    }

    /// The entry of one destination, person and day.
    static let one = query + " WHERE destination = ? AND person = ? AND day = ?"

    static let record = """
        INSERT INTO share (destination, person, day, state, asked, fingerprint, confirmed, attempts, first_attempt,
            next_attempt, last_error, remote_id, changed_at, repetition, stale)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
        SET state = excluded.state, fingerprint = excluded.fingerprint, confirmed = excluded.confirmed,
            attempts = excluded.attempts, first_attempt = excluded.first_attempt, last_error = excluded.last_error,
            remote_id = excluded.remote_id, changed_at = excluded.changed_at, repetition = excluded.repetition,
            asked = iif(stale, max(asked, excluded.asked), excluded.asked),
            next_attempt = iif(stale, ifnull(excluded.next_attempt, excluded.changed_at), excluded.next_attempt)
        """

    var key: StatementArguments { [destination, user, day.description] }

    var columns: StatementArguments {
        key + [
            state.rawValue, isAsked, fingerprint, confirmed, attempts, firstAttempt?.seconds, nextAttempt?.seconds,
            lastError.map(shortened), remoteID, changedAt.seconds, repetition,
        ]
    }

    init(row: Row) throws {
        guard let state = State(rawValue: row[3]) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no state of an entry: \(row[3] as String)"))
        }
        self.init(
            user: row[0], day: try Day(column: row[1]), destination: row[2], state: state, isAsked: row[4],
            fingerprint: row[5], confirmed: row[6], attempts: row[7], firstAttempt: (row[8] as Int?).map(Timestamp.init),
            nextAttempt: (row[9] as Int?).map(Timestamp.init), lastError: row[10], remoteID: row[11],
            changedAt: Timestamp(row[12]), repetition: row["repetition"])
    }
}

/// A reason, cut to the length that the schema accepts.
func shortened(_ reason: String) -> String { String(String.UnicodeScalarView(reason.unicodeScalars.prefix(1000))) }

extension StepDatabase {
    public func state(of destination: String) throws(HistoryError) -> DestinationState {
        try read { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT first_day, not_before, failures, stopped, last_error, layout FROM destination WHERE name = ?"),
                arguments: [destination])
            guard let row else { return DestinationState(name: destination) }
            return DestinationState(
                name: destination, firstDay: try (row[0] as String?).map(Day.init(column:)),
                notBefore: (row[1] as Int?).map(Timestamp.init), failures: row[2], stopped: row[3], lastError: row[4], layout: row[5])
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

extension StepDatabase {
    public func knownDays(of user: User.ID, from first: Day, through last: Day) throws(HistoryError) -> [Day] {
        guard first <= last, first <= .last, last >= .first else { return [] }
        return try read { database in
            try String.fetchAll(
                database,
                sql: "SELECT day FROM changed_day WHERE person = ? AND day BETWEEN ? AND ? AND \(Day.isKnown) ORDER BY day",
                arguments: [user, first.inCalendar.description, last.inCalendar.description]
            ).map(Day.init(column:))
        }
    }
}

extension Day {
    /// Whether the history has data for the day of a row of `changed_day`.
    static let isKnown = """
        (counted OR EXISTS (
            SELECT 1 FROM correction WHERE correction.person = changed_day.person AND correction.day = changed_day.day))
        """
}
