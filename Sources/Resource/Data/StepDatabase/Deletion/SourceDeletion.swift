import GRDB
import StepDomain

/// Deletes a pedometer or a source of imports with all that it has counted, in the caller's transaction.
struct SourceDeletion {
    let database: Database
    let user: User
    let now: Timestamp

    func run(_ pedometer: Pedometer.ID) throws -> DeletionLosses {
        let steps = StepsOfDays(database: database, user: user)
        let days = try Self.days(of: pedometer, database).union(
            ImportRemains(database: database).imports(onlyOf: pedometer).flatMap(decisions.days(of:)))
        let before = try steps.shown(days)
        let name =
            try String.fetchOne(database, sql: "SELECT name FROM pedometer WHERE id = ?", arguments: [pedometer]) ?? ""
        var losses = try delete(pedometer)
        losses.pedometers = [name]
        losses.days = steps.changes(days, before: before, after: try steps.shown(days))
        try steps.note(days)
        try steps.forgetUnknown(of: days)
        losses.shared = try steps.markUnknown(losses.days, at: now)
        return losses
    }

    private var decisions: ImportDecisions { ImportDecisions(database: database, user: user.id) }

    /// - Returns: imports of which nothing is left, and what they had brought beside steps.
    func delete(_ pedometer: Pedometer.ID) throws -> DeletionLosses {
        try keepFromOthers(pedometer)
        let remains = ImportRemains(database: database)
        var losses = DeletionLosses()
        for id in try remains.imports(onlyOf: pedometer) {
            let taken = try decisions.remove(id)
            losses.corrections += taken.corrections
            losses.exclusions += taken.exclusions
        }
        losses.imports = try remains.remove(pedometer)
        try Self.deleteRows(of: pedometer, database)
        return losses
    }

    /// The days on which it has counted, or accounted for time.
    static func days(of pedometer: Pedometer.ID, _ database: Database) throws -> Set<Day> {
        var changed = ChangedDays()
        for day in try Int.fetchAll(
            database,
            sql: "SELECT DISTINCT (start + utc_offset + 86400) / 86400 - 1 FROM sample WHERE pedometer = ?",
            arguments: [pedometer])
        {
            changed.insert(Day(daysSince1970: day))
        }
        for row in try Row.fetchAll(
            database, sql: "SELECT start, until, utc_offset FROM coverage WHERE pedometer = ?", arguments: [pedometer])
        {
            changed.insert(TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2), neighbours: [])
        }
        return changed.days
    }

    /// The pedometer may still hold what it counted for this user, and be another user's now: a sync must not give
    /// these steps to the other one. Days that the other user has given to this one say nothing about the days before
    /// them (`PreviousOwner`).
    private func keepFromOthers(_ pedometer: Pedometer.ID) throws {
        let given = "SELECT day FROM deleted_day WHERE person = pedometer.person"
        try database.execute(
            sql: """
                UPDATE pedometer SET counts_from = max(ifnull(counts_from, 0), (
                    -- The last second of the calendar: a clock can have shown any time.
                    SELECT min(max(ifnull(gone.counts_from, 0), \(PreviousOwner.end(of: "gone", exceptDays: given))), \(Timestamp.last.seconds))
                    FROM pedometer AS gone WHERE gone.id = ?1))
                WHERE address = (SELECT address FROM pedometer WHERE id = ?1) AND id <> ?1
                """, arguments: [pedometer])
    }

    /// Its samples before itself: their triggers need its owner.
    static func deleteRows(of pedometer: Pedometer.ID, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM frame WHERE sync IN (SELECT id FROM sync WHERE pedometer = ?)", arguments: [pedometer])
        for table in ["sample", "implausible_sample", "coverage", "device_total", "sync"] {
            try database.execute(sql: "DELETE FROM \(table) WHERE pedometer = ?", arguments: [pedometer])
        }
        try database.execute(
            sql: "DELETE FROM notice WHERE subject = ?",
            arguments: [Notice.Subject.pedometer(pedometer).description])
        try database.execute(sql: "DELETE FROM pedometer WHERE id = ?", arguments: [pedometer])
    }
}
