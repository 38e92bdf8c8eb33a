import GRDB
import StepDomain

/// Moves a pedometer or a source of imports with all that it has counted to another user, in the caller's transaction.
struct SourceMove {
    let database: Database
    let from: User
    let to: User
    let now: Timestamp

    func run(_ pedometer: Pedometer.ID) throws -> MoveEffect {
        let sides = try BothSides(
            database, from: from, to: to, try SourceDeletion.days(of: pedometer, database))
        try sides.reopen(database)
        let read = try end(ofReading: pedometer)
        let other = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM pedometer WHERE person = ? AND address = (SELECT address FROM pedometer WHERE id = ?)",
            arguments: [to.id, pedometer])
        if let other {
            try join(pedometer, to: other)
        } else {
            try moveImports(of: pedometer)
            // The next import of its file is again a source of the user who had it.
            try database.execute(
                sql: """
                    UPDATE pedometer SET person = ?, address =
                        iif(\(Pedometer.isImported) AND address NOT LIKE 'IMPORT-T%', printf('IMPORT-M%09X', id), address)
                    WHERE id = ?
                    """, arguments: [to.id, pedometer])
        }
        try keepDeleted(from: other ?? pedometer, until: read)
        try sides.from.note(sides.days)
        try sides.to.note(sides.days)
        try sides.from.forgetUnknown(of: sides.days)
        let effect = try sides.effect()
        try sides.from.markDeleted(effect.from.days.filter { $0.after == nil }.map(\.day), isClosed: false, at: now)
        return effect
    }

    /// The pedometer may still hold days that its user has deleted, or given to somebody else: those are not for the
    /// one who gets it.
    ///
    /// - Parameter moment: what comes after it was never read: it is not of a day that was deleted.
    private func keepDeleted(from pedometer: Pedometer.ID, until moment: Int) throws {
        // Everywhere on Earth a day has ended 14 hours after it has at Greenwich.
        let last = try String.fetchOne(
            database, sql: "SELECT max(day) FROM deleted_day WHERE person = ? AND closed", arguments: [from.id])
        guard let last = try last.map(Day.init(column:)) else { return }
        let end = min(moment, last.advanced(by: 1).daysSince1970 * 86_400 + StepSample.maximumUTCOffset)
        try database.execute(
            sql: """
                UPDATE pedometer SET counts_from = max(ifnull(counts_from, 0), ?)
                WHERE id = ? AND NOT \(Pedometer.isImported)
                """, arguments: [max(end, 0), pedometer])
    }

    /// How far a pedometer was read: by its cursor; without a mark there, until its last complete sync. An attempt that
    /// failed says nothing, and neither does what is stored, because days were deleted.
    private func end(ofReading pedometer: Pedometer.ID) throws -> Int {
        let text = try String.fetchOne(
            database, sql: "SELECT cursor FROM pedometer WHERE id = ?", arguments: [pedometer])
        let cursor = text.flatMap { try? value($0) as PedometerCursor }
        let complete = try Int.fetchOne(
            database, sql: "SELECT max(ended_at) FROM sync WHERE pedometer = ? AND outcome = 'complete'",
            arguments: [pedometer])
        return min(max(cursor?.readThrough?.seconds ?? complete ?? 0, 0), Timestamp.last.seconds)
    }

    /// The other user has had it before: its readings go to that row, which is in use if this one is.
    private func join(_ pedometer: Pedometer.ID, to other: Pedometer.ID) throws {
        let days = Validity.beginning...Period.calendar.upperBound
        try ReadingsCopy(database: database, days: days).copy(pedometer, to: other)
        let row = try Row.fetchOne(
            database,
            sql: "SELECT name, name_key, model, options, clock, cursor, forgotten FROM pedometer WHERE id = ?",
            arguments: [pedometer])
        // What it reported before was never this user's either.
        try database.execute(
            sql: """
                UPDATE pedometer SET counts_from = max(ifnull(pedometer.counts_from, 0), gone.counts_from)
                FROM pedometer AS gone
                WHERE gone.id = ? AND pedometer.id = ? AND gone.counts_from IS NOT NULL
                """, arguments: [pedometer, other])
        try SourceDeletion.deleteRows(of: pedometer, database)
        guard let row else { return }
        let values = Array(row.databaseValues)
        guard Int.fromDatabaseValue(values[6]) == 0 else { return }
        try database.execute(
            sql: """
                UPDATE pedometer SET name = ?, name_key = ?, model = ?, options = ?, clock = ?, cursor = ?, forgotten = ?
                WHERE id = ?
                """, arguments: StatementArguments(values + [other.databaseValue]))
    }

    /// An import belongs to the user of its sources: one that has others, too, is divided.
    private func moveImports(of source: Pedometer.ID) throws {
        let imports = try Int64.fetchAll(
            database, sql: "SELECT import FROM import_track WHERE pedometer = ? ORDER BY 1", arguments: [source])
        for id in imports {
            let isShared = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM import_track WHERE import = ? AND pedometer <> ?)",
                arguments: [id, source])
            guard isShared == true else {
                // What it has brought beside the steps stays with the user who has it.
                try ImportDecisions.forget(id, database)
                try database.execute(sql: "UPDATE import SET person = ? WHERE id = ?", arguments: [to.id, id])
                continue
            }
            try database.execute(
                sql: """
                    INSERT INTO import
                        (id, person, at, path, format, digest, zone, days, steps, first_day, last_day, changed_days)
                    SELECT ?, ?, at, path, format, digest, zone, days, steps, first_day, last_day, changed_days
                    FROM import WHERE id = ?
                    """, arguments: [try ImportNumbers(database: database).next(), to.id, id])
            let new = database.lastInsertedRowID
            try database.execute(
                sql: "UPDATE import_track SET import = ? WHERE import = ? AND pedometer = ?",
                arguments: [new, id, source])
            try database.execute(
                sql: """
                    UPDATE import_part SET import = ? WHERE import = ?
                    AND content IN (SELECT id FROM import_content WHERE pedometer = ?)
                    """, arguments: [new, id, source])
            _ = try ImportRemains(database: database).count([id, new])
        }
    }
}
