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
        case options, clock, cursor, paths
    }

    let table: String
    let column: String
    let kind: Kind

    static let all: [ColumnRule] =
        StoredTable.all.flatMap(exported)
        + notExported.flatMap { table, columns in columns.map { ColumnRule(table: table, column: $0, kind: .time) } }
        + [
            ColumnRule(table: "pedometer", column: "options", kind: .options),
            ColumnRule(table: "pedometer", column: "clock", kind: .clock),
            ColumnRule(table: "pedometer", column: "cursor", kind: .cursor),
            ColumnRule(table: "scheduled_import", column: "damaged", kind: .paths),
        ]

    /// The times and days of a table that an export has.
    private static func exported(_ table: StoredTable) -> [ColumnRule] {
        zip(table.export.columns, table.columns).compactMap { column, stored in
            let kind: Kind? =
                switch column.kind {
                case .time: .time
                case .day: .day
                case .integer, .number, .text, .boolean: nil
                }
            guard let kind, let name = stored.insert else { return nil }
            return ColumnRule(table: table.name, column: name, kind: kind)
        }
    }

    /// Times of tables that no export has.
    private static let notExported = [
        ("frame", ["at"]), ("scheduled_import", ["read_at", "tried_at"]),
        ("notice", ["since", "kept_at", "seen_at", "notified_at", "ended_at"]),
    ]

    /// Whether istep can decode a value. NULL is left to the schema, and so are times and days of another type.
    func accepts(_ stored: DatabaseValue) -> Bool {
        switch (kind, stored.storage) {
        case (.time, .int64(let seconds)): Timestamp.stored.contains(Int(seconds))
        case (.day, .string(let text)): Day(text) != nil
        case (.options, .string(let text)): (try? value(text) as [String: String]) != nil
        case (.clock, .string(let text)): (try? value(text) as ClockState) != nil
        case (.cursor, .string(let text)): (try? value(text) as PedometerCursor) != nil
        case (.paths, .string(let text)): (try? value(text) as [String]) != nil
        case (_, .null), (.time, _), (.day, _): true
        // A number, which a column of text stores as a text that is valid JSON.
        case (.options, _), (.clock, _), (.cursor, _), (.paths, _): false
        }
    }

    /// Whether a row of a history violates it.
    func isViolated(in database: Database) throws -> Bool {
        switch kind {
        case .time:
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(column) NOT BETWEEN ? AND ?)",
                arguments: [Timestamp.stored.lowerBound, Timestamp.stored.upperBound]) ?? false
        case .day, .options, .clock, .cursor, .paths:
            try !DatabaseValue.fetchAll(database, sql: "SELECT DISTINCT \(column) FROM \(table)").allSatisfy(accepts)
        }
    }
}
