/// What a database has after the script of a schema, read from the script itself: so there is one list of it.
struct PostgresExpected {
    struct Function {
        var body: String
        /// Whether it runs with the rights of its owner.
        var isDefiner: Bool
    }

    static let current = PostgresExpected(PostgresSchema.script)

    /// The types of columns by table.
    private(set) var columns: [String: [String: String]] = [:]
    /// Columns that the script adds to a table that lacks them, such as `day.evidence`.
    private(set) var added: Set<String> = []
    private(set) var functions: [String: Function] = [:]
    let views: [String]
    /// Tables with row security.
    let secured: [String]
    /// Conditions by table and name, as `condition(_:)` returns them.
    private(set) var policies: [String: [String: String]] = [:]
    /// Tables with the constraint `possible`.
    let constrained: [String]

    init(_ script: String) {
        for table in script.matches(
            of: /CREATE TABLE IF NOT EXISTS istep\.(\w+) \(\n((?s).*?)\)(?: PARTITION BY [^;]*)?;/)
        {
            let columns = table.2.matches(of: /(?m)^ +([a-z_]+) (double precision|[a-z]+)/)
            self.columns["\(table.1)"] = Dictionary(columns.map { ("\($0.1)", Self.type($0.2)) }) { first, _ in first }
        }
        for change in script.matches(of: /ALTER TABLE istep\.(\w+) (ADD COLUMN [^;]*);/) {
            for column in change.2.matches(of: /ADD COLUMN IF NOT EXISTS (\w+) (double precision|[a-z]+)/) {
                columns["\(change.1)"]?["\(column.1)"] = Self.type(column.2)
                added.insert("\(change.1).\(column.1)")
            }
        }
        for function in script.matches(of: /CREATE (?:OR REPLACE )?FUNCTION istep\.(\w+)\(([^$]*?)AS \$\$((?s).*?)\$\$/)
        {
            functions["\(function.1)"] = Function(
                body: "\(function.3)", isDefiner: function.2.contains("SECURITY DEFINER"))
        }
        for policy in script.matches(of: /CREATE POLICY (\w+) ON istep\.(\w+) [^;]*?USING \(([^;]*)\);/) {
            policies["\(policy.2)", default: [:]]["\(policy.1)"] = Self.condition(policy.3)
        }
        views = script.matches(of: /CREATE OR REPLACE VIEW istep\.(\w+)/).map { "\($0.1)" }
        secured = script.matches(of: /ALTER TABLE istep\.(\w+) ENABLE ROW LEVEL SECURITY/).map { "\($0.1)" }
        constrained = script.matches(of: /ALTER TABLE istep\.(\w+) DROP CONSTRAINT IF EXISTS possible/).map {
            "\($0.1)"
        }
    }

    private static func type(_ name: Substring) -> String {
        name == "timestamptz" ? "timestamp with time zone" : "\(name)"
    }

    /// A condition without what differs between the script and the server's own words.
    static func condition(_ text: some StringProtocol) -> String {
        text.lowercased().split { " ()\n".contains($0) }.filter { $0 != "as" }.joined()
    }
}
