import GRDB
import StepDomain

/// Deletes a user with all that belongs to the user, in the caller's transaction.
struct UserDeletion {
    let database: Database
    let user: User
    let now: Timestamp

    func run() throws -> DeletionLosses {
        let steps = StepsOfDays(database: database, user: user)
        let known = try steps.known(in: Period.calendar)
        var losses = DeletionLosses(
            days: steps.changes(known, before: try steps.shown(known), after: [:]),
            shared: try Row.fetchAll(
                database,
                sql: """
                    SELECT destination, count(*) FROM share
                    WHERE person = ? AND (confirmed IS NOT NULL OR state IN ('sending', 'unknown'))
                    GROUP BY destination ORDER BY destination
                    """, arguments: [user.id]
            ).map { .init(destination: try $0.get(0), days: try $0.get(1)) })
        losses.corrections = try count("correction")
        losses.exclusions = try count("excluded_time")
        losses.plans = try count("plan")
        losses.profiles = try count("profile")
        let sources = SourceDeletion(database: database, user: user, now: now)
        for row in try Row.fetchAll(
            database, sql: "SELECT id, name FROM pedometer WHERE person = ? ORDER BY forgotten, name_key",
            arguments: [user.id])
        {
            losses.pedometers.append(try row.get(1))
            losses.imports += try sources.delete(try row.get(0)).imports
        }
        for id in try Int64.fetchAll(
            database, sql: "SELECT id FROM import WHERE person = ?", arguments: [user.id])
        {
            try ImportDecisions.forget(id, database)
        }
        for table in Self.tables {
            try database.execute(sql: "DELETE FROM \(table) WHERE person = ?", arguments: [user.id])
        }
        try database.execute(
            sql: "DELETE FROM notice WHERE subject = ?", arguments: [Notice.Subject.user(user.id).description])
        try database.execute(sql: "DELETE FROM person WHERE id = ?", arguments: [user.id])
        return losses
    }

    /// What belongs to a user without a pedometer.
    static let tables = [
        "profile", "plan", "correction", "excluded_time", "deleted_day", "share", "share_watermark", "changed_day",
        "day_sum", "notice", "import",
    ]

    private func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table) WHERE person = ?", arguments: [user.id]) ?? 0
    }
}
