internal import Foundation

/// Something of istep in a database, with the same words whether they are read from the script of the schema or from
/// the server's catalog.
struct PostgresFact: Hashable {
    enum Kind: String, CaseIterable {
        case role, table, column, constraint, index, sequence, function, view, security, policy, grant
        // What the script never makes.
        case trigger, rule, detached, privileged, owner
    }

    /// What a fact is about; at most one fact each.
    struct Key: Hashable, Comparable {
        var kind: Kind
        /// A table, a view, a function, a role; what a right is of, as `GRANT` names it.
        var object: String
        /// Of a part of it: a column, the arguments of a function, the role that has a right.
        var name = ""

        /// What it is by itself, as `GRANT` names it; nil of a part or a right of something.
        var thing: String? {
            switch kind {
            case .table, .view: "istep.\(object)"
            case .sequence: "SEQUENCE istep.\(object)"
            case .function: "FUNCTION istep.\(object)(\(name))"
            default: nil
            }
        }

        /// What it is a part or a right of.
        var owner: String { kind == .grant ? object : "istep.\(object)" }

        static func < (one: Key, other: Key) -> Bool {
            func order(_ key: Key) -> Int { Kind.allCases.firstIndex(of: key.kind) ?? 0 }
            return (order(one), one.object, one.name) < (order(other), other.object, other.name)
        }
    }

    /// What makes an expected fact true again.
    enum Repair: Hashable {
        case script
        case statement(String)
        /// Values that are lost, too.
        case backup
    }

    /// How it is: a type, the columns of an index, the text of a function, rights between commas.
    var definition: String
    var repair = Repair.script
    /// The statement that removes what was found.
    var removal: String?
}

/// What a database has after the script of a schema, read from the script itself: so there is one list of it.
struct PostgresExpected {
    static let current = PostgresExpected(PostgresSchema.script)

    private(set) var facts: [PostgresFact.Key: PostgresFact] = [:]

    init(_ script: String) {
        for table in script.matches(
            of: /CREATE TABLE IF NOT EXISTS istep\.(\w+) \(\n((?s).*?)\)( PARTITION BY [^;]*)?;/)
        {
            add(.table, "\(table.1)", "", table.3 == nil ? "plain" : "partitioned")
            for line in table.2.split(separator: "\n") { addPart(of: "\(table.1)", line) }
        }
        for change in script.matches(of: /ALTER TABLE istep\.(\w+) (ADD COLUMN [^;]*);/) {
            for column in change.2.matches(of: /ADD COLUMN IF NOT EXISTS (\w+) (double precision|[a-z]+(?:\[\])?)/) {
                add(.column, "\(change.1)", "\(column.1)", Self.type(column.2))
            }
        }
        for constraint in script.matches(of: /ALTER TABLE istep\.(\w+) DROP CONSTRAINT IF EXISTS possible/) {
            add(.constraint, "\(constraint.1)", "possible", "CHECK")
        }
        for index in script.matches(of: /CREATE INDEX IF NOT EXISTS (\w+) ON istep\.(\w+) ([^;]*);/) {
            add(.index, "\(index.2)", "\(index.1)", "btree \(index.3)")
        }
        for sequence in script.matches(of: /CREATE SEQUENCE IF NOT EXISTS istep\.(\w+);/) {
            add(.sequence, "\(sequence.1)", "", "bigint, by 1")
        }
        for view in script.matches(of: /CREATE OR REPLACE VIEW istep\.(\w+)/) { add(.view, "\(view.1)", "", "") }
        for table in script.matches(of: /ALTER TABLE istep\.(\w+) ENABLE ROW LEVEL SECURITY/) {
            add(.security, "\(table.1)", "", "")
        }
        for role in script.matches(of: /THEN CREATE ROLE (\w+);/) { add(.role, "\(role.1)", "", "") }
        for policy in script.matches(
            of: /CREATE POLICY (\w+) ON istep\.(\w+)(?: FOR (\w+))? TO (\w+)\s+USING \(([^;]*)\);/)
        {
            add(
                .policy, "\(policy.2)", "\(policy.1)",
                Self.condition("\(policy.3 ?? "ALL") TO \(policy.4) USING \(policy.5)"))
        }
        addFunctions(script)
        addGrants(script)
    }

    private mutating func add(
        _ kind: PostgresFact.Kind, _ object: String, _ name: String, _ definition: String,
        _ repair: PostgresFact.Repair = .script
    ) {
        facts[.init(kind: kind, object: object, name: name)] = PostgresFact(definition: definition, repair: repair)
    }

