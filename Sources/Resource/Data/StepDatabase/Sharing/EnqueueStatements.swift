import GRDB
public import StepDomain

extension StepDatabase {
    public func enqueueChanges(
        of user: User.ID, for destination: String, since: Day, at now: Timestamp
    ) throws(HistoryError) {
        let since = since.inCalendar
        try write { database in
            try require(.user, user, database)
            let statements = EnqueueStatements(of: user, for: destination, at: now, database)
            let seen = try statements.watermark()
            let latest = try EnqueueStatements.Watermark(since: since, revision: statements.latestRevision())
            if seen == latest { return }

            let before = seen ?? EnqueueStatements.Watermark(since: since, revision: 0)
            try statements.requeue(after: before.revision)
            try statements.add(
                after: before.revision, from: max(since, before.since), through: Period.calendar.upperBound)
            // The watermark skipped these days, because they were before its first day.
            if since < before.since {
                try statements.add(after: 0, from: since, through: before.since.advanced(by: -1))
            }
            try statements.move(to: latest)
        }
    }

    public func enqueue(
        _ days: [Day], of user: User.ID, for destination: String, at now: Timestamp
    ) throws(HistoryError) {
        if days.isEmpty { return }
        try write { database in
            try require(.user, user, database)
            let statements = EnqueueStatements(of: user, for: destination, at: now, database)
            for day in days { try statements.request(day) }
        }
    }

    public func enqueueSent(to destination: String, at now: Timestamp) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: """
                    UPDATE share SET confirmed = ifnull(confirmed, fingerprint), stale = 1, next_attempt = min(ifnull(next_attempt, ?2), ?2)
                    WHERE destination = ?1 AND (confirmed IS NOT NULL OR state IN ('sending', 'unknown') AND fingerprint IS NOT NULL)
                    """,
                arguments: [destination, now.seconds])
        }
    }
}

/// Puts days of one user into the outbox of one destination.
struct EnqueueStatements {
    /// Up to which revision the changes of a user's days were examined, and from which day on.
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
        ).map { Watermark(since: try $0.day(0), revision: try $0.get(1)) }
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
    /// This applies to any day: a day that was requested by name, before the first day of automatic sharing, is
    /// corrected too.
    func requeue(after revision: Int) throws {
        try database.cachedStatement(sql: Self.requeue).execute(arguments: [destination, user, now.seconds, revision])
    }

    /// Creates entries for days that changed after a revision and have no entry.
    func add(after revision: Int, from first: Day, through last: Day) throws {
        try database.cachedStatement(sql: Self.add).execute(arguments: [
            destination, user, now.seconds, revision, first.description, last.description,
        ])
    }

    /// Creates the entry of a requested day, or marks it to be examined again.
    func request(_ day: Day) throws {
        try database.cachedStatement(sql: Self.request).execute(arguments: [
            destination, user, now.seconds, day.description,
        ])
    }

    static let requeue = """
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

    static let request = """
        INSERT INTO share (destination, person, day, state, asked, attempts, next_attempt, changed_at, stale)
        VALUES (?1, ?2, ?4, 'pending', 1, 0, ?3, ?3, 0)
        ON CONFLICT DO UPDATE SET asked = 1, stale = 1, next_attempt = min(ifnull(next_attempt, ?3), ?3)
        """
}
