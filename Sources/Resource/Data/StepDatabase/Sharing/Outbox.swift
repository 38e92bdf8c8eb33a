import GRDB
import StepDomain

/// Puts days of one person into the outbox of one destination.
struct Outbox {
    /// How far the changes of a person's days were considered, and from which day on.
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

    /// Has the entries of days looked at again that changed after a revision.
    ///
    /// Whatever their day: one that was asked for by name, from before the first day that goes out by itself, is corrected too.
    func freshen(after revision: Int) throws {
        try database.cachedStatement(sql: Self.freshen).execute(arguments: [destination, user, now.seconds, revision])
    }

    /// Makes entries of days that changed after a revision and have none.
    func add(after revision: Int, from first: Day, through last: Day) throws {
        try database.cachedStatement(sql: Self.add).execute(arguments: [
            destination, user, now.seconds, revision, first.description, last.description,
        ])
    }

    /// Makes the entry of a day that somebody asks for, or has it looked at again.
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
