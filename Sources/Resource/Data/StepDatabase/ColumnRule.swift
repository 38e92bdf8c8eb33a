import GRDB
import StepDomain

/// What a column must hold beyond what its constraints say, so that istep can decode it. Damage can leave a value that
/// the schema accepts: one changed byte makes a cursor lack its start, or a 30th the 31st of February.
///
/// The checks of a history look for such values, and a repair replaces them, so that one does not make a whole history
/// unusable.
struct ColumnRule: Sendable {
    enum Kind: Sendable {
        /// Seconds since 1970.
        case time
        /// An ISO 8601 date.
        case day
        /// JSON of these types.
        case options, clock, cursor
    }

    let table: String
    let column: String
    let kind: Kind

    static let all: [ColumnRule] =
        times.flatMap { table, columns in columns.map { ColumnRule(table: table, column: $0, kind: .time) } }
        + days.flatMap { table, columns in columns.map { ColumnRule(table: table, column: $0, kind: .day) } }
        + [
            ColumnRule(table: "pedometer", column: "options", kind: .options),
            ColumnRule(table: "pedometer", column: "clock", kind: .clock),
            ColumnRule(table: "pedometer", column: "cursor", kind: .cursor),
        ]

    private static let times = [
        ("sync", ["started_at", "ended_at"]), ("frame", ["at"]), ("coverage", ["start", "until"]),
        ("correction", ["entered_at"]), ("excluded_time", ["entered_at"]),
        ("scheduled_import", ["read_at", "tried_at"]),
        ("share", ["first_attempt", "next_attempt", "changed_at"]), ("destination", ["not_before"]),
        ("notice", ["since", "kept_at", "seen_at", "notified_at", "ended_at"]), ("device_total", ["at"]),
        ("deleted_day", ["at"]),
    ]
    private static let days = [
        ("profile", ["valid_from", "birth_date"]), ("plan", ["valid_from"]), ("correction", ["day"]),
        ("changed_day", ["day"]),
        ("share", ["day"]), ("share_watermark", ["since"]), ("destination", ["first_day"]), ("device_total", ["day"]),
        ("deleted_day", ["day"]),
    ]

    /// Whether istep can decode a value. NULL and values of another type are left to the schema.
    func accepts(_ stored: DatabaseValue) -> Bool {
        switch (kind, stored.storage) {
        case (.time, .int64(let seconds)): Timestamp.stored.contains(Int(seconds))
        case (.day, .string(let text)): Day(text) != nil
        case (.options, .string(let text)): (try? value(text) as [String: String]) != nil
        case (.clock, .string(let text)): (try? value(text) as ClockState) != nil
        case (.cursor, .string(let text)): (try? value(text) as PedometerCursor) != nil
        default: true
        }
    }

    /// Whether a row of a history violates it.
    func isViolated(in database: Database) throws -> Bool {
        switch kind {
        case .time:
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(column) NOT BETWEEN ? AND ?)",
                arguments: [Timestamp.stored.lowerBound, Timestamp.stored.upperBound]) ?? false
        case .day, .options, .clock, .cursor:
            try !DatabaseValue.fetchAll(database, sql: "SELECT DISTINCT \(column) FROM \(table)").allSatisfy(accepts)
        }
    }
}
