import GRDB
import StepDomain

/// Moves all that is known of days from one user to another, in the caller's transaction: it is copied, and deleted as
/// `DayDeletion` does it.
struct DayMove {
    let database: Database
    let from: User
    let to: User
    let days: ClosedRange<Day>
    let now: Timestamp

    func run() throws -> MoveEffect {
        let known = try StepsOfDays(database: database, user: from).known(in: days)
        let sides = try BothSides(database, from: from, to: to, known)
        try sides.reopen(database)
        for pedometer in try Int64.fetchAll(
            database, sql: "SELECT id FROM pedometer WHERE person = ? ORDER BY id", arguments: [from.id])
        {
            let readings = ReadingsCopy(database: database, days: days)
            if try readings.hasAny(of: pedometer) {
                try readings.copy(pedometer, to: try ReadingsCopy.row(of: pedometer, for: to.id, database))
            }
        }
        let moved = try copyCorrections()
        try sides.to.note(StepDatabase.copyExclusions(on: days, from: from.id, to: to.id, database))
        let losses = try DayDeletion(database: database, user: from, days: days, now: now).run()
        try sides.to.note(known)
        var effect = try sides.effect()
        effect.corrections = moved
        effect.lostCorrections = losses.corrections - moved
        return effect
    }

    private func copyCorrections() throws -> Int {
        try database.execute(
            sql: """
                INSERT INTO correction (person, day, steps, entered_at, reason)
                SELECT ?, day, steps, entered_at, reason FROM correction WHERE person = ? AND day BETWEEN ? AND ?
                ON CONFLICT DO NOTHING
                """,
            arguments: [to.id, from.id] + days.texts)
        return database.changesCount
    }
}

/// Copies what a pedometer has counted on days to a row of another user.
struct ReadingsCopy {
    let database: Database
    let days: ClosedRange<Day>

    func hasAny(of pedometer: Pedometer.ID) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sample WHERE \(StepSample.isOnDays))
                    OR EXISTS (SELECT 1 FROM implausible_sample WHERE \(StepSample.isOnDays))
                    OR EXISTS (SELECT 1 FROM coverage WHERE pedometer = ?1 AND until + utc_offset > ?2
                        AND start + utc_offset <= ?3)
                """, arguments: [pedometer, days.startSecond, days.endSecond - 1]) ?? false
    }

    /// The row of a user for a pedometer, added if there is none: out of use, with the clock and the cursor of the
    /// other, because whoever adds the pedometer again goes on there. A source of imports has no file of its own there.
    static func row(of pedometer: Pedometer.ID, for user: User.ID, _ database: Database) throws -> Pedometer.ID {
        let address = """
            iif(\(Pedometer.isImported) AND address NOT LIKE 'IMPORT-T%', printf('IMPORT-T%09X', id), address)
            """
        let known = try Int64.fetchOne(
            database,
            sql:
                "SELECT id FROM pedometer WHERE person = ? AND address = (SELECT \(address) FROM pedometer WHERE id = ?)",
            arguments: [user, pedometer])
        if let known { return known }
        try database.execute(
            sql: """
                INSERT INTO pedometer
                    (person, model, address, address_type, name, name_key, options, clock, cursor, forgotten, counts_from)
                SELECT ?, model, \(address), address_type, name, name_key, options, clock, cursor, 1, counts_from
                FROM pedometer WHERE id = ?
                """, arguments: [user, pedometer])
        return database.lastInsertedRowID
    }

    func copy(_ pedometer: Pedometer.ID, to target: Pedometer.ID) throws {
        let local: StatementArguments = [pedometer, days.startSecond, days.endSecond - 1]
        try copySamples(of: pedometer, to: target)
        var changed = ChangedDays()
        let merge = CoverageMerge(database, pedometer: target)
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT start, until, utc_offset FROM coverage
                WHERE pedometer = ?1 AND until + utc_offset > ?2 AND start + utc_offset <= ?3
                """, arguments: local)
        {
            let offset: Int = try row.get(2), start = try row.time(0), until = try row.time(1)
            let part = TimeSpan(
                max(start, Timestamp(days.startSecond - offset)), min(until, Timestamp(days.endSecond - offset)))
            if !part.isEmpty { try merge.merge(CoveredSpan(part, utcOffset: offset), &changed) }
        }
        try database.execute(
            sql: """
                INSERT INTO device_total SELECT ?, day, at, total, slots FROM device_total
                WHERE pedometer = ? AND day BETWEEN ? AND ? ON CONFLICT DO NOTHING
                """,
            arguments: [target, pedometer] + days.texts)
    }

    /// Samples name a sync of their own pedometer: each is copied with the counts of what is copied of it. Of two slots
    /// that begin at the same moment, the one with more steps stays.
    private func copySamples(of pedometer: Pedometer.ID, to target: Pedometer.ID) throws {
        let syncs = try Row.fetchAll(
            database,
            sql: """
                SELECT sync, sum(counted), sum(steps) FROM (
                    SELECT sync, 1 AS counted, steps FROM sample WHERE \(StepSample.isOnDays)
                    UNION ALL SELECT sync, 0, 0 FROM implausible_sample WHERE \(StepSample.isOnDays)
                ) GROUP BY sync ORDER BY sync
                """, arguments: [pedometer, days.startSecond, days.endSecond - 1])
        // Of years there are thousands: one statement for the samples of all.
        try database.execute(sql: "CREATE TEMP TABLE copied_sync (original INTEGER PRIMARY KEY, copy INTEGER NOT NULL)")
        for row in syncs {
            let sync: SyncRecord.ID = try row.get(0)
            try database.cachedStatement(
                sql: """
                    INSERT INTO sync (pedometer, started_at, ended_at, outcome, failure, cause, added, steps)
                    SELECT ?, started_at, ended_at, outcome, failure, cause, ?, ? FROM sync WHERE id = ?
                    """
            ).execute(arguments: [target, try row.get(1) as Int, try row.get(2) as Int, sync])
            try database.cachedStatement(sql: "INSERT INTO temp.copied_sync VALUES (?, ?)")
                .execute(arguments: [sync, database.lastInsertedRowID])
        }
        for table in ["sample", "implausible_sample"] {
            try database.execute(
                sql: """
                    INSERT INTO \(table)
                    SELECT ?4, start, length, steps, distance, energy, utc_offset, copy
                    FROM \(table) JOIN temp.copied_sync ON original = sync WHERE \(StepSample.isOnDays)
                    ON CONFLICT DO UPDATE SET length = excluded.length, steps = excluded.steps,
                        distance = excluded.distance, energy = excluded.energy, utc_offset = excluded.utc_offset,
                        sync = excluded.sync
                    WHERE excluded.steps > steps
                    """, arguments: [pedometer, days.startSecond, days.endSecond - 1, target])
        }
        try database.execute(sql: "DROP TABLE temp.copied_sync")
    }
}
