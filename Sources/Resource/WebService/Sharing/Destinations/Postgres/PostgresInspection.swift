internal import Postgres
internal import StepDomain

/// Whose days a role may send.
struct PostgresEnrolment {
    var role: String
    var subjects: Set<String>
    /// Whether row security applies to the role; not to the owner of the tables.
    var isLimited: Bool

    /// Those of the subjects whose days the role may not send, by name.
    func missing(_ wanted: some Sequence<String>) -> [String] {
        isLimited ? Set(wanted).subtracting(subjects).sorted() : []
    }

    /// The statement that enrols a subject.
    func statement(_ subject: String) -> String {
        "SELECT istep.enrol(\(literal(subject)), \(literal(role)))"
    }

    func finding(_ subject: String) -> DestinationInspection.Finding {
        .init(
            .enrolment, "the role \"\(role)\" is not enrolled for \"\(subject)\"",
            advice: "As the owner of the database: \(statement(subject))")
    }
}

/// A text in SQL.
private func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

extension PostgresConnection {
    func enrolment() throws(PostgresError) -> PostgresEnrolment {
        let role = try run("SELECT current_user, row_security_active('istep.day')").first ?? []
        let subjects = try run("SELECT subject FROM istep.enrolment").compactMap { $0.first ?? nil }
        return PostgresEnrolment(
            role: role.first.flatMap { $0 } ?? "", subjects: Set(subjects), isLimited: role.last == "t")
    }
}

/// The comparison of a database with what this version expects. It only reads.
struct PostgresInspection {
    typealias Finding = DestinationInspection.Finding

    private let connection: PostgresConnection
    private(set) var findings: [Finding] = []
    private(set) var server = ""
    private(set) var schema: Int?
    private var role = ""
    private var version = 0
    private var membership = Membership.none

    /// Of the role in `istep_machine`. A role can be a member without its rights (`NOINHERIT`).
    private enum Membership {
        case none, named, inherits
    }

    /// - Parameter subjects: whose days are sent.
    init(_ connection: PostgresConnection, subjects: [String]) throws(PostgresError) {
        self.connection = connection
        try compare(subjects)
    }

    private mutating func compare(_ subjects: [String]) throws(PostgresError) {
        let facts = try connection.run(
            """
            SELECT current_setting('server_version'), current_setting('server_version_num'), current_user,
                to_regnamespace('istep') IS NOT NULL,
                coalesce(has_schema_privilege(to_regnamespace('istep'), 'USAGE'), false),
                to_regnamespace('istep') IS NOT NULL AND EXISTS (SELECT FROM pg_proc
                    WHERE pronamespace = to_regnamespace('istep') AND proname = 'version' AND pronargs = 0),
                EXISTS (SELECT FROM pg_roles WHERE rolname = 'istep_machine' AND pg_has_role(oid, 'USAGE')),
                EXISTS (SELECT FROM pg_roles WHERE rolname = 'istep_machine' AND pg_has_role(oid, 'MEMBER'))
            """)[0]
        (server, role) = (facts[0] ?? "", facts[2] ?? "")
        membership = facts[6] == "t" ? .inherits : facts[7] == "t" ? .named : .none
        version = facts[1].flatMap { Int($0) } ?? 0
        if version < 140_000 {
            return add(.schema, "PostgreSQL \(server) is too old", "Use PostgreSQL 14 or later.")
        }
        if facts[3] != "t" || facts[5] != "t" { return addSchema("the database has no tables of istep") }
        guard facts[4] == "t" else {
            let text =
                membership == .inherits
                ? "the role istep_machine has no right USAGE on SCHEMA istep" : "the role \"\(role)\" is not a machine"
            return add(.rights, text, grant)
        }
        schema = try connection.run("SELECT istep.version()").first?.first?.flatMap { Int($0) }
        guard let schema, schema >= PostgresSchema.version else {
            return addSchema(
                "the schema has version \(schema.map { "\($0)" } ?? "?"), this istep needs \(PostgresSchema.version)")
        }
        // What a later version has is not known here.
        if schema == PostgresSchema.version { try compareCatalog() }
        if findings.isEmpty { try compareRights() }
        if findings.isEmpty { try compareNumbers() }
        if findings.isEmpty { try compareEnrolment(subjects) }
        // A hostile server can have any number of anything.
        findings = Array(findings.prefix(Self.maximumFindings))
    }

    private static let maximumFindings = 100

    static let schemaAdvice =
        "As the owner of the database, run: istep postgres schema | psql --dbname DATABASE"

    private mutating func add(_ kind: Finding.Kind, _ text: String, _ advice: String) {
        findings.append(Finding(kind, text, advice: advice))
    }

