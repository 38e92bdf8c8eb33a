import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// Who may do what in a shared database.
@Suite(.timeLimit(.minutes(5))) struct PostgresRightsTests {
    @Test func `a machine sends and sees only the subjects that it is enrolled for`() async throws {
        try await PostgresDatabase.with { database in
            let role = "machine_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query(
                """
                CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_machine;
                SELECT istep.enrol('P-0042', '\(role)', 'spring');
                """)
            let own = try database.destination(
                "machine = 'pi'\nsubjects = { Anna = 'P-0042', Bob = 'P-7' }", role: role)
            try await database.send(.easter(of: User(id: 3, name: "Carl"), steps: 7), as: "other")
            _ = try await own.deliver([SharePayload(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]))])
            let failure = await #expect(throws: ShareFailure.self) {
                try await own.deliver([SharePayload(.easter(of: User(id: 2, name: "Bob"), steps: 5))])
            }
            #expect(failure?.kind == .credentials)
            #expect(failure?.advice?.contains("istep.enrol") == true)
            let check = await #expect(throws: ShareFailure.self) { try await own.check() }
            #expect(check?.kind == .credentials && check?.reason == "the role \"\(role)\" is not enrolled for \"P-7\"")
            #expect(try await database.totals() == ["Carl\t2014-04-20\t7\t1", "P-0042\t2014-04-20\t100\t1"])
            #expect(try await database.query("SET ROLE \(role); SELECT subject FROM istep.day") == ["P-0042"])
            for view in ["days", "total", "hours", "subject"] {
                await #expect(throws: PostgresCluster.Failure.self) {
                    try await database.query("SET ROLE \(role); SELECT * FROM istep.\(view)")
                }
            }
            let cohorts = try await database.query(
                "SET ROLE istep_reader; SELECT subject, cohort FROM istep.days ORDER BY 1")
            #expect(cohorts == ["Carl\t", "P-0042\tspring"])
            await #expect(throws: PostgresCluster.Failure.self) {
                try await database.query("SET ROLE istep_reader; SELECT * FROM istep.sample")
            }
            let forgotten = try await database.query("SELECT * FROM istep.forget('P-0042')")
            #expect(forgotten == ["samples\t2", "days of machines\t1", "merged days\t1", "profiles\t0", "subjects\t1"])
            let rest = try await database.query(
                """
                SELECT subject FROM istep.day UNION SELECT subject FROM istep.sample UNION SELECT subject FROM istep.total
                UNION SELECT subject FROM istep.subject UNION SELECT subject FROM istep.enrolment
                """)
            #expect(rest == ["Carl"])
            let nobody = await #expect(throws: ShareFailure.self) {
                try await database.destination(role: role).check()
            }
            #expect(nobody?.reason == "the role \"\(role)\" is not enrolled for any subject")
            try await database.query("DROP ROLE \(role)")
        }
    }

    @Test(arguments: [
        ("nobody", "there is no role nobody"), ("istep_reader", "the role istep_reader is not a machine"),
    ])
    func `only the role of a machine can be enrolled`(role: String, words: String) async throws {
        try await PostgresDatabase.with { database in
            let failure = await #expect(throws: PostgresCluster.Failure.self) {
                try await database.query("SELECT istep.enrol('P-1', '\(role)')")
            }
            #expect(failure?.words.contains(words) == true)
        }
    }

    @Test func `what a machine sent is deleted, and the other machines' days stay`() async throws {
        try await PostgresDatabase.with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            let bobs = SharedDay.easter(of: User(id: 2, name: "Bob"), steps: 7, tracks: [.track("watch", steps: 7)])
            try await database.send(day, bobs, as: "old")
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "new")
            // It waits for a machine that sends, and that machine for it.
            let locks = try await database.query(
                """
                BEGIN; SELECT istep.retire('old', 'Anna'), count(*) FROM istep.forget('P-1');
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid(); ROLLBACK;
                """)
            #expect(locks.last == "2", "\(locks)")
            #expect(try await database.query("SELECT istep.retire('old', 'Anna')") == ["1"])
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t1", "Bob\t2014-04-20\t7\t1"])
            #expect(try await database.query("SELECT istep.retire('old')") == ["1"])
            #expect(try await database.query("SELECT istep.retire('old')") == ["0"])
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t1"])
            #expect(try await database.query("SELECT DISTINCT machine FROM istep.sample") == ["new"])
        }
    }

    /// A board that reads all night must not hold up a machine that sends the first day of a month.
    @Test func `a new month does not wait for readers`() async throws {
        try await PostgresDatabase.with { database in
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "pi")
            let locks = try await database.query(
                """
                BEGIN;
                SELECT istep.prepare('2014-06-01', '2014-07-01');
                SELECT mode FROM pg_locks WHERE relation = 'istep.sample'::regclass AND pid = pg_backend_pid()
                    AND (mode LIKE 'Access%Exclusive%' OR mode = 'ExclusiveLock');
                COMMIT;
                SELECT count(*) FROM pg_inherits WHERE inhparent = 'istep.sample'::regclass;
                """)
            #expect(locks.filter { !$0.isEmpty } == ["3"], "\(locks)")
        }
    }

    /// What a role that was stolen could try: all of it fails, or changes only its own subject.
    @Test func `a hostile role changes nothing of others`() async throws {
        try await PostgresDatabase.with { database in
            let role = "thief_of_\(database.name)"
            try await database.query("CREATE ROLE \(role) IN ROLE istep_machine; SELECT istep.enrol('Anna', '\(role)')")
            try await database.send(
                .easter(of: User(id: 2, name: "Bob"), steps: 7, tracks: [.track("ring", steps: 7)]),
                as: "pi")
            try await database.query("INSERT INTO istep.person VALUES ('Bob', 'pi', '{}', 1)")
            let state = """
                SELECT d::text FROM istep.day AS d UNION ALL SELECT s::text FROM istep.sample AS s
                UNION ALL SELECT t::text FROM istep.total AS t UNION ALL SELECT subject || content FROM istep.person
                UNION ALL SELECT e::text FROM istep.enrolment AS e ORDER BY 1
                """
            let before = try await database.query(state)
            let refused = [
                "INSERT INTO istep.day SELECT 'Bob', day, 'x', 1, 1, 1, 1, 'complete', false, NULL, 0, '{}', true, NULL, 9, now() FROM (VALUES ('2014-04-20'::date)) AS x (day)",
                "INSERT INTO istep.person VALUES ('Bob', 'x', '{}', 9)",
                "INSERT INTO istep.enrolment VALUES ('Bob', '\(role)')", "UPDATE istep.enrolment SET subject = 'Bob'",
                "DELETE FROM istep.enrolment", "SELECT istep.enrol('Bob', '\(role)')", "SELECT istep.forget('Bob')",
                "SELECT istep.retire('pi')", "SELECT * FROM istep.sample_2014_04", "TRUNCATE istep.day",
                "SELECT setval('istep.revision', 9223372036854775807)", "DROP TABLE istep.day",
                "CREATE TABLE istep.own (x integer)", "ALTER TABLE istep.day DISABLE ROW LEVEL SECURITY",
                "CREATE OR REPLACE VIEW istep.days AS SELECT 1", "SELECT * FROM istep.total",
                "SELECT * FROM istep.days",
                "SELECT istep.counted_day('Anna', '2014-04-20')", "SELECT * FROM istep.subject",
                "COPY istep.day TO PROGRAM 'cat'", "SET row_security = off; SELECT * FROM istep.day",
            ]
            for statement in refused {
                await #expect(throws: PostgresCluster.Failure.self, "\(statement)") {
                    try await database.query("SET ROLE \(role); \(statement)")
                }
            }
            for statement in [
                "UPDATE istep.day SET steps = 0", "DELETE FROM istep.sample", "UPDATE istep.person SET content = '1'",
                "DELETE FROM istep.person", "SELECT istep.settle('{Bob}', '{2014-04-20}')",
                "SELECT * FROM istep.day, istep.sample, istep.person",
            ] {
                let found = try await database.query("SET ROLE \(role); \(statement)")
                #expect(found.filter { !$0.isEmpty } == [], "\(statement)")
            }
            #expect(try await database.query(state) == before)
            try await database.query("SELECT istep.forget('Anna'); DROP ROLE \(role)")
        }
    }

    /// Which delivery is the later one is decided by the server's counter.
    @Test func `a machine whose clock is four years ahead is corrected by the others`() async throws {
        try await PostgresDatabase.with { database in
            var ahead = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]).summary
            ahead.lastSync = Timestamp(1_398_000_000 + 4 * 365 * 86_400)
            try await database.send(
                try #require(SharedDay(ahead, tracks: [.track("ring", steps: 60, 40)])), as: "pi")
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t1"])
        }
    }

    /// The functions that run as the owner find no type or function of the caller.
    @Test func `a machine cannot act as the owner of the database`() async throws {
        try await PostgresDatabase.with { database in
            let role = "intruder_of_\(database.name)"
            try await database.query("CREATE ROLE \(role) IN ROLE istep_machine")
            for name in ["name", "text", "timestamp", "record", "int4", "void"] {
                try await database.query(
                    """
                    SET ROLE \(role);
                    CREATE FUNCTION pg_temp.evil(value anyelement) RETURNS boolean LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION 'as %', current_user; END $$;
                    CREATE DOMAIN pg_temp.\(name) AS pg_catalog.text CHECK (pg_temp.evil(VALUE));
                    SELECT istep.prepare('2001-01-01', '2001-01-02');
                    SELECT istep.settle('{P-1}', '{2001-01-01}');
                    """)
            }
        }
    }

    @Test func `only users with a subject are sent`() async throws {
        try await PostgresDatabase.with { database in
            let destination = try database.destination("subjects = { Anna = 'P-0042' }")
            #expect(destination.terms.include(.anna) && !destination.terms.include(User(id: 2, name: "Bob")))
        }
    }

    /// Grafana's macros stand for texts as they do there.
    @Test func `each query of the dashboard gives rows to a reader`() async throws {
        let queries = try Dashboard.read("postgres").queries
        #expect(queries.count > 6)
        try await PostgresDatabase.with { database in
            try await database.send(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]), as: "pi")
            for (title, query) in queries {
                let filled = query.replacing(/\$__timeFilter\(([a-z]+)\)/) {
                    "\($0.output.1) BETWEEN '2014-04-01T00:00:00Z' AND '2014-04-30T00:00:00Z'"
                }.replacing("$subject", with: "'Anna'")
                #expect(!filled.contains("$"), "\(title)")
                let rows = try await database.query("SET ROLE istep_reader; \(filled)")
                #expect(!rows.isEmpty, "\(title)")
            }
        }
    }
}
