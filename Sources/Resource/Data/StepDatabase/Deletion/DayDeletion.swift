import GRDB
import StepDomain

/// Deletes all that is known of days of a user, in the caller's transaction. Syncs and imports leave the days out from
/// then on.
struct DayDeletion {
    let database: Database
    let user: User
    let days: ClosedRange<Day>
    let now: Timestamp

    func run() throws -> DeletionLosses {
        let steps = StepsOfDays(database: database, user: user)
        let known = try steps.known(in: days)
        var losses = DeletionLosses(shared: try steps.shared(sharedDays()))
        let before = try steps.shown(known)
        losses.days = steps.changes(known, before: before, after: [:])
        for pedometer in try Int64.fetchAll(
            database, sql: "SELECT id FROM pedometer WHERE person = ? ORDER BY id", arguments: [user.id])
        {
            try deleteReadings(of: pedometer)
            try reduceCursor(of: pedometer)
        }
        let remains = ImportRemains(database: database)
        losses.imports = try remains.trim(to: days, of: user.id)
        losses.pedometers = try remains.removeEmptySources(of: user.id)
        try database.execute(
            sql: "DELETE FROM correction WHERE person = ? AND day BETWEEN ? AND ?",
            arguments: [user.id] + days.texts)
        losses.corrections = database.changesCount
        losses.exclusions = try StepDatabase.removeExclusions(on: days, of: user.id, database)
        try deleteShares()
        try database.execute(
            sql: """
                DELETE FROM notice WHERE person = ? AND EXISTS (
                    SELECT 1 FROM json_tree(content) WHERE key = 'day' AND atom BETWEEN ? AND ?)
                """, arguments: [user.id] + days.texts)
        try steps.note(known.union(try sharedDays()))
        try steps.forget(days.clamped(to: Self.calendar))
        try steps.markDeleted(days.clamped(to: Self.calendar), isClosed: true, at: now)
        return losses
    }

    /// No pedometer has an earlier day.
    private static let calendar = Validity.beginning...Period.calendar.upperBound

    private func sharedDays() throws -> Set<Day> {
        Set(
            try String.fetchAll(
                database, sql: "SELECT DISTINCT day FROM share WHERE person = ? AND day BETWEEN ? AND ?",
                arguments: [user.id] + days.texts
            ).map(Day.init(column:)))
    }

    // MARK: Readings

    private func deleteReadings(of pedometer: Pedometer.ID) throws {
        // ?1 the pedometer, ?2 the first local second, ?3 the last one
        let local: StatementArguments = [pedometer, days.startSecond, days.endSecond - 1]
        let syncs = try Int64.fetchAll(
            database, sql: "SELECT DISTINCT sync FROM sample WHERE \(StepSample.isOnDays)", arguments: local)
        try database.execute(sql: "DELETE FROM sample WHERE \(StepSample.isOnDays)", arguments: local)
        // Their offsets are as they were received.
        try database.execute(
            sql: "DELETE FROM implausible_sample WHERE pedometer = ?1 AND start + utc_offset BETWEEN ?2 AND ?3",
            arguments: local)
        try database.execute(
            sql: "DELETE FROM device_total WHERE pedometer = ? AND day BETWEEN ? AND ?",
            arguments: [pedometer] + days.texts)
        try cutCoverage(of: pedometer)
        try reduceCounts(of: pedometer, syncs)
        // A sync that ended before cannot have these days.
        try database.execute(
            sql:
                "DELETE FROM frame WHERE sync IN (SELECT id FROM sync WHERE pedometer = ? AND ifnull(ended_at, ?) >= ?)",
            arguments: [pedometer, Int.max, days.startSecond - StepSample.maximumUTCOffset])
    }

    private func cutCoverage(of pedometer: Pedometer.ID) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT start, until, utc_offset FROM coverage
                WHERE pedometer = ? AND until + utc_offset > ? AND start + utc_offset < ?
                """,
            arguments: [pedometer, days.startSecond, days.endSecond])
        for row in rows {
            let covered = CoveredSpan(TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2))
            try database.execute(
                sql: "DELETE FROM coverage WHERE pedometer = ? AND start = ?",
                arguments: [pedometer, covered.span.start.seconds])
            for rest in covered.without(days) {
                try database.execute(
                    sql: "INSERT INTO coverage VALUES (?, ?, ?, ?)",
                    arguments: [pedometer, rest.span.start.seconds, rest.span.end.seconds, rest.utcOffset])
            }
        }
    }

    /// The counts of syncs would show the steps: they become those of what is left of them. So do those of syncs that
    /// began on these days, because a later sync may have taken over their slots.
    private func reduceCounts(of pedometer: Pedometer.ID, _ syncs: [SyncRecord.ID]) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id FROM sync WHERE pedometer = ?1 AND (started_at BETWEEN ?2 AND ?3
                    OR id IN (SELECT value FROM json_each(?4)))
                """,
            arguments: [
                pedometer, days.startSecond - StepSample.maximumUTCOffset, days.endSecond + StepSample.maximumUTCOffset,
                "[\(syncs.map(String.init).joined(separator: ","))]",
            ])
        if rows.isEmpty { return }
        var left: [Int64: (slots: Int, steps: Int)] = [:]
        for row in try Row.fetchAll(
            database, sql: "SELECT sync, count(*), sum(steps) FROM sample WHERE pedometer = ? GROUP BY sync",
            arguments: [pedometer])
        {
            left[try row.get(0)] = (try row.get(1), try row.get(2))
        }
        for row in rows {
            let id: Int64 = try row.get(0), rest = left[id] ?? (0, 0)
            try database.execute(
                sql: """
                    UPDATE sync SET added = min(added, ?2), grown = min(grown, ?2), unchanged = min(unchanged, ?2),
                        steps = min(steps, ?3) WHERE id = ?1
                    """,
                arguments: [id, rest.slots, rest.steps])
        }
    }

    /// The cursor of a pedometer has counts of its last days, which the next reading compares with its own.
    private func reduceCursor(of pedometer: Pedometer.ID) throws {
        guard
            let text = try String.fetchOne(
                database, sql: "SELECT cursor FROM pedometer WHERE id = ?", arguments: [pedometer]),
            var cursor: PedometerCursor = try? value(text)
        else { return }
        let before = cursor
        cursor.remove(days)
        if cursor == before { return }
        try database.execute(
            sql: "UPDATE pedometer SET cursor = ? WHERE id = ?", arguments: [try json(cursor), pedometer])
    }

    /// Days that no destination can have are taken out of the outbox.
    private func deleteShares() throws {
        try database.execute(
            sql: """
                DELETE FROM share WHERE person = ? AND day BETWEEN ? AND ?
                AND confirmed IS NULL AND remote_id IS NULL AND repetition = 0 AND state IN ('pending', 'rejected')
                """,
            arguments: [user.id] + days.texts)
    }
}
