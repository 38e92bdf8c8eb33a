import GRDB
public import StepDomain

/// Reads what the history knows of days, and stores corrections.
extension StepDatabase: StepHistory {
    public func dayData(of user: User, on day: Day) throws(HistoryError) -> DayData {
        try read { try DayDataReader(user, $0).dayData(from: day, count: 1)[0] }
    }

    public func dayData(of user: User, on days: [Day]) throws(HistoryError) -> [DayData] {
        try read { database in
            let reader = try DayDataReader(user, database)
            return try days.runs(ofAtMost: DayDataReader.maximumDays).flatMap {
                try reader.dayData(from: $0.first, count: $0.count)
            }
        }
    }

    public func syncs(behind day: Day, of user: User) throws(HistoryError) -> [DaySync] {
        // Everywhere on Earth a day is within 14 hours of the day at Greenwich.
        let midnight = day.daysSince1970 * 86_400, most = StepSample.maximumUTCOffset
        return try read { database in
            try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT sample.pedometer, sync.started_at, sync.ended_at, count(*), sum(sample.steps)
                        FROM pedometer JOIN sample ON sample.pedometer = pedometer.id JOIN sync ON sync.id = sample.sync
                        WHERE person = ?1 AND start >= ?2 - ?3 AND start < ?2 + 86400 + ?3
                            AND start + utc_offset >= ?2 AND start + utc_offset < ?2 + 86400
                        GROUP BY sample.pedometer, sync.id ORDER BY sample.pedometer, sync.started_at, sync.id
                        """),
                arguments: [user.id, midnight, most]
            ).map { row in
                try DaySync(
                    pedometer: row.get(0), start: row.time(1), end: row.timeIfPresent(2), slots: row.get(3),
                    steps: row.get(4))
            }
        }
    }

    public func stepsOfOthers(by pedometer: Pedometer.ID, on day: Day) throws(HistoryError) -> Int {
        let midnight = day.daysSince1970 * 86_400, most = StepSample.maximumUTCOffset
        return try read { database in
            try Int.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT ifnull(sum(steps), 0)
                        FROM pedometer AS own JOIN pedometer AS other ON other.address = own.address AND other.person <> own.person
                        JOIN sample ON sample.pedometer = other.id
                        WHERE own.id = ?1 AND start >= ?2 - ?3 AND start < ?2 + 86400 + ?3
                            AND start + utc_offset >= ?2 AND start + utc_offset < ?2 + 86400
                        """),
                arguments: [pedometer, midnight, most]) ?? 0
        }
    }

    public func firstKnownDay(of user: User.ID) throws(HistoryError) -> Day? {
        try read { database in try Self.firstKnownDay(of: user, database) }
    }

    /// Corrections of days before 1970, which earlier versions accepted, do not count: a mistyped year would make a
    /// history of centuries.
    static func firstKnownDay(of user: User.ID, _ database: Database) throws -> Day? {
        // Another offset can put a later sample on an earlier day, but not one that begins 28 hours later.
        let earliest = try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT min(local) FROM (
                        SELECT (SELECT min(start + utc_offset) FROM sample WHERE pedometer = id
                            AND start <= (SELECT min(start) FROM sample WHERE pedometer = id) + 100800) AS local
                        FROM pedometer WHERE person = ?1
                        UNION ALL
                        SELECT max(start + utc_offset, until - 1 + utc_offset - \(ChangedDays.maximumDays - 1) * 86400)
                        FROM coverage JOIN pedometer ON id = pedometer WHERE person = ?1)
                    """),
            arguments: [user])
        // If a sample is far in the past, there would be too many days until today to calculate.
        if let earliest, !Self.calendar.contains(earliest) { throw notWritten("a sample at \(earliest)") }
        let corrected = try String.fetchOne(
            database.cachedStatement(sql: "SELECT min(day) FROM correction WHERE person = ? AND day >= ?"),
            arguments: [user, Validity.beginning.description])
        let days = [earliest.map { Day(of: Timestamp($0), utcOffset: 0) }, try corrected.map(Day.init(column:))]
        return days.compactMap(\.self).min()
    }

    /// From the first second of the year 1 to the last second of the year 9999, by any offset.
    private static let calendar =
        Period.calendar.lowerBound.daysSince1970 * 86_400 - StepSample.maximumUTCOffset...Timestamp.last.seconds
        + StepSample.maximumUTCOffset

    public func setCorrection(
        _ correction: StepCorrection?, of user: User.ID, on day: Day, at moment: Timestamp
    ) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            let before = try Int.fetchOne(
                database, sql: "SELECT steps FROM correction WHERE person = ? AND day = ?",
                arguments: [user, day.description])
            if correction?.steps != before { try noteChange(of: [day], person: user, isCounted: false, database) }
            if let correction {
                try database.execute(
                    sql:
                        "INSERT OR REPLACE INTO correction (person, day, steps, entered_at, reason) VALUES (?, ?, ?, ?, ?)",
                    arguments: [user, day.description, correction.steps, moment.seconds, correction.reason])
            } else {
                try database.execute(
                    sql: "DELETE FROM correction WHERE person = ? AND day = ?", arguments: [user, day.description])
                // Without samples, nothing is known of the day any more.
                if schema.hasDeletions, before != nil, try !isCounted(day, of: user, database) {
                    try StepsOfDays(database: database, user: User(id: user, name: "")).markDeleted(
                        [day], isClosed: false, at: moment)
                }
                // If this was the first known day, sums are stored for days that are now before the first known one.
                try DaySumTable(user, database).remove(
                    before: Self.firstKnownDay(of: user, database) ?? Period.calendar.upperBound)
            }
        }
    }
}

/// Whether a pedometer has data of a day.
private func isCounted(_ day: Day, of user: User.ID, _ database: Database) throws -> Bool {
    try Bool.fetchOne(
        database, sql: "SELECT counted FROM changed_day WHERE person = ? AND day = ?",
        arguments: [user, day.description]) ?? false
}

extension StepCorrection {
    /// - Parameter row: day, steps, reason, entered_at.
    init(row: Row) throws { self.init(steps: try row.get(1), reason: try row.get(2), enteredAt: try row.time(3)) }
}

extension ClosedRange<Day> {
    /// The limits of a column of days.
    var texts: StatementArguments { [lowerBound.inCalendar.description, upperBound.inCalendar.description] }
}

extension Day {
    /// The nearest day whose name has ten characters: only such names sort as text in order of time.
    var inCalendar: Day { min(max(self, Period.calendar.lowerBound), Period.calendar.upperBound) }
}
