import GRDB
import StepDomain

/// The steps of days of a user, and what a change of them has to leave behind.
struct StepsOfDays {
    let database: Database
    let user: User

    /// The days of a range of which anything is known.
    func known(in days: ClosedRange<Day>) throws -> Set<Day> {
        Set(
            try String.fetchAll(
                database,
                sql: "SELECT day FROM changed_day WHERE person = ? AND day BETWEEN ? AND ? AND \(Day.isKnown)",
                arguments: [user.id] + days.texts
            ).map(Day.init(column:)))
    }

    /// What the pedometers have counted; nil of a day of which nothing is known.
    func counted(_ days: Set<Day>) throws -> [Day: Int?] {
        guard let first = days.min(), let last = days.max() else { return [:] }
        let table = DaySumTable(user.id, database)
        let sums = try table.sums(in: first...last) { missing in
            try table.calculate(missing.filter(days.contains), user)
        }
        return sums.reduce(into: [:]) { steps, sums in
            guard days.contains(sums.day) else { return }
            steps[sums.day] = .some(sums.completeness == .unknown ? nil : sums.gaits.steps)
        }
    }

    /// The same, and of a corrected day the steps that were entered by hand.
    func shown(_ days: Set<Day>) throws -> [Day: Int?] {
        guard let first = days.min(), let last = days.max() else { return [:] }
        var steps = try counted(days)
        let rows = try Row.fetchAll(
            database, sql: "SELECT day, steps FROM correction WHERE person = ? AND day BETWEEN ? AND ?",
            arguments: [user.id] + (first...last).texts)
        for row in rows {
            let day = try row.day(0), corrected: Int = try row.get(1)
            if days.contains(day) { steps[day] = .some(corrected) }
        }
        return steps
    }

    func changes(_ days: Set<Day>, before: [Day: Int?], after: [Day: Int?]) -> [DayChange] {
        days.sorted().compactMap { day in
            let (earlier, later) = (before[day] ?? nil, after[day] ?? nil)
            return earlier == later ? nil : DayChange(day: day, before: earlier, after: later)
        }
    }

    /// Days have other steps: destinations are to be told.
    func note(_ days: Set<Day>) throws {
        try noteChange(of: days, person: user.id, isCounted: true, database)
    }

    /// Of these days the pedometers know nothing any more.
    func forget(_ days: some Sequence<Day>) throws {
        for day in days {
            try database.cachedStatement(sql: "UPDATE changed_day SET counted = 0 WHERE person = ? AND day = ?")
                .execute(arguments: [user.id, day.description])
        }
        try DaySumTable(user.id, database).remove(
            before: StepDatabase.firstKnownDay(of: user.id, database) ?? Period.calendar.upperBound)
    }

    /// The same, of those of these days that no pedometer has counted.
    func forgetUnknown(of days: Set<Day>) throws {
        let counted = try counted(days)
        try forget(days.filter { (counted[$0] ?? nil) == nil })
    }

    /// Notes days as deleted.
    ///
    /// - Parameter isClosed: whether syncs and imports leave them out. A day that is closed stays so.
    func markDeleted(_ days: some Sequence<Day>, isClosed: Bool, at moment: Timestamp) throws {
        let mark = try database.cachedStatement(
            sql: """
                INSERT INTO deleted_day VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET closed = max(closed, excluded.closed), at = excluded.at
                """)
        for day in days { try mark.execute(arguments: [user.id, day.description, isClosed, moment.seconds]) }
    }

    /// Of these days nothing is known any more, although none was deleted: a destination that has one gets 0 steps in
    /// its place, as for a day that was deleted.
    ///
    /// - Returns: the destinations that have, or may have, any of them.
    func markUnknown(_ changes: [DayChange], at moment: Timestamp) throws -> [DeletionLosses.Shared] {
        let unknown = changes.filter { $0.before != nil && $0.after == nil }.map(\.day)
        if unknown.isEmpty { return [] }
        try markDeleted(unknown, isClosed: false, at: moment)
        return try shared(unknown)
    }

    /// The destinations that have, or may have, any of these days.
    func shared(_ days: some Sequence<Day>) throws -> [DeletionLosses.Shared] {
        let known = try database.cachedStatement(
            sql: """
                SELECT destination FROM share WHERE person = ? AND day = ?
                AND (confirmed IS NOT NULL OR repetition > 0 OR state IN ('sending', 'unknown'))
                """)
        var counts: [String: Int] = [:]
        for day in days {
            for name in try String.fetchAll(known, arguments: [user.id, day.description]) {
                counts[name, default: 0] += 1
            }
        }
        return counts.sorted { $0.key < $1.key }.map { .init(destination: $0.key, days: $0.value) }
    }
}
