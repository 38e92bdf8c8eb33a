import GRDB
public import StepDomain

/// Time whose steps do not count.
extension StepDatabase: HistoryEditing {
    public func exclude(_ exclusion: Exclusion, of user: User.ID, at moment: Timestamp) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            let replaced = try Self.cut(exclusion.span, of: user, database)
            try Self.insert(exclusion, of: user, at: moment.seconds, database)
            try Self.noteChanges(by: replaced + [exclusion], of: user, database)
        }
    }

    public func include(_ span: TimeSpan, of user: User.ID) throws(HistoryError) -> Bool {
        try write { database in
            let removed = try Self.cut(span, of: user, database)
            try Self.noteChanges(by: removed, of: user, database)
            return !removed.isEmpty
        }
    }

    /// By start; no two overlap.
    static func exclusions(of user: User.ID, _ database: Database) throws -> [Exclusion] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT start, until, utc_offset, reason FROM excluded_time WHERE person = ? ORDER BY start"),
            arguments: [user]
        ).map { row in
            Exclusion(TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2), reason: try row.get(3))
        }
    }

    /// Takes a span out of what is excluded.
    ///
    /// - Returns: what was excluded of it.
    private static func cut(_ span: TimeSpan, of user: User.ID, _ database: Database) throws -> [Exclusion] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT start, until, utc_offset, reason, entered_at FROM excluded_time
                WHERE person = ? AND start < ? AND until > ?
                """,
            arguments: [user, span.end.seconds, span.start.seconds]
        ).compactMap { row in
            var known = Exclusion(
                TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2), reason: try row.get(3))
            try database.execute(
                sql: "DELETE FROM excluded_time WHERE person = ? AND start = ?",
                arguments: [user, known.span.start.seconds])
            for rest in known.without(span) { try insert(rest, of: user, at: try row.get(4), database) }
            guard let removed = known.span.intersection(span) else { return nil }
            known.span = removed
            return known
        }
    }

    /// Takes days out of what is excluded, each block by its own offset.
    ///
    /// - Returns: the number of blocks that lay on the days.
    static func removeExclusions(on days: ClosedRange<Day>, of user: User.ID, _ database: Database) throws -> Int {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT start, until, utc_offset, reason, entered_at FROM excluded_time
                WHERE person = ? AND start + utc_offset < ? AND until + utc_offset > ?
                """,
            arguments: [user, days.endSecond, days.startSecond])
        for row in rows {
            let covered = CoveredSpan(TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2))
            try database.execute(
                sql: "DELETE FROM excluded_time WHERE person = ? AND start = ?",
                arguments: [user, covered.span.start.seconds])
            for rest in covered.without(days) {
                let kept = Exclusion(rest.span, utcOffset: rest.utcOffset, reason: try row.get(3))
                try insert(kept, of: user, at: try row.get(4), database)
            }
        }
        return rows.count
    }

    /// Copies what a user has excluded of days to another user. What that one has excluded of the same time is
    /// replaced.
    ///
    /// - Returns: the days of the other user from which they take steps.
    static func copyExclusions(
        on days: ClosedRange<Day>, from user: User.ID, to other: User.ID, _ database: Database
    ) throws -> Set<Day> {
        var changed: Set<Day> = []
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT start, until, utc_offset, reason, entered_at FROM excluded_time
                WHERE person = ? AND start + utc_offset < ? AND until + utc_offset > ?
                """,
            arguments: [user, days.endSecond, days.startSecond])
        for row in rows {
            let offset: Int = try row.get(2), start = try row.time(0), until = try row.time(1)
            let span = TimeSpan(
                max(start, Timestamp(days.startSecond - offset)), min(until, Timestamp(days.endSecond - offset)))
            _ = try cut(span, of: other, database)
            let copy = Exclusion(span, utcOffset: offset, reason: try row.get(3))
            try insert(copy, of: other, at: try row.get(4), database)
            changed.formUnion(try Self.days(changedBy: copy, of: other, database))
        }
        return changed
    }

    static func insert(
        _ exclusion: Exclusion, of user: User.ID, at moment: Int, _ database: Database
    ) throws {
        try database.execute(
            sql:
                "INSERT INTO excluded_time (person, start, until, utc_offset, entered_at, reason) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                user, exclusion.span.start.seconds, exclusion.span.end.seconds, exclusion.utcOffset, moment,
                exclusion.reason,
            ])
    }

    private static func noteChanges(by exclusions: [Exclusion], of user: User.ID, _ database: Database) throws {
        let changed = Set(try exclusions.flatMap { try Self.days(changedBy: $0, of: user, database) })
        try noteChange(of: changed, person: user, isCounted: true, database)
    }

    /// By day: those from which an exclusion takes steps (`Exclusion.takes`).
    static func days(changedBy exclusion: Exclusion, of user: User.ID, _ database: Database) throws -> [Day] {
        try Int.fetchAll(
            database,
            sql: """
                SELECT DISTINCT (start + utc_offset + 86400) / 86400 - 1 FROM pedometer JOIN sample ON pedometer = id
                WHERE person = ?1 AND start < ?2 AND start > ?3 - 86400 - 2 * ?5 AND start + length > ?3 AND steps > 0
                    AND (start + utc_offset + 86400) / 86400 >= min(?4 + 1, (?3 + utc_offset + 86400) / 86400)
                """,
            arguments: [
                user, exclusion.span.end.seconds, exclusion.span.start.seconds, exclusion.day.daysSince1970,
                StepSample.maximumUTCOffset,
            ]
        ).sorted().map(Day.init(daysSince1970:))
    }
}
