import Foundation
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// What was added to, or changed in, istep's tables on Debian's PostgreSQL is found, and the statement of the advice
/// makes it as it was.
@Suite(.timeLimit(.minutes(5))) struct PostgresCatalogTests {
    private static func destination(_ database: PostgresDatabase, role: String? = nil) throws -> PostgresDestination {
        let text = "[share.family]\nkind = \"postgres\"\nmachine = 'pi'\n\(database.keys(role: role))"
        return try #require(try Fixture.destination(text) as? PostgresDestination)
    }

    /// The statement of an advice, or the script of the schema where it names that one.
    private static func statement(_ advice: String) -> String {
        var statement = advice.replacing(#/^.*s the owner of the database: /#, with: "")
        statement.replace(#/\. Then: istep postgres schema.*/#, with: ";\n" + PostgresSchema.script)
        return statement.contains("run: istep postgres schema") ? PostgresSchema.script : statement
    }

    @Test(arguments: [
        ("DROP INDEX istep.day_with_exclusion", "the index day_with_exclusion of istep.day is missing"),
        (
            "DROP INDEX istep.total_by_day; CREATE INDEX total_by_day ON istep.total (subject)",
            "the index total_by_day of istep.total was changed: it is btree (subject), not btree (day)"
        ),
        (
            "CREATE UNIQUE INDEX one ON istep.day (day)",
            "istep.day has the unique index one, which is not of istep"
        ),
        ("DROP SEQUENCE istep.revision", "the sequence istep.revision is missing"),
        ("ALTER TABLE istep.day ADD CONSTRAINT few CHECK (steps < 9000)", "istep.day has the constraint few"),
        (
            "ALTER TABLE istep.total ALTER COLUMN goal SET NOT NULL",
            "the column goal of istep.total has the type integer NOT NULL"
        ),
        (
            "ALTER TABLE istep.total ALTER COLUMN steps DROP NOT NULL",
            "the column steps of istep.total has the type integer, not"
        ),
        (
            "ALTER TABLE istep.day ADD COLUMN ward integer NOT NULL",
            "istep.day has the column ward, which is not of istep"
        ),
        ("ALTER TABLE istep.day SET UNLOGGED", "the table istep.day is unlogged"),
        (
            "ALTER TABLE istep.day DROP CONSTRAINT day_steps_check",
            "the constraint day_steps_check of istep.day is missing"
        ),
        (
            "ALTER TABLE istep.enrolment DROP CONSTRAINT enrolment_subject_fkey",
            "the constraint enrolment_subject_fkey of istep.enrolment is missing"
        ),
        (
            "ALTER TABLE istep.sample DROP CONSTRAINT possible, ADD CONSTRAINT possible CHECK (steps < 9) NOT VALID",
            "the constraint possible of istep.sample was changed: it is CHECK NOT VALID"
        ),
        (
            """
            CREATE FUNCTION public.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER "my trigger" BEFORE INSERT ON istep.day FOR EACH ROW EXECUTE FUNCTION public.t()
            """, "istep.day has the trigger my trigger, which is not of istep"
        ),
        ("CREATE RULE nothing AS ON INSERT TO istep.day DO INSTEAD NOTHING", "istep.day has the rule nothing"),
        (
            "SELECT istep.prepare('2024-11-01', '2024-12-05'); ALTER TABLE istep.sample DETACH PARTITION istep.sample_2024_12",
            "the table istep.sample_2024_12 is not a partition of istep.sample"
        ),
        ("GRANT SELECT ON istep.day TO istep_reader", "the role istep_reader has the right SELECT on istep.day"),
        ("GRANT SELECT (steps) ON istep.day TO PUBLIC", "the role PUBLIC has the right SELECT (steps) on istep.day"),
        ("GRANT TRUNCATE ON istep.day TO istep_machine", "the role istep_machine has the right TRUNCATE on istep.day"),
        ("GRANT CREATE ON SCHEMA istep TO PUBLIC", "the role PUBLIC has the right CREATE on SCHEMA istep"),
        (
            "GRANT EXECUTE ON FUNCTION istep.forget TO istep_machine",
            "the role istep_machine has the right EXECUTE on FUNCTION istep.forget(subject text)"
        ),
        ("REVOKE SELECT ON istep.days FROM istep_reader", "the role istep_reader has no right SELECT on istep.days"),
        (
            "REVOKE EXECUTE ON FUNCTION istep.version FROM PUBLIC",
            "the role PUBLIC has no right EXECUTE on FUNCTION istep.version()"
        ),
        (
            "SELECT istep.prepare('2024-12-01', '2024-12-05'); GRANT SELECT ON istep.sample_2024_12 TO istep_machine",
            "the role istep_machine has the right SELECT on istep.sample_2024_12"
        ),
        ("ALTER POLICY enrolled ON istep.day TO PUBLIC", "the policy enrolled of istep.day was changed"),
        ("ALTER POLICY enrolled ON istep.day WITH CHECK (true)", "the policy enrolled of istep.day was changed"),
        ("ALTER FUNCTION istep.settle RESET search_path", "the function istep.settle was changed"),
        (
            "CREATE FUNCTION istep.settle(subjects text[]) RETURNS void LANGUAGE sql AS 'SELECT'",
            "there is a second function istep.settle(subjects text[])"
        ),
        ("ALTER VIEW istep.cohorts SET (security_barrier)", "the view istep.cohorts has the options security_barrier"),
    ]) func `a change by hand is found and taken back`(change: String, words: String) async throws {
        try await PostgresDatabase.with { database in
            try await database.query(change)
            let destination = try Self.destination(database)
            let findings = try await destination.inspect(for: []).findings
            #expect(findings.count == 1 && findings[0].text.hasPrefix(words), "\(findings)")
            let first = try #require(findings.first)
            let statement = Self.statement(first.advice)
            try await database.query(statement)
            #expect(try await destination.inspect(for: []).findings == [], "\(statement)")
        }
    }

    /// The rest of what belongs to others does no harm.
    @Test func `what others have added beside istep's tables is not reported`() async throws {
        try await PostgresDatabase.with { database in
            try await database.query(
                """
                CREATE TABLE istep.ward (subject text REFERENCES istep.subject ON DELETE CASCADE);
                ALTER TABLE istep.subject ADD COLUMN ward text, ADD COLUMN note text NOT NULL DEFAULT '';
                CREATE INDEX subject_by_ward ON istep.subject (ward);
                CREATE VIEW istep.wards AS SELECT DISTINCT ward FROM istep.subject;
                GRANT SELECT ON istep.days TO pg_monitor;
                GRANT SELECT ON istep.wards TO istep_reader;
                """)
            #expect(try await Self.destination(database).inspect(for: []).findings == [])
        }
    }

    /// On a server of its own: roles belong to all databases of one.
    @Test func `a machine with more rights than its own is found`() async throws {
        let changes = [
            ("ALTER ROLE guest BYPASSRLS", "is a machine and has BYPASSRLS"),
            ("ALTER ROLE guest SUPERUSER", "is a machine and has SUPERUSER"),
            ("ALTER ROLE guest CREATEROLE", "is a machine and has CREATEROLE"),
            ("GRANT pg_read_all_data TO guest", "is a machine and has pg_read_all_data"),
            ("ALTER TABLE istep.day OWNER TO guest", "is a machine and owns istep.day"),
            ("ALTER FUNCTION istep.settle OWNER TO guest", "is a machine and owns FUNCTION istep.settle"),
            (
                "CREATE ROLE boss; ALTER TABLE istep.total OWNER TO boss; GRANT boss TO guest",
                "is a machine and owns istep.total"
            ),
        ]
        let database = try await PostgresCluster().makeDatabase()
        try await database.query("CREATE ROLE guest LOGIN IN ROLE istep_machine")
        let destination = try Self.destination(database)
        #expect(try await destination.inspect(for: []).findings == [])
        for (change, words) in changes {
            try await database.query(change)
            let findings = try await destination.inspect(for: []).findings
            #expect(findings.count == 1, "\(change): \(findings)")
            let first = try #require(findings.first)
            #expect(first.text.hasPrefix("the role \"guest\" \(words)"), "\(change)")
            try await database.query(Self.statement(first.advice).replacing("…", with: "owner"))
            #expect(try await destination.inspect(for: []).findings == [], "\(first.advice)")
        }
        // A role that cannot reach the database does no harm.
        try await database.query(
            "ALTER ROLE guest BYPASSRLS; REVOKE CONNECT ON DATABASE \(database.name) FROM PUBLIC")
        #expect(try await destination.inspect(for: []).findings == [])
    }

    /// What is sent after that would count as older than what is there.
    @Test func `a sequence that was made anew goes on after the days`() async throws {
        try await PostgresDatabase.with { database in
            let destination = try Self.destination(database)
            for steps in [10, 20, 30] { _ = try await destination.deliver([SharePayload(.easter(steps: steps))]) }
            try await database.query(
                "DROP SEQUENCE istep.revision; CREATE SEQUENCE istep.revision; GRANT USAGE ON SEQUENCE istep.revision TO istep_machine"
            )
            let findings = try await destination.inspect(for: []).findings
            #expect(
                findings.map(\.text) == [
                    "the sequence istep.revision is behind the numbers of the days: what is sent is not stored"
                ])
            try await database.query("DROP SEQUENCE istep.revision;\n" + PostgresSchema.script)
            #expect(try await destination.inspect(for: []).findings == [])
            _ = try await destination.deliver([SharePayload(.easter(steps: 40))])
            #expect(try await database.query("SELECT steps FROM istep.days") == ["40"])
        }
    }

    @Test func `an error of rights and one of a socket name the next step`() async throws {
        try await PostgresDatabase.with { database in
            let role = "reader_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query("CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_reader")
            let reader = try Self.destination(database, role: role)
            let payload = SharePayload(.easter(steps: 10))
            let refused = await #expect(throws: ShareFailure.self) { try await reader.deliver([payload]) }
            #expect(refused?.kind == .credentials)
            #expect(refused?.advice?.contains("`istep postgres check family`") == true, "\(refused?.advice ?? "")")
            let findings = try await reader.inspect(for: []).findings
            #expect(findings.first?.advice.contains("GRANT istep_machine TO \"\(role)\"") == true, "\(findings)")
            try await database.query("DROP ROLE \(role)")

            let text = "[share.family]\nkind = \"postgres\"\nhost = '/nowhere'\ndatabase = 'health'"
            let lost = await #expect(throws: ShareFailure.self) {
                try await Fixture.destination(text).deliver([payload])
            }
            #expect(lost?.kind == .unreachable && lost?.advice?.contains("/var/run/postgresql") == true)
        }
    }

    /// With several findings, the advice is one sentence after the other.
    @Test func `the first of several findings names where all are`() async throws {
        try await PostgresDatabase.with { database in
            try await database.query("ALTER TABLE istep.total DROP COLUMN last_sync CASCADE; DROP TABLE istep.person")
            let failure = await #expect(throws: ShareFailure.self) {
                try await Self.destination(database).check()
            }
            let advice = try #require(failure?.advice)
            #expect(advice.contains(". See all: `istep postgres check family`") && !advice.contains(".."), "\(advice)")
        }
    }
}
