import Foundation
import StepDatabase
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import Sharing

/// What `istep postgres check` finds on Debian's PostgreSQL, and what becomes of the days of a user who is not
/// enrolled.
@Suite(.timeLimit(.minutes(5))) struct PostgresInspectionTests {
    private static let bob = User(id: 2, name: "Bob")

    private static func destination(_ database: PostgresDatabase, _ more: String = "", role: String? = nil) throws
        -> PostgresDestination
    {
        let text = "[share.family]\nkind = \"postgres\"\n\(database.keys(role: role))\n\(more)"
        return try #require(try Fixture.destination(text) as? PostgresDestination)
    }

    /// With a role that is enrolled for Anna.
    private static func withRole(_ body: (PostgresDatabase, _ role: String) async throws -> Void) async throws {
        try await PostgresDatabase.with { database in
            let role = "kitchen_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query(
                """
                CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_machine;
                SELECT istep.enrol('Anna', '\(role)');
                """)
            do { try await body(database, role) } catch {
                _ = try? await database.query("SELECT istep.forget('Anna'); DROP ROLE \(role)")
                throw error
            }
            try await database.query("DROP ROLE \(role)")
        }
    }

    @Test func `nothing is found in a new database`() async throws {
        try await Self.withRole { database, role in
            // Also where the schema is searched.
            try await database.query("ALTER DATABASE \(database.name) SET search_path = istep, public")
            let inspection = try await Self.destination(database, "machine = 'pi'", role: role).inspect(for: [.anna])
            #expect(inspection.findings == [])
            #expect(inspection.description.hasSuffix("schema 5, as machine \"pi\""))
            let counts = Dictionary(grouping: PostgresExpected.current.facts.keys, by: \.kind).mapValues(\.count)
            #expect(
                counts == [
                    .role: 2, .table: 6, .column: 50, .constraint: 17, .index: 2, .sequence: 1, .function: 8, .view: 6,
                    .security: 4, .policy: 4, .grant: 18,
                ])
        }
    }

    /// Where the advice is the script, it helps.
    @Test(arguments: [
        ("DROP VIEW istep.cohorts", "the view istep.cohorts is missing"),
        ("ALTER TABLE istep.day DISABLE ROW LEVEL SECURITY", "row security of istep.day is off"),
        ("CREATE POLICY everything ON istep.day USING (true)", "istep.day has the policy everything"),
        ("ALTER POLICY enrolled ON istep.sample USING (true)", "the policy enrolled of istep.sample was changed"),
        ("DROP POLICY own ON istep.enrolment", "the policy own of istep.enrolment is missing"),
        (
            "CREATE OR REPLACE FUNCTION istep.prepare(first timestamptz, last timestamptz) RETURNS void LANGUAGE sql AS 'SELECT'",
            "the function istep.prepare was changed"
        ),
        ("ALTER FUNCTION istep.settle SECURITY INVOKER", "the function istep.settle was changed"),
        ("DROP FUNCTION istep.retire", "the function istep.retire is missing"),
        ("ALTER TABLE istep.day DROP COLUMN evidence", "the column evidence of istep.day is missing"),
        ("ALTER TABLE istep.total DROP COLUMN last_sync CASCADE", "the column last_sync of istep.total is missing"),
        (
            "ALTER TABLE istep.total ALTER COLUMN goal TYPE bigint",
            "the column goal of istep.total has the type bigint, not integer"
        ),
        ("ALTER TABLE istep.day DROP CONSTRAINT possible", "the constraint possible of istep.day is missing"),
        (
            "ALTER TABLE istep.enrolment DROP CONSTRAINT enrolment_pkey",
            "the constraint enrolment_pkey of istep.enrolment is missing"
        ),
        ("DROP TABLE istep.person", "the table istep.person is missing"),
        (
            "CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 3'",
            "the schema has version 3, this istep needs 5"
        ),
        ("DROP SCHEMA istep CASCADE", "the database has no tables of istep"),
    ]) func `what was changed by hand is found`(change: String, words: String) async throws {
        try await PostgresDatabase.with { database in
            // The views depend on the type.
            try await database.query((change.contains("TYPE") ? "DROP VIEW istep.days CASCADE;" : "") + change)
            let destination = try Self.destination(database)
            let findings = try await destination.inspect(for: []).findings
            let found = try #require(findings.first { $0.text.hasPrefix(words) }, "\(findings)")
            #expect(found.kind == .schema)
            await #expect(throws: ShareFailure.self) { try await destination.check() }
            if found.advice.contains("istep postgres schema") {
                try await database.query(PostgresSchema.script)
                #expect(try await destination.inspect(for: []).findings == [])
            } else {
                #expect(
                    ["has the policy", "has the type", "enrolment_pkey", "last_sync"].contains {
                        found.text.contains($0)
                    })
            }
        }
    }

    @Test func `a schema of a later version is accepted`() async throws {
        try await PostgresDatabase.with { database in
            try await database.query(
                """
                CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 6';
                DROP FUNCTION istep.retire;
                """)
            #expect(try await Self.destination(database).inspect(for: []).findings == [])
        }
    }

    @Test(arguments: [
        ("REVOKE DELETE ON istep.day FROM istep_machine", "the role istep_machine has no right DELETE on istep.day"),
        (
            "REVOKE USAGE ON SCHEMA istep FROM istep_machine",
            "the role istep_machine has no right USAGE on SCHEMA istep"
        ),
        (
            "REVOKE EXECUTE ON FUNCTION istep.settle FROM istep_machine",
            "the role istep_machine has no right EXECUTE on FUNCTION istep.settle"
        ),
        ("REVOKE TEMPORARY ON DATABASE % FROM PUBLIC", "has no right TEMPORARY on the database"),
    ]) func `a right that is missing is found`(change: String, words: String) async throws {
        try await Self.withRole { database, role in
            try await database.query(change.replacing("%", with: database.name))
            let inspection = try await Self.destination(database, role: role).inspect(for: [.anna])
            #expect(inspection.findings.map(\.kind) == [.rights], "\(inspection.findings)")
            #expect(inspection.findings[0].text.contains(words), "\(inspection.findings)")
            #expect(inspection.category == .permission)
            // The role is a machine: only what the script gives to all machines helps.
            #expect(!inspection.findings[0].advice.contains("GRANT istep_machine"))
            if inspection.findings[0].advice.contains("istep postgres schema") {
                try await database.query(PostgresSchema.script)
                #expect(try await Self.destination(database, role: role).inspect(for: [.anna]).findings == [])
            }
        }
    }

    @Test func `a member without the rights of machines is told how it gets them`() async throws {
        try await Self.withRole { database, role in
            // Since version 16 it is a property of the membership.
            let version = try #require(Int(try await database.query("SHOW server_version_num").first ?? ""))
            try await database.query(
                version < 160_000
                    ? "ALTER ROLE \(role) NOINHERIT" : "GRANT istep_machine TO \(role) WITH INHERIT FALSE")
            let destination = try Self.destination(database, role: role)
            let finding = try #require(try await destination.inspect(for: [.anna]).findings.first)
            #expect(finding.kind == .rights && finding.text == "the role \"\(role)\" is not a machine")
            try await database.query(finding.advice.replacing("As the owner of the database: ", with: ""))
            #expect(try await destination.inspect(for: [.anna]).findings == [])
        }
    }

    @Test func `users who are not enrolled are named with the statement that enrols them`() async throws {
        try await Self.withRole { database, role in
            let destination = try Self.destination(database, role: role)
            let irish = User(id: 3, name: "O'Hara")
            let findings = try await destination.inspect(for: [.anna, irish]).findings
            #expect(findings.map(\.text) == ["the role \"\(role)\" is not enrolled for \"O'Hara\""])
            #expect(findings.first?.advice.hasSuffix("SELECT istep.enrol('O''Hara', '\(role)')") == true)
            let failure = await #expect(throws: ShareFailure.self) { try await destination.check(for: [irish]) }
            #expect(failure?.kind == .credentials && failure?.reason == findings.first?.text)
            // A user whose days are not sent need not be enrolled.
            let chosen = try Self.destination(database, "users = ['Anna']", role: role)
            #expect(try await chosen.inspect(for: [.anna, irish]).findings == [])
        }
    }

    // MARK: Sending

    /// One user of a household is not enrolled: only that user's days wait, until somebody enrols.
    @Test func `the days of a user who is not enrolled wait, and no others`() async throws {
        try await Self.withRole { database, role in
            let directory = try GuardedProcess.makeDirectory("istep-enrolment")
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let history = try StepDatabase(path: directory + "/history.sqlite")
            let days = (0..<40).map { Day(daysSince1970: 16_180 + $0) }
            let now = Timestamp(16_230 * 86_400)
            for name in ["Anna", "Bob"] {
                let user = try history.addUser(named: name)
                for day in days {
                    try history.setCorrection(StepCorrection(steps: 5000), of: user.id, on: day, at: now)
                }
            }
            let destination = try Self.destination(database, "since = 2014-04-01", role: role)
            let outbox = Outbox(history: history, ledger: history, localTime: .berlin, now: { now })
            func share() async throws -> ShareReport {
                try #require(try await outbox.share(.due, to: [destination], users: try history.users()).first)
            }
            let report = try await share()
            #expect(report.state.stopped == nil && report.failure?.kind == .credentials && report.queued == 40)
            let query = "SELECT subject, count(*) FROM istep.day GROUP BY 1 ORDER BY 1"
            #expect(try await database.query(query) == ["Anna\t40"])
            let waiting = try history.entries(for: "family", in: [.pending])
            // Those that were not tried have no error.
            let entry = try #require(waiting.first { $0.isOfRefusedUser })
            #expect(waiting.count == 40 && waiting.allSatisfy { $0.user == 2 && $0.nextAttempt == now })
            #expect(entry.lastError?.contains("SELECT istep.enrol('Bob', '\(role)')") == true)
            try await database.query("SELECT istep.enrol('Bob', '\(role)')")
            let second = try await share()
            #expect(second.failure == nil && second.queued == 0)
            #expect(try await database.query(query) == ["Anna\t40", "Bob\t40"])
            try await database.query("SELECT istep.forget('Bob')")
        }
    }
}
