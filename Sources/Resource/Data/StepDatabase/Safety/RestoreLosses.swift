import GRDB
import StepDomain

extension StepDatabase {
    /// What a history has and a backup does not have. Nothing is written to either.
    ///
    /// - Parameter backup: the path of a backup that was found sound (`contents(of:)`).
    /// - Throws: why one of them cannot be read; `damaged` of the history, because rows can be missing in a damaged
    ///   file without an error.
    static func losses(of path: String, restoring backup: String) throws(HistoryError) -> HistoryLosses {
        let path = try absolute(path)
        do {
            if let first = try check(path).allComplaints.first { throw HistoryError.damaged(path: path, reason: first) }
            let held = try reading(path) { try $0.read { try HeldRows($0) } }
            let kept = try reading(try absolute(backup, as: .backup)) { try $0.read { try HeldRows($0) } }
            return held.losses(comparedWith: kept)
        } catch {
            throw HistoryError(error, path: path)
        }
    }
}

/// The rows of a history that a user would miss: the columns that identify each, and its others. Users and pedometers
/// are identified by names and addresses, because their numbers can differ between two files.
private struct HeldRows {
    private typealias Values = [DatabaseValue]

    private let people, pedometers, days, corrections, excluded, plans, profiles: [Values: Values]

    init(_ database: Database) throws {
        func rows(identifiedBy columns: Int, _ sql: String) throws -> [Values: Values] {
            var rows: [Values: Values] = [:]
            let cursor = try Row.fetchCursor(database, sql: sql)
            while let row = try cursor.next() {
                let values = Array(row.databaseValues)
                rows[Array(values.prefix(columns))] = Array(values.dropFirst(columns))
            }
            return rows
        }
        func rowsOfPeople(_ columns: String, in table: String) throws -> [Values: Values] {
            try rows(
                identifiedBy: 2, "SELECT name_key, \(columns) FROM \(table) JOIN person ON person.id = \(table).person")
        }
        people = try rows(identifiedBy: 1, "SELECT name_key, name FROM person")
        pedometers = try rows(
            identifiedBy: 2,
            "SELECT person.name_key, address, pedometer.name FROM pedometer JOIN person ON person.id = pedometer.person"
        )
        // A day is added and taken away so that the division rounds down before 1970, too.
        days = try rows(
            identifiedBy: 3,
            """
            SELECT person.name_key, address, (start + utc_offset + 86400) / 86400 - 1 AS number, count(*), sum(steps)
            FROM sample JOIN pedometer ON pedometer.id = sample.pedometer JOIN person ON person.id = pedometer.person
            GROUP BY pedometer.id, number
            """)
        corrections = try rowsOfPeople("day, steps", in: "correction")
        // Versions before 11 have no such table.
        let hasExcluded = try Schema.current.ownTables(in: database).contains("excluded_time")
        excluded =
            hasExcluded
            ? try rows(
                identifiedBy: 3,
                """
                SELECT name_key, date(start + utc_offset, 'unixepoch'), start, until
                FROM excluded_time JOIN person ON person.id = person
                """) : [:]
        plans = try rowsOfPeople(
            "valid_from, monday, tuesday, wednesday, thursday, friday, saturday, sunday", in: "plan")
        // Neither of the two is migrated.
        let hasRunningSteps = try database.columns(in: "profile").contains { $0.name == "running_step_length" }
        profiles = try rowsOfPeople(
            "valid_from, height, weight, sex, birth_date, step_length, "
                + (hasRunningSteps ? "running_step_length" : "NULL"), in: "profile")
    }

    func losses(comparedWith backup: HeldRows) -> HistoryLosses {
        func lost(_ rows: (HeldRows) -> [Values: Values], unless isKept: (Values, Values) -> Bool) -> [Values: Values] {
            let kept = rows(backup)
            return rows(self).filter { row in !(kept[row.key].map { isKept(row.value, $0) } ?? false) }
        }
        func names(_ rows: [Values: Values]) -> [String] {
            rows.values.compactMap { String.fromDatabaseValue($0[0]) }.sorted()
        }
        let lostDays = lost(
            { $0.days }, unless: { held, kept in zip(held, kept).allSatisfy { Self.number($0) <= Self.number($1) } })
        return HistoryLosses(
            people: names(lost({ $0.people }, unless: { _, _ in true })),
            // Also one that has another name in the backup.
            pedometers: names(lost({ $0.pedometers }, unless: ==)),
            days: Set(lostDays.keys.map { Self.number($0[2]) }).sorted().map { Day(daysSince1970: $0) },
            // Time that was excluded is a correction, too.
            corrections: Set(
                (Array(lost({ $0.corrections }, unless: ==).keys) + lost({ $0.excluded }, unless: ==).keys).compactMap {
                    String.fromDatabaseValue($0[1]).flatMap { Day($0) }
                }
            ).sorted(),
            plans: lost({ $0.plans }, unless: ==).count, profiles: lost({ $0.profiles }, unless: ==).count)
    }

    private static func number(_ value: DatabaseValue) -> Int { Int.fromDatabaseValue(value) ?? 0 }
}
