import GRDB
public import StepDomain

/// The days of one person that a merge has changed; callers use them later to find the days to examine again.
///
/// They are collected first and stored once, so that a batch of a thousand samples writes each of its days once.
struct ChangedDays {
    private(set) var days: Set<Day> = []
    /// Samples are sorted by time: most are on the same day as the one before.
    private var latest: Day?

    mutating func insert(_ day: Day) {
        if day == latest { return }
        latest = day
        days.insert(day)
    }

    /// Adds time that is accounted for now and was not before.
    ///
    /// - Parameter neighbours: adjacent spans. After a journey, time of one day in the new offset can complete another
    ///   day in the old offset.
    mutating func insert(_ gap: TimeSpan, utcOffset: Int, neighbours: [CoveredSpan]) {
        let last = Day(of: gap.end - 1, utcOffset: utcOffset)
        let first = max(Day(of: gap.start, utcOffset: utcOffset), last.advanced(by: 1 - Self.maximumDays))
        for day in first...last { insert(day) }
        for other in neighbours where other.utcOffset != utcOffset {
            if other.span.end == gap.start { insert(Day(of: other.span.end - 1, utcOffset: other.utcOffset)) }
            if other.span.start == gap.end { insert(Day(of: other.span.start, utcOffset: other.utcOffset)) }
        }
    }

    /// In a longer span the last ten years count. No pedometer remembers such a span, but one read by a machine whose
    /// clock was at 1970 reports half a century, and these days must not fill the outbox.
    static let maximumDays = 3660

    /// Runs in the transaction of the change.
    func store(of person: User.ID, _ database: Database) throws {
        try noteChange(of: days, person: person, isCounted: true, database)
    }
}

/// Assigns the next revision to days of a person.
///
/// It is above what destinations have examined, too: a repair can have lost the rows with the highest revisions, and a
/// part of an export can lack them.
///
/// - Parameter isCounted: whether a pedometer has data for them.
func noteChange(of days: Set<Day>, person: User.ID, isCounted: Bool, _ database: Database) throws {
    // A sample of the calendar's last second can be on the day after it, which cannot be requested.
    let days = days.filter { $0 <= Period.calendar.upperBound }
    if days.isEmpty { return }
    let revision = try Int.fetchOne(
        database.cachedStatement(
            sql: """
                SELECT max(
                    ifnull((SELECT max(revision) FROM changed_day WHERE person = ?1), 0),
                    ifnull((SELECT max(revision) FROM share_watermark WHERE person = ?1), 0)) + 1
                """),
        arguments: [person])
    let note = try database.cachedStatement(
        sql: """
            INSERT INTO changed_day VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
            SET revision = excluded.revision, counted = max(counted, excluded.counted)
            """)
    for day in days.sorted() {
        try note.execute(arguments: [person, day.description, revision, isCounted])
    }
}

extension StepDatabase {
    public func knownDays(of user: User.ID, from first: Day, through last: Day) throws(HistoryError) -> [Day] {
        guard first <= last, Period.calendar.overlaps(first...last) else { return [] }
        return try read { database in
            try String.fetchAll(
                database,
                sql:
                    "SELECT day FROM changed_day WHERE person = ? AND day BETWEEN ? AND ? AND \(Day.isKnown) ORDER BY day",
                arguments: [user] + (first...last).texts
            ).map(Day.init(column:))
        }
    }

    public func deletedDays(of user: User.ID, from first: Day, through last: Day) throws(HistoryError) -> [Day] {
        guard schema.hasDeletions, first <= last, Period.calendar.overlaps(first...last) else { return [] }
        return try read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT day FROM deleted_day WHERE person = ?1 AND day BETWEEN ?2 AND ?3 AND EXISTS (
                        SELECT 1 FROM share WHERE share.person = ?1 AND share.day = deleted_day.day
                        AND (confirmed IS NOT NULL OR state IN ('sending', 'unknown') OR repetition > 0))
                    ORDER BY day
                    """,
                arguments: [user] + (first...last).texts
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
