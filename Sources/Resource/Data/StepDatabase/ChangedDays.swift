import GRDB
import StepDomain

/// The days of one person of which a merge has changed something, for whoever asks later what to look at anew.
///
/// They are collected first and stored once, so that a batch of a thousand samples touches each of its days once.
struct ChangedDays {
    private(set) var days: Set<Day> = []
    /// Samples come by time: most are of the day of the one before.
    private var latest: Day?

    mutating func insert(_ day: Day) {
        if day == latest { return }
        latest = day
        days.insert(day)
    }

    /// Time that is accounted for now and was not before.
    ///
    /// - Parameter neighbours: spans that adjoin it. After a journey, time of one day by the new place's offset can be what completes
    ///   another day by the old one's.
    mutating func insert(_ gap: TimeSpan, utcOffset: Int, neighbours: [CoveredSpan]) {
        let last = Day(of: gap.end - 1, utcOffset: utcOffset)
        let first = max(Day(of: gap.start, utcOffset: utcOffset), last.advanced(by: 1 - Self.mostDays))
        for day in first...last { insert(day) }
        for other in neighbours where other.utcOffset != utcOffset {
            if other.span.end == gap.start { insert(Day(of: other.span.end - 1, utcOffset: other.utcOffset)) }
            if other.span.start == gap.end { insert(Day(of: other.span.start, utcOffset: other.utcOffset)) }
        }
    }

    /// Of a longer span the last ten years count: no pedometer remembers them, but one read by a machine whose clock stood
    /// at 1970 claims half a century, and days that nobody lived through are not to fill the outbox.
    static let mostDays = 3660

    /// In the transaction of what changed.
    func store(of person: User.ID, _ database: Database) throws {
        try noteChange(of: days, person: person, isCounted: true, database)
    }
}

/// Gives days of a person the next revision.
///
/// - Parameter isCounted: a pedometer knows of them.
func noteChange(of days: Set<Day>, person: User.ID, isCounted: Bool, _ database: Database) throws {
    // A sample of the calendar's last second can be of a day after it, which nobody can ask for.
    let days = days.filter { $0 <= .last }
    if days.isEmpty { return }
    let revision = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT ifnull(max(revision), 0) + 1 FROM changed_day WHERE person = ?"),
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
