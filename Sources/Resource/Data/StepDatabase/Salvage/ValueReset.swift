import GRDB
import StepDomain

/// Replaces values of a row that cannot be correct, if the row is worth more than the value: an unreadable cursor costs
/// one more complete reading of the pedometer, its row costs the steps of years.
struct ValueReset {
    private let shape: TableShape
    /// For each column, whether a value can be decoded; nil for columns without a rule.
    private let rules: [ColumnRule?]
    /// The columns that can be replaced, with what they become.
    private let replacements: [(column: Int, value: ([DatabaseValue]) -> DatabaseValue)]

    init(_ shape: TableShape) throws {
        self.shape = shape
        rules = shape.columns.map { column in ColumnRule.all.first { $0.table == shape.name && $0.column == column } }
        let positions = Dictionary(uniqueKeysWithValues: shape.columns.enumerated().map { ($1, $0) })
        replacements = try Self.neutral(shape.name).compactMap { column, value in
            positions[column].map { position in
                (position, { row in value({ name in positions[name].map { row[$0] } ?? .null }) })
            }
        }
    }

    /// Replaces what istep could not decode.
    ///
    /// - Returns: the changed columns; nil if the row cannot be used, because such a value cannot be replaced.
    func decodable(_ row: inout [DatabaseValue]) -> [Int]? {
        var changed: [Int] = []
        for (column, rule) in rules.enumerated() {
            guard let rule, !rule.accepts(row[column]) else { continue }
            guard let replacement = replacements.first(where: { $0.column == column }) else { return nil }
            row[column] = replacement.value(row)
            changed.append(column)
        }
        return changed
    }

    /// Versions of a row that the schema does not accept: with one value replaced, then with two.
    func attempts(_ row: [DatabaseValue]) -> some Sequence<(row: [DatabaseValue], changed: [Int])> {
        let singles = replacements.indices.map { [$0] }
        let pairs = replacements.indices.flatMap { first in
            replacements.indices.filter { $0 > first }.map { [first, $0] }
        }
        return (singles + pairs).lazy.map { chosen in
            var changed = row
            for index in chosen { changed[replacements[index].column] = replacements[index].value(row) }
            return (changed, chosen.map { replacements[$0].column })
        }
    }

    /// By column, what takes the place of a value that is lost. It may depend on the other columns of the row. Keys are
    /// not in it, nor the figures that a row is about: steps, goals and totals are not invented.
    private static func neutral(
        _ table: String
    ) throws -> [(column: String, value: (_ other: (String) -> DatabaseValue) -> DatabaseValue)] {
        func constant(_ columns: [String], _ value: DatabaseValue) -> [(
            String, ((String) -> DatabaseValue) -> DatabaseValue
        )] {
            columns.map { ($0, { _ in value }) }
        }
        let zero = 0.databaseValue
        switch table {
        case "person": return [("name", name("user")), ("name_key", key("user"))]
        case "profile":
            return constant(["height", "weight", "birth_date", "step_length", "running_step_length"], .null)
                + constant(["sex"], Sex.unspecified.rawValue.databaseValue)
        case "pedometer":
            return constant(["options"], "{}".databaseValue) + constant(["clock"], try json(ClockState()).databaseValue)
                + constant(["cursor"], try json(PedometerCursor()).databaseValue)
                + [("name", name("pedometer")), ("name_key", key("pedometer"))]
                + constant(["model"], "unknown".databaseValue) + constant(["address_type"], "public".databaseValue)
                + constant(["forgotten"], 1.databaseValue) + constant(["counts_from"], .null)
        case "sync":
            return constant(["battery", "failure"], .null) + constant(["cause"], "other".databaseValue)
                + constant(["outcome"], "failed".databaseValue) + [
                    ("ended_at", { $0("started_at") }), ("started_at", { $0("ended_at") }),
                ]
                + constant(["added", "grown", "unchanged", "implausible", "steps", "frames"], zero)
        case "frame": return constant(["direction"], "received".databaseValue) + constant(["at"], zero)
        case "sample": return constant(["distance", "energy"], .null)
        case "correction", "excluded_time", "import_correction", "import_exclusion":
            return constant(["reason"], .null) + constant(["entered_at"], zero)
        case "changed_day": return constant(["revision", "counted"], 1.databaseValue)
        case "share":
            return constant(
                ["fingerprint", "confirmed", "first_attempt", "next_attempt", "last_error", "cause", "remote_id"], .null
            )
                + constant(["state"], "unknown".databaseValue)
                + constant(["asked", "attempts", "changed_at", "stale", "repetition"], zero)
        case "destination":
            return constant(["first_day", "not_before", "stopped", "last_error"], .null)
                + constant(["failures", "layout"], zero)
        case "notice":
            return constant(["seen_at", "notified_at", "person"], .null) + constant(["since", "kept_at"], zero)
                + [("ended_at", { $0("since") })]
        case "scheduled_import":
            return constant(["file", "size", "modified", "read_at", "settings", "failure", "damaged"], .null)
                + constant(["tried_at"], zero)
        case "deleted_day": return constant(["at"], zero) + constant(["closed"], 1.databaseValue)
        case "device_total": return constant(["at"], zero)
        case "import_number": return constant(["last"], zero)
        case "import": return constant(["at"], zero) + constant(["first_day", "last_day"], .null)
        case "import_track": return constant(["until"], zero)
        default: return []
        }
    }

    private static func name(_ kind: String) -> ((String) -> DatabaseValue) -> DatabaseValue {
        { other in
            String.fromDatabaseValue(other("name_key"))?.databaseValue ?? "\(kind) \(number(other))".databaseValue
        }
    }

    private static func key(_ kind: String) -> ((String) -> DatabaseValue) -> DatabaseValue {
        { other in "\(kind) \(number(other))".databaseValue }
    }

    private static func number(_ other: (String) -> DatabaseValue) -> Int64 {
        Int64.fromDatabaseValue(other("id")) ?? 0
    }
}