    private mutating func addSchema(_ text: String) { add(.schema, text, Self.schemaAdvice) }

    /// How the role gets the rights of machines. One that has those of `istep_machine` has all that this one has.
    private var grant: String {
        let name = "\"\(role.replacing("\"", with: "\"\""))\""
        return switch membership {
        case .inherits: Self.schemaAdvice
        case .named where version < 160_000: "As the owner of the database: ALTER ROLE \(name) INHERIT"
        case .named: "As the owner of the database: GRANT istep_machine TO \(name) WITH INHERIT TRUE"
        case .none: "As the owner of the database: GRANT istep_machine TO \(name)"
        }
    }

    // MARK: What is there

    /// Compares the catalog with what the script of the schema makes.
    private mutating func compareCatalog() throws(PostgresError) {
        let found = try PostgresCatalog(connection).facts, expected = PostgresExpected.current.facts
        // What a table that is missing has is not missing by itself.
        let missing = Set(expected.keys.filter { found[$0] == nil }.compactMap(\.thing))
        for (key, fact) in expected.sorted(by: { $0.key < $1.key }) {
            if found[key] == nil, key.thing == nil, missing.contains(key.owner) { continue }
            if found[key]?.definition != fact.definition { findings += Finding.of(key, fact, found[key]) }
        }
        let things = Set(expected.keys.compactMap(\.thing)).union(["SCHEMA istep", "FUNCTION istep.version()"])
        for (key, fact) in found.sorted(by: { $0.key < $1.key }) where expected[key] == nil {
            let isOfIstep =
                switch key.kind {
                case .column, .constraint, .index, .policy: things.contains(key.owner)
                case .trigger, .rule, .grant: things.contains(key.owner) || key.owner.hasPrefix("istep.sample_")
                case .function: expected.keys.contains { $0.kind == .function && $0.object == key.object }
                default: true
                }
            if isOfIstep { findings += Finding.of(key, more: fact) }
        }
    }

    /// A sequence that was made anew begins at 1: what is sent then would count as older than what is there.
    private mutating func compareNumbers() throws(PostgresError) {
        let answer = try connection.run(
            """
            SELECT coalesce(pg_sequence_last_value('istep.revision'), 0) < coalesce((SELECT max(revision) FROM istep.day), 0)
            """)
        if answer.first?.first == "t" {
            addSchema("the sequence istep.revision is behind the numbers of the days: what is sent is not stored")
        }
    }

    // MARK: Who may do what

    /// What a machine needs, as the script grants it to `istep_machine`.
    private mutating func compareRights() throws(PostgresError) {
        let needed = PostgresExpected.current.facts.filter { $0.key.kind == .grant && $0.key.name == "istep_machine" }
        var tests: [(String, String)] = [
            ("TEMPORARY on the database", "has_database_privilege(current_database(), 'TEMPORARY')")
        ]
        for (key, fact) in needed.sorted(by: { $0.key < $1.key }) {
            let words = key.object.split(separator: " ", maxSplits: 1)
            let kind = words.count == 1 ? "table" : words[0].lowercased()
            for verb in fact.definition.split(separator: ", ") {
                let name = literal(String(words[words.count - 1].prefix { $0 != "(" }))
                let object = kind == "function" ? "(\(name)::regproc)::oid" : name
                tests.append(("\(verb) on \(key.object)", "has_\(kind)_privilege(\(object), '\(verb)')"))
            }
        }
        let values = tests.map { "(\(literal($0.0)), \($0.1))" }.joined(separator: ", ")
        let lacking = try connection.run("SELECT what FROM (VALUES \(values)) AS x (what, is_there) WHERE NOT is_there")
            .compactMap { $0.first ?? nil }
        guard let first = lacking.first else { return }
        let others =
            lacking.count > 2
            ? ", and \(lacking.count - 1) other rights" : lacking.count == 2 ? ", and 1 other right" : ""
        add(
            .rights, "the role \"\(role)\" has no right \(first)\(others)",
            lacking == ["TEMPORARY on the database"]
                ? "As the owner of the database: GRANT TEMPORARY ON DATABASE … TO istep_machine" : grant)
    }

    private mutating func compareEnrolment(_ subjects: [String]) throws(PostgresError) {
        let enrolment = try connection.enrolment()
        findings += enrolment.missing(subjects).map(enrolment.finding)
        if subjects.isEmpty, enrolment.isLimited, enrolment.subjects.isEmpty {
            add(
                .enrolment, "the role \"\(role)\" is not enrolled for any subject",
                "As the owner of the database: \(enrolment.statement("SUBJECT"))")
        }
    }
}