    /// A line between the parentheses of `CREATE TABLE`.
    private mutating func addPart(of table: String, _ line: Substring) {
        func addConstraint(_ name: String, _ definition: String, shown: String? = nil) {
            add(
                .constraint, table, "\(table)_\(name)", shown ?? definition,
                .statement("ALTER TABLE istep.\(table) ADD CONSTRAINT \(table)_\(name) \(definition)"))
        }
        if let key = line.firstMatch(of: /^ +(PRIMARY KEY \([^)]*\))/) { return addConstraint("pkey", "\(key.1)") }
        guard let column = line.firstMatch(of: /^ +([a-z_]+) (double precision|[a-z]+)([^-]*)/) else { return }
        let (name, rest) = ("\(column.1)", column.3)
        var type = Self.type(column.2)
        if rest.contains("NOT NULL") || rest.contains("PRIMARY KEY") { type += " NOT NULL" }
        if rest.contains("DEFAULT") { type += " DEFAULT" }
        add(.column, table, name, type, .backup)
        if rest.contains("PRIMARY KEY") { addConstraint("pkey", "PRIMARY KEY (\(name))") }
        if let other = rest.firstMatch(of: /REFERENCES istep\.(\w+) (ON DELETE \w+)/) {
            addConstraint(
                "\(name)_fkey", "FOREIGN KEY (\(name)) REFERENCES istep.\(other.1)(\(name)) \(other.2)")
        }
        if let check = rest.firstMatch(of: /CHECK (\(.*\))/) {
            addConstraint("\(name)_check", "CHECK \(check.1)", shown: "CHECK")
        }
    }

    private mutating func addFunctions(_ script: String) {
        for function in script.matches(of: /CREATE (?:OR REPLACE )?FUNCTION istep\.(\w+)\(([^$]*?)AS \$\$((?s).*?)\$\$/)
        {
            let parts = function.2.split(separator: ")", maxSplits: 1)
            let settings = function.2.replacing("\n", with: " ").split(separator: " SET ").dropFirst().map(String.init)
            add(
                .function, "\(function.1)", Self.type(Substring(parts[0].replacing(" DEFAULT NULL", with: ""))),
                Self.function(
                    isDefiner: function.2.contains("SECURITY DEFINER"), settings: settings, body: "\(function.3)"))
        }
    }

    /// Rights of PUBLIC are those that functions have if nobody revokes them.
    private mutating func addGrants(_ script: String) {
        let revoked = script.matches(of: /REVOKE ALL ON FUNCTION ([^;]*) FROM PUBLIC;/).flatMap { Self.list($0.1) }
        var rights: [String: [String: Set<String>]] = [:]
        func functionName(_ name: some StringProtocol) -> String {
            let known = facts.keys.first { $0.kind == .function && "istep.\($0.object)" == name }
            return "FUNCTION \(name)(\(known?.name ?? ""))"
        }
        for function in facts.keys where function.kind == .function && !revoked.contains("istep.\(function.object)") {
            rights[functionName("istep.\(function.object)")] = ["PUBLIC": ["EXECUTE"]]
        }
        rights["FUNCTION istep.version()"] = ["PUBLIC": ["EXECUTE"]]
        for grant in script.matches(of: /GRANT ([A-Z, ]+) ON (?:(SCHEMA|SEQUENCE|FUNCTION) )?([^;]*?) TO ([^;]+);/) {
            for object in Self.list(grant.3) {
                let target = grant.2 == "FUNCTION" ? functionName(object) : (grant.2.map { "\($0) " } ?? "") + object
                for role in Self.list(grant.4) {
                    rights[target, default: [:]][role, default: []].formUnion(Self.list(grant.1))
                }
            }
        }
        for (object, roles) in rights {
            for (role, verbs) in roles {
                let verbs = verbs.sorted().joined(separator: ", ")
                add(
                    .grant, object, role, verbs,
                    role == "PUBLIC" ? .statement("GRANT \(verbs) ON \(object) TO \(role)") : .script)
            }
        }
    }

    // MARK: Words that the script and the server share

    private static func list(_ text: Substring) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    private static func type(_ name: Substring) -> String {
        String(name).replacing("timestamptz", with: "timestamp with time zone")
    }

    /// A function as one text.
    static func function(isDefiner: Bool, settings: [String], body: String) -> String {
        let settings = settings.map { $0.lowercased().filter { !" '\"".contains($0) } }.sorted()
        return "\(isDefiner ? "DEFINER" : "INVOKER") \(settings.joined(separator: " "))\n\(body)"
    }

    /// A condition without what differs between the script and the server's own words.
    static func condition(_ text: some StringProtocol) -> String {
        text.lowercased().split { " ()\n".contains($0) }.filter { $0 != "as" }.joined()
    }
}
