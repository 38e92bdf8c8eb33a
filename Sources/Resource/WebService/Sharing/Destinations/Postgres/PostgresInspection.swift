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
        func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        return "SELECT istep.enrol(\(literal(subject)), \(literal(role)))"
    }

    func finding(_ subject: String) -> DestinationInspection.Finding {
        .init(
            .enrolment, "the role \"\(role)\" is not enrolled for \"\(subject)\"",
            advice: "As the owner of the database: \(statement(subject))")
    }
}

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
                    WHERE pronamespace = to_regnamespace('istep') AND proname = 'version' AND pronargs = 0)
            """)[0]
        (server, role) = (facts[0] ?? "", facts[2] ?? "")
        if facts[1].flatMap({ Int($0) }) ?? 0 < 140_000 {
            return add(.schema, "PostgreSQL \(server) is too old", "Use PostgreSQL 14 or later.")
        }
        if facts[3] != "t" || facts[5] != "t" { return addSchema("the database has no tables of istep") }
        if facts[4] != "t" {
            return add(.rights, "the role \"\(role)\" is not a machine", grant("istep_machine"))
        }
        schema = try connection.run("SELECT istep.version()").first?.first?.flatMap { Int($0) }
        guard let schema, schema >= PostgresSchema.version else {
            return addSchema(
                "the schema has version \(schema.map { "\($0)" } ?? "?"), this istep needs \(PostgresSchema.version)")
        }
        // What a later version has is not known here.
        if schema == PostgresSchema.version {
            try compareTables()
            try compareFunctions()
            try compareSecurity()
        }
        if findings.isEmpty { try compareRights() }
        if findings.isEmpty { try compareEnrolment(subjects) }
    }

    static let schemaAdvice =
        "As the owner of the database, run: istep postgres schema | psql --dbname DATABASE"

    /// For what the script leaves as it is.
    private static let tableAdvice =
        "The table was changed by hand: undo that, or restore a backup of the database."

    private mutating func add(_ kind: Finding.Kind, _ text: String, _ advice: String) {
        findings.append(Finding(kind, text, advice: advice))
    }

    private mutating func addSchema(_ text: String) { add(.schema, text, Self.schemaAdvice) }

    private func grant(_ group: String) -> String {
        "As the owner of the database: GRANT \(group) TO \"\(role.replacing("\"", with: "\"\""))\""
    }

    // MARK: Tables, functions, views

    private mutating func compareTables() throws(PostgresError) {
        var found: [String: [String: String]] = [:]
        for row in try connection.run(
            """
            SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_class AS c
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE c.relnamespace = 'istep'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            """)
        {
            found[row[0] ?? "", default: [:]][row[1] ?? ""] = row[2] ?? ""
        }
        for (table, columns) in PostgresExpected.current.columns.sorted(by: { $0.key < $1.key }) {
            guard let known = found[table] else {
                addSchema("the table istep.\(table) is missing")
                continue
            }
            for (column, type) in columns.sorted(by: { $0.key < $1.key }) where known[column] != type {
                let isAdded = known[column] == nil && PostgresExpected.current.added.contains("\(table).\(column)")
                add(
                    .schema,
                    known[column].map { "the column \(column) of istep.\(table) has the type \($0), not \(type)" }
                        ?? "the column \(column) of istep.\(table) is missing",
                    isAdded ? Self.schemaAdvice : Self.tableAdvice)
            }
        }
        let constraints = try names(
            """
            SELECT relname || ' ' || CASE contype WHEN 'p' THEN 'key' ELSE conname END FROM pg_constraint
            JOIN pg_class AS c ON c.oid = conrelid
            WHERE c.relnamespace = 'istep'::regnamespace AND NOT c.relispartition AND convalidated
            """)
        for table in PostgresExpected.current.columns.keys.sorted()
        where found[table] != nil && !constraints.contains("\(table) key") {
            add(.schema, "istep.\(table) has no primary key", Self.tableAdvice)
        }
        for table in PostgresExpected.current.constrained where !constraints.contains("\(table) possible") {
            addSchema("the constraint \"possible\" of istep.\(table) is missing")
        }
    }

    private func names(_ query: String) throws(PostgresError) -> Set<String> {
        Set(try connection.run(query).compactMap { $0.first ?? nil })
    }

    private mutating func compareFunctions() throws(PostgresError) {
        let found = Dictionary(
            try connection.run(
                "SELECT proname, prosrc, prosecdef FROM pg_proc WHERE pronamespace = 'istep'::regnamespace"
            ).map { ($0[0] ?? "", $0) }
        ) { first, _ in first }
        for (name, function) in PostgresExpected.current.functions.sorted(by: { $0.key < $1.key }) {
            guard let known = found[name] else {
                addSchema("the function istep.\(name) is missing")
                continue
            }
            if known[1] != function.body || (known[2] == "t") != function.isDefiner {
                addSchema("the function istep.\(name) was changed")
            }
        }
        let views = try names(
            "SELECT relname FROM pg_class WHERE relnamespace = 'istep'::regnamespace AND relkind = 'v'")
        for view in PostgresExpected.current.views where !views.contains(view) {
            addSchema("the view istep.\(view) is missing")
        }
    }

    // MARK: Who may do what

    private mutating func compareSecurity() throws(PostgresError) {
        let roles = try names("SELECT rolname FROM pg_roles WHERE rolname IN ('istep_machine', 'istep_reader')")
        for role in ["istep_machine", "istep_reader"] where !roles.contains(role) {
            addSchema("the role \(role) is missing")
        }
        let secured = try names(
            "SELECT relname FROM pg_class WHERE relnamespace = 'istep'::regnamespace AND relrowsecurity")
        for table in PostgresExpected.current.secured where !secured.contains(table) {
            addSchema("row security of istep.\(table) is off: each machine can read and change the days of all")
        }
        var found: [String: [String: String]] = [:]
        for row in try connection.run(
            """
            SELECT c.relname, polname, coalesce(pg_get_expr(polqual, polrelid), '') FROM pg_policy
            JOIN pg_class AS c ON c.oid = polrelid WHERE c.relnamespace = 'istep'::regnamespace
            """)
        {
            found[row[0] ?? "", default: [:]][row[1] ?? ""] = PostgresExpected.condition(row[2] ?? "")
        }
        for (table, policies) in PostgresExpected.current.policies.sorted(by: { $0.key < $1.key }) {
            for (name, condition) in policies where found[table]?[name] != condition {
                addSchema(
                    "the policy \(name) of istep.\(table) \(found[table]?[name] == nil ? "is missing" : "was changed")")
            }
            for name in (found[table] ?? [:]).keys.sorted() where policies[name] == nil {
                add(
                    .schema, "istep.\(table) has the policy \(name), which is not of istep",
                    "If it should not be there, as the owner of the database: DROP POLICY \"\(name)\" ON istep.\(table)"
                )
            }
        }
    }

    /// What a machine needs, as the script grants it to `istep_machine`.
    private mutating func compareRights() throws(PostgresError) {
        let lacking = try connection.run(
            """
            SELECT what FROM (VALUES
                ('to make temporary tables', has_database_privilege(current_database(), 'TEMPORARY')),
                ('to number its deliveries', has_sequence_privilege('istep.revision', 'USAGE')),
                ('to read istep.enrolment', has_table_privilege('istep.enrolment', 'SELECT')),
                ('to call istep.prepare', has_function_privilege('istep.prepare(timestamptz, timestamptz)', 'EXECUTE')),
                ('to call istep.settle', has_function_privilege('istep.settle(text[], date[])', 'EXECUTE'))
            ) AS x (what, isThere) WHERE NOT isThere
            UNION ALL
            SELECT format('to %s istep.%s', lower(verb), name) FROM unnest('{day,sample,person}'::text[]) AS name,
                unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS verb
            WHERE NOT has_table_privilege('istep.' || name, verb)
            """
        ).compactMap { $0.first ?? nil }
        guard let first = lacking.first else { return }
        let others = lacking.count > 1 ? ", and \(lacking.count - 1) other rights" : ""
        add(
            .rights, "the role \"\(role)\" has no right \(first)\(others)",
            lacking == ["to make temporary tables"]
                ? "As the owner of the database: GRANT TEMPORARY ON DATABASE … TO istep_machine"
                : grant("istep_machine"))
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
