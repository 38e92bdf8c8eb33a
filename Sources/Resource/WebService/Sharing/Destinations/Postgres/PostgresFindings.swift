internal import StepDomain

/// What a difference between a database and the schema means, and what to do about it.
extension DestinationInspection.Finding {
    /// Of something that is missing, or that is not as expected.
    ///
    /// - Parameter known: as it is; nil if it is missing.
    static func of(_ key: PostgresFact.Key, _ fact: PostgresFact, _ known: PostgresFact?) -> [Self] {
        if key.kind == .grant { return rights(key, fact, known) }
        guard let known else {
            let text =
                key.kind == .security
                ? "row security of istep.\(key.object) is off: each machine can read and change the days of all"
                : "\(noun(key)) is missing"
            return [missing(text, repair(of: fact))]
        }
        switch key.kind {
        case .column:
            let text = "\(noun(key)) has the type \(known.definition), not \(fact.definition)"
            return [missing(text, nullity(key, fact.definition, known.definition).map(asOwner) ?? byHand)]
        case .table:
            let isUnlogged = known.definition.hasSuffix("unlogged")
            return [
                isUnlogged
                    ? missing(
                        "\(noun(key)) is unlogged: a crash of the server empties it",
                        asOwner("ALTER TABLE istep.\(key.object) SET LOGGED"))
                    : missing("\(noun(key)) is \(known.definition), not \(fact.definition)", byHand)
            ]
        case .constraint, .index:
            // The script makes only what is missing.
            let removal = known.removal ?? ""
            let advice =
                if case .statement(let statement) = fact.repair {
                    asOwner("\(removal); \(statement)")
                } else {
                    asOwner("\(removal). Then: istep postgres schema | psql --dbname DATABASE")
                }
            return [missing("\(noun(key)) was changed: it is \(known.definition), not \(fact.definition)", advice)]
        case .sequence: return [missing("\(noun(key)) was changed: it counts \(known.definition)", byHand)]
        case .view:
            return [
                missing(
                    "\(noun(key)) has the options \(known.definition)",
                    asOwner(
                        "DROP VIEW istep.\(key.object) CASCADE. Then: istep postgres schema | psql --dbname DATABASE"))
            ]
        default: return [missing("\(noun(key)) was changed", PostgresInspection.schemaAdvice)]
        }
    }

    /// Of something that the script does not make. What does no harm is not one.
    static func of(_ key: PostgresFact.Key, more fact: PostgresFact) -> [Self] {
        let removal = asOwner(fact.removal ?? "")
        func foreign(_ what: String) -> [Self] {
            [
                missing(
                    "istep.\(key.object) has the \(what) \(key.name), which is not of istep",
                    "If it should not be there, as the owner of the database: \(fact.removal ?? "")")
            ]
        }
        switch key.kind {
        case .policy: return foreign("policy")
        case .constraint: return foreign("constraint")
        case .trigger: return foreign("trigger")
        case .rule: return foreign("rule")
        case .index: return fact.definition.hasPrefix("UNIQUE") ? foreign("unique index") : []
        case .column: return fact.definition.hasSuffix(" NOT NULL") ? foreign("column") : []
        case .function: return [missing("there is a second function istep.\(key.object)(\(key.name))", removal)]
        case .grant:
            return [
                missing(
                    "the role \(key.name) has the right \(fact.definition) on \(key.object), which istep does not give it",
                    asOwner("REVOKE \(fact.definition) ON \(key.object) FROM \(fact.removal ?? key.name)"))
            ]
        case .detached:
            return [
                missing(
                    "the table istep.\(key.object) is not a partition of istep.sample: its samples do not count, and those of its month are refused",
                    removal)
            ]
        case .privileged:
            return [
                missing(
                    "the role \"\(key.object)\" is a machine and has \(key.name): it can read or change the days of all",
                    removal)
            ]
        case .owner:
            return [
                missing(
                    "the role \"\(key.name)\" is a machine and owns \(key.object): row security does not apply to it",
                    removal)
            ]
        case .role, .table, .sequence, .view, .security: return []
        }
    }

    private static func missing(_ text: String, _ advice: String) -> Self { Self(.schema, text, advice: advice) }

    /// For what neither the script nor one statement repairs.
    private static let byHand = "The table was changed by hand: undo that, or restore a backup of the database."

    private static func asOwner(_ statement: String) -> String { "As the owner of the database: \(statement)" }

    private static func repair(of fact: PostgresFact) -> String {
        switch fact.repair {
        case .script: PostgresInspection.schemaAdvice
        case .statement(let statement): asOwner(statement)
        case .backup: byHand
        }
    }

    private static func noun(_ key: PostgresFact.Key) -> String {
        switch key.kind {
        case .column, .constraint, .index, .policy: "the \(key.kind.rawValue) \(key.name) of istep.\(key.object)"
        case .security: "row security of istep.\(key.object)"
        case .role: "the role \(key.object)"
        default: "the \(key.kind.rawValue) istep.\(key.object)"
        }
    }

    /// The statement for a column whose type differs only by NOT NULL.
    private static func nullity(_ key: PostgresFact.Key, _ wanted: String, _ known: String) -> String? {
        let change = "ALTER TABLE istep.\(key.object) ALTER COLUMN \(key.name)"
        if known == wanted + " NOT NULL" { return "\(change) DROP NOT NULL" }
        if wanted == known + " NOT NULL" { return "\(change) SET NOT NULL" }
        return nil
    }

    /// Rights that a role lacks, and those that it has too many.
    private static func rights(_ key: PostgresFact.Key, _ fact: PostgresFact, _ known: PostgresFact?) -> [Self] {
        let wanted = list(fact.definition), found = list(known?.definition ?? "")
        let lacking = wanted.filter { !found.contains($0) }, more = found.filter { !wanted.contains($0) }
        var findings: [Self] = []
        if !lacking.isEmpty {
            let text = "the role \(key.name) has no right \(lacking.joined(separator: ", ")) on \(key.object)"
            findings.append(Self(.rights, text, advice: repair(of: fact)))
        }
        if !more.isEmpty, var excess = known {
            excess.definition = more.joined(separator: ", ")
            findings += of(key, more: excess)
        }
        return findings
    }

    private static func list(_ rights: String) -> [String] { rights.split(separator: ", ").map(String.init) }
}
