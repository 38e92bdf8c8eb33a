import Foundation
import Postgres
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// The destination `postgres` on Debian's PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct PostgresTests {
    private func destination(_ database: PostgresDatabase, _ more: String = "", role: String? = nil) throws
        -> any ShareDestination
    {
        try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(database.keys(role: role))\n\(more)")
    }

    private func send(_ days: SharedDay..., to database: PostgresDatabase, as machine: String) async throws {
        _ = try await destination(database, "machine = '\(machine)'").deliver(days.map { SharePayload($0) })
    }

    private func totals(_ database: PostgresDatabase) async throws -> [String] {
        try await database.query("SELECT subject, day, steps, machines FROM istep.days ORDER BY subject, day")
    }

    private func with(isEmpty: Bool = false, _ body: (PostgresDatabase) async throws -> Void) async throws {
        let database = try await PostgresDatabase.make(isEmpty: isEmpty)
        do { try await body(database) } catch {
            await database.drop()
            throw error
        }
        await database.drop()
    }

    // MARK: Nothing twice

    @Test func `a ring that two machines read counts once`() async throws {
        try await with { database in
            let early = SharedDay.easter(steps: 100, completeness: .partial, tracks: [.track("ring", steps: 60, 40)])
            let late = SharedDay.easter(steps: 130, tracks: [.track("Colmi", steps: 60, 50, 20)])
            try await send(early, to: database, as: "pi")
            try await send(late, to: database, as: "laptop")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t130\t2"])
            let complete = try await database.query("SELECT complete FROM istep.days")
            #expect(complete == ["t"])
            // Again, in the other order.
            try await send(early, to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t130\t2"])
        }
    }

    /// A year in which two machines read three pedometers, with journeys and changes of clocks: the merged days are
    /// those that one history with all three has.
    @Test func `merged days are those of istep`() async throws {
        try await with { database in
            let berlin = LocalTime.zone(try #require(TimeZone(identifier: "Europe/Berlin")))
            let york = LocalTime.zone(try #require(TimeZone(identifier: "America/New_York")))
            var random = SeededGenerator(seed: 35)
            let first = try #require(Day("2013-01-01"))
            var expected: [String] = []
            var sent: [String: [SharePayload]] = ["pi": [], "laptop": []]
            var ends: [Pedometer.ID: Timestamp] = [:]
            for offset in 0..<365 {
                let day = first.advanced(by: offset)
                let zone = (100..<130).contains(offset) ? york : berlin
                let pedometers: [(Pedometer.ID, Int)] = [(1, 900), (2, 60), (3, 0)]
                let tracks = pedometers.map { id, length in
                    let span = zone.span(of: day)
                    var samples: [StepSample] = []
                    // After a journey to the east, a part of the day was spent on the day before.
                    var start = max(span.start + Int.random(in: 0..<3600, using: &random), ends[id] ?? span.start)
                    ends[id] = span.end
                    while start < span.end {
                        let seconds = min(length == 0 ? span.end - start : length, span.end - start)
                        if length == 0 || Int.random(in: 0..<12, using: &random) == 0 {
                            samples.append(
                                StepSample(
                                    start: start, length: seconds,
                                    steps: Int.random(in: 0...min(4000, seconds * 2), using: &random),
                                    utcOffset: zone.utcOffset(start)))
                        }
                        start = start + (length == 0 ? 86_400 : length)
                    }
                    return DayData.Track(pedometer: id, name: "pedometer \(id)", samples: samples)
                }
                func shared(_ tracks: [DayData.Track]) -> SharedDay? {
                    SharedDay(
                        DayData(user: .anna, day: day, tracks: tracks), localTime: zone,
                        now: first.advanced(by: 400).noon,
                        includesSamples: true)
                }
                let all = try #require(shared(tracks))
                expected.append("Anna\t\(day)\t\(all.steps)\t2")
                sent["pi"]?.append(SharePayload(try #require(shared([tracks[0], tracks[1]]))))
                sent["laptop"]?.append(SharePayload(try #require(shared([tracks[0], tracks[2]]))))
            }
            for (machine, payloads) in sent {
                let destination = try destination(database, "machine = '\(machine)'")
                for start in stride(from: 0, to: payloads.count, by: destination.traits.batch) {
                    _ = try await destination.deliver(
                        Array(payloads[start..<min(start + destination.traits.batch, payloads.count)]))
                }
            }
            let found = try await totals(database)
            #expect(found.count == 365)
            for (found, expected) in zip(found, expected) { #expect(found == expected) }
        }
    }

    /// A total beside slots, slots that begin at other seconds, and two pedometers with one name.
    @Test(arguments: [
        ([(0, 86_400, 5000)], [(0, 3600, 2500), (7200, 3600, 2500)], 5000),
        ([(0, 900, 500), (900, 900, 500)], [(10, 900, 500), (910, 900, 500)], 1000),
        ([(0, 900, 1000), (900, 900, 100)], [(450, 900, 100), (1350, 900, 1000)], 1100),
    ]) func `pedometers of one name on two machines do not count twice`(
        first: [(Int, Int, Int)], second: [(Int, Int, Int)], steps: Int
    ) async throws {
        try await with { database in
            for (machine, slots) in [("pi", first), ("laptop", second)] {
                let samples = slots.map {
                    StepSample(start: Timestamp(1_397_944_800 + $0.0), length: $0.1, steps: $0.2, utcOffset: 7200)
                }
                let sum = samples.reduce(0) { $0 + $1.steps }
                try await send(
                    .easter(steps: sum, tracks: [.init(pedometer: "ring", samples: samples)]), to: database,
                    as: machine)
            }
            #expect(try await totals(database) == ["Anna\t2014-04-20\t\(steps)\t2"])
        }
    }

    @Test func `samples that are no longer sent are removed`() async throws {
        try await with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            try await send(day, to: database, as: "pi")
            _ = try await destination(database, "machine = 'pi'\nsamples = false").deliver([
                SharePayload(.easter(steps: 100))
            ])
            #expect(try await database.query("SELECT count(*) FROM istep.sample") == ["0"])
            #expect(try await totals(database) == ["Anna\t2014-04-20\t100\t1"])
        }
    }

    @Test(arguments: [
        "UPDATE istep.day SET day = 'infinity'", "UPDATE istep.day SET utc_offset = 2147483647",
        "UPDATE istep.day SET steps = 2000000000", "UPDATE istep.day SET machine = E'a\\nb'",
        "UPDATE istep.sample SET seconds = 1000000000", "UPDATE istep.sample SET utc_offset = 2147483647",
    ]) func `values that would break the views are refused`(change: String) async throws {
        try await with { database in
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "pi")
            let failure = await #expect(throws: PostgresCluster.Failure.self) { try await database.query(change) }
            #expect(failure?.words.contains("\"possible\"") == true)
        }
    }

    @Test func `a later delivery without a sample removes it, and only that machine's`() async throws {
        try await with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            try await send(day, to: database, as: "pi")
            try await send(day, to: database, as: "laptop")
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "pi")
            let samples = try await database.query("SELECT machine, steps FROM istep.sample ORDER BY machine, started")
            #expect(samples == ["laptop\t60", "laptop\t40", "pi\t60"])
            // The other machine still has it.
            #expect(try await totals(database) == ["Anna\t2014-04-20\t100\t2"])
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "laptop")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t2"])
        }
    }

    @Test func `a total of a day shows no hour`() async throws {
        try await with { database in
            var total = SharedDay.Track.track("import", steps: 100)
            total.samples[0].length = 12 * 3600
            try await send(.easter(steps: 100, tracks: [total]), to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t100\t1"])
            #expect(try await database.query("SELECT * FROM istep.hours").isEmpty)
        }
    }

    @Test func `time that one machine excludes does not count on another`() async throws {
        try await with { database in
            let tracks = [SharedDay.Track.track("ring", steps: 60, 40, 7)]
            try await send(.easter(steps: 107, tracks: tracks), to: database, as: "pi")
            var day = SharedDay.easter(steps: 67, tracks: [.track("ring", steps: 60, 40, 7)])
            let kept = tracks[0].samples.filter { $0.steps != 40 }
            var summary = day.summary
            summary.excluded = [
                ExcludedSteps(Exclusion(tracks[0].samples[1].span, utcOffset: 7200), steps: 40)
            ]
            day = try #require(SharedDay(summary, tracks: [.init(pedometer: "ring", samples: kept)], utcOffset: 7200))
            try await send(day, to: database, as: "laptop")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t67\t2"])
        }
    }

    /// The ledger of a machine compares fingerprints: without this, the exclusion would not be sent.
    @Test func `an exclusion that takes no steps changes what is sent`() throws {
        let day = SharedDay.easter()
        var summary = day.summary
        let span = TimeSpan(Timestamp(1_397_980_800), Timestamp(1_397_981_700))
        summary.excluded = [ExcludedSteps(Exclusion(span, utcOffset: 7200), steps: 0)]
        #expect(try #require(SharedDay(summary)).fingerprint != day.fingerprint)
    }

    /// Otherwise a history that is built again would lack it.
    @Test func `time that a pedometer has accounted for changes what is sent`() throws {
        var day = SharedDay.easter(tracks: [.track("ring", steps: 60)])
        let plain = day.fingerprint
        var track = day.tracks[0]
        let span = TimeSpan(Timestamp(1_397_980_800), Timestamp(1_397_981_700))
        var fingerprints: Set = [plain]
        for covered in [[], [CoveredSpan(span, utcOffset: 7200)], [CoveredSpan(span, utcOffset: 3600)]] {
            track.evidence = .init(pedometer: 1, coverage: covered)
            day = try #require(SharedDay(day.summary, tracks: [track]))
            fingerprints.insert(day.fingerprint)
        }
        // Without coverage it is as before, so that other destinations are not sent the day again.
        #expect(fingerprints.count == 3)
    }

    /// As `istep delete` sends it.
    @Test func `a day that a machine deletes counts only as far as others know it`() async throws {
        try await with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            let deleted = SharedDay.easter(
                steps: 0, metres: nil, kilocalories: nil, goal: nil, completeness: .unknown)
            try await send(day, to: database, as: "pi")
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "laptop")
            try await send(deleted, to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t1"])
            try await send(deleted, to: database, as: "laptop")
            #expect(try await totals(database) == [])
            #expect(try await database.query("SELECT count(*) FROM istep.sample") == ["0"])
            try await send(day, to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t100\t1"])
        }
    }

    @Test func `a correction by hand holds for all machines until it is removed`() async throws {
        try await with { database in
            let counted = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            var summary = counted.summary
            (summary.steps, summary.isCorrected, summary.correctedAt) = (42, true, Timestamp(1_398_000_000))
            let corrected = try #require(SharedDay(summary, tracks: counted.tracks))
            try await send(corrected, to: database, as: "pi")
            try await send(counted, to: database, as: "laptop")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t42\t2"])
            try await send(counted, to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t100\t2"])
        }
    }

    @Test func `an older delivery never replaces a newer one`() async throws {
        try await with { database in
            try await send(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]), to: database, as: "pi")
            // As if one that began later had been stored.
            try await database.query("UPDATE istep.day SET revision = revision + 10, steps = 90")
            try await send(.easter(steps: 50, tracks: [.track("ring", steps: 50)]), to: database, as: "pi")
            #expect(try await database.query("SELECT steps FROM istep.day") == ["90"])
            #expect(try await database.query("SELECT steps FROM istep.sample ORDER BY started") == ["60", "40"])
        }
    }

    @Test func `days go there all or none`() async throws {
        try await with { database in
            try await database.query("ALTER TABLE istep.sample ADD CHECK (steps < 100)")
            let failure = await #expect(throws: ShareFailure.self) {
                try await send(
                    .easter(steps: 60, tracks: [.track("ring", steps: 60)]),
                    .easter(steps: 812, later: 1, tracks: [.track("ring", steps: 812)]), to: database, as: "pi")
            }
            #expect(failure?.kind == .rejected)
            #expect(
                try await database.query(
                    "SELECT (SELECT count(*) FROM istep.day) + (SELECT count(*) FROM istep.sample)") == ["0"])
        }
    }

    // MARK: Who may do what

    @Test func `a machine sends and sees only the subjects that it is enrolled for`() async throws {
        try await with { database in
            let role = "machine_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query(
                """
                CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_machine;
                SELECT istep.enrol('P-0042', '\(role)', 'spring');
                """)
            let own = try destination(
                database, "machine = 'pi'\nsubjects = { Anna = 'P-0042', Bob = 'P-7' }", role: role)
            try await send(.easter(of: User(id: 3, name: "Carl"), steps: 7), to: database, as: "other")
            _ = try await own.deliver([SharePayload(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]))])
            let failure = await #expect(throws: ShareFailure.self) {
                try await own.deliver([SharePayload(.easter(of: User(id: 2, name: "Bob"), steps: 5))])
            }
            #expect(failure?.kind == .credentials)
            #expect(failure?.advice?.contains("istep.enrol") == true)
            let check = await #expect(throws: ShareFailure.self) { try await own.check() }
            #expect(check?.kind == .credentials && check?.reason == "the role \"\(role)\" is not enrolled for \"P-7\"")
            #expect(try await totals(database) == ["Carl\t2014-04-20\t7\t1", "P-0042\t2014-04-20\t100\t1"])
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
                try await destination(database, role: role).check()
            }
            #expect(nobody?.reason == "the role \"\(role)\" is not enrolled for any subject")
            try await database.query("DROP ROLE \(role)")
        }
    }

    @Test(arguments: [
        ("nobody", "there is no role nobody"), ("istep_reader", "the role istep_reader is not a machine"),
    ])
    func `only the role of a machine can be enrolled`(role: String, words: String) async throws {
        try await with { database in
            let failure = await #expect(throws: PostgresCluster.Failure.self) {
                try await database.query("SELECT istep.enrol('P-1', '\(role)')")
            }
            #expect(failure?.words.contains(words) == true)
        }
    }

    @Test func `what a machine sent is deleted, and the other machines' days stay`() async throws {
        try await with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            let bobs = SharedDay.easter(of: User(id: 2, name: "Bob"), steps: 7, tracks: [.track("watch", steps: 7)])
            try await send(day, bobs, to: database, as: "old")
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "new")
            // It waits for a machine that sends, and that machine for it.
            let locks = try await database.query(
                """
                BEGIN; SELECT istep.retire('old', 'Anna'), count(*) FROM istep.forget('P-1');
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid(); ROLLBACK;
                """)
            #expect(locks.last == "2", "\(locks)")
            #expect(try await database.query("SELECT istep.retire('old', 'Anna')") == ["1"])
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t1", "Bob\t2014-04-20\t7\t1"])
            #expect(try await database.query("SELECT istep.retire('old')") == ["1"])
            #expect(try await database.query("SELECT istep.retire('old')") == ["0"])
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t1"])
            #expect(try await database.query("SELECT DISTINCT machine FROM istep.sample") == ["new"])
        }
    }

    /// A board that reads all night must not hold up a machine that sends the first day of a month.
    @Test func `a new month does not wait for readers`() async throws {
        try await with { database in
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "pi")
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
        try await with { database in
            let role = "thief_of_\(database.name)"
            try await database.query("CREATE ROLE \(role) IN ROLE istep_machine; SELECT istep.enrol('Anna', '\(role)')")
            try await send(
                .easter(of: User(id: 2, name: "Bob"), steps: 7, tracks: [.track("ring", steps: 7)]), to: database,
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
        try await with { database in
            var ahead = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]).summary
            ahead.lastSync = Timestamp(1_398_000_000 + 4 * 365 * 86_400)
            try await send(
                try #require(SharedDay(ahead, tracks: [.track("ring", steps: 60, 40)])), to: database, as: "pi")
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "pi")
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t1"])
        }
    }

    /// The functions that run as the owner find no type or function of the caller.
    @Test func `a machine cannot act as the owner of the database`() async throws {
        try await with { database in
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
        try await with { database in
            let destination = try destination(database, "subjects = { Anna = 'P-0042' }")
            #expect(destination.terms.include(.anna) && !destination.terms.include(User(id: 2, name: "Bob")))
        }
    }

    /// Grafana's macros stand for texts as they do there.
    @Test func `each query of the dashboard gives rows to a reader`() async throws {
        let queries = try Dashboard.read("postgres").queries
        #expect(queries.count > 6)
        try await with { database in
            try await send(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]), to: database, as: "pi")
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

    // MARK: Failures

    /// All statements, one after the other, with fewer participants.
    @Test func `the statements and tables of the manual work`() async throws {
        try await with { database in
            let statements = try Manual.blocks("sql", on: "postgres.md").joined(separator: "\n")
            #expect(statements.contains("generate_series(1, 1000)"))
            let roles = try await database.query(
                statements.replacing("1000", with: "50")
                    + "\nSELECT count(*) FROM pg_roles WHERE rolname ~ '^p\\d{4}$';"
                    + "SELECT role, subject FROM istep.enrolment WHERE role !~ '^p\\d{4}$' ORDER BY 1, 2;"
                    + "SELECT format('DROP ROLE %I', rolname) FROM pg_roles"
                    + " WHERE rolname ~ '^p\\d{4}$' OR rolname IN ('kitchen', 'study', 'grafana') \\gexec")
            #expect(roles.suffix(3) == ["49", "kitchen\tAnna", "kitchen\tBob"], "\(roles)")
            for table in try Manual.blocks("toml", on: "postgres.md") {
                #expect(try Fixture.destination(table, environment: [:]).kind == "postgres")
            }
        }
    }

    @Test func `failures say what to do`() async throws {
        try await with(isEmpty: true) { database in
            let payload = SharePayload(.easter(tracks: [.track("ring", steps: 60)]))
            let absent = "host = '/nowhere'\ndatabase = 'health'\n"
            let stranger = try Fixture.destination(
                "[share.db]\nkind = \"postgres\"\n\(database.keys(role: "pi"))",
                environment: [TestSecret.variable: "wrong"])
            // Refused for another reason than its password, and only for now.
            let busy = "busy_\(database.name)"
            let word = TestSecret.text.replacing("'", with: "''")
            try await database.query("CREATE ROLE \(busy) LOGIN PASSWORD '\(word)' CONNECTION LIMIT 0")
            let cases: [(any ShareDestination, ShareFailure.Kind, String)] = [
                (try destination(database), .misconfigured, "istep postgres schema"),
                (stranger, .credentials, "password"),
                (try destination(database, role: busy), .unreachable, ""),
                (
                    try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(absent)"), .unreachable,
                    "/var/run/postgresql"
                ),
            ]
            for (destination, kind, advice) in cases {
                for failure in [
                    await #expect(throws: ShareFailure.self) { try await destination.check() },
                    await #expect(throws: ShareFailure.self) { try await destination.deliver([payload]) },
                ] {
                    #expect(failure?.kind == kind, "\(failure?.reason ?? "")")
                    #expect(failure?.advice?.contains(advice) ?? advice.isEmpty)
                }
            }
        }
    }

    @Test func `the script can be carried out again, and a check names the version`() async throws {
        try await with { database in
            try await send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), to: database, as: "pi")
            try await database.query(PostgresSchema.script)
            #expect(try await totals(database) == ["Anna\t2014-04-20\t60\t1"])
            #expect(try await destination(database, "machine = 'pi'").check().hasSuffix("schema 5, as machine \"pi\""))
            try await database.query(
                "CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql AS 'SELECT 0'")
            let failure = await #expect(throws: ShareFailure.self) { try await destination(database).check() }
            #expect(failure?.reason == "the schema has version 0, this istep needs 5")
        }
    }

    @Test func `samples of impossible times are rejected`() async throws {
        try await with { database in
            let sample = StepSample(start: Timestamp(4_000_000_000), length: 900, steps: 5, utcOffset: 0)
            let failure = await #expect(throws: ShareFailure.self) {
                try await send(
                    .easter(tracks: [.init(pedometer: "ring", samples: [sample])]), to: database, as: "pi")
            }
            #expect(failure?.kind == .rejected)
        }
    }

    // MARK: The configuration

    @Test(arguments: [
        ("url = 'postgresql://anna:secret@db/health'", "an address without a password"),
        ("url = 'http://db/health'", "an address without a password"),
        ("url = 'postgresql://db/health'\nhost = 'db'", "left out: it is part of `url`"),
        ("host = 'db'", "database"), ("database = 'health'", "host"), ("host = 'db'\ndatabase = 'h'\nport = 0", "port"),
        ("url = 'postgresql://db/health?pass%77ord=secret'", "an address without a password"),
        ("host = 'db'\ndatabase = 'dbname=health password=secret'", "the name of the database"),
        ("host = 'db'\ndatabase = 'h'\nsubjects = { Anna = 'P-1', Bob = 'P-1' }", "another name for each user"),
        ("host = 'db'\ndatabase = 'h'\nmachine = \"a\\nb\"", "control character"),
    ])
    func `a wrong address is refused`(keys: String, words: String) {
        let problems = Fixture.problems("[share.db]\nkind = \"postgres\"\n\(keys)\n")
        #expect(problems.joined().contains(words))
        #expect(!problems.joined().contains("secret"))
    }

    /// Of another machine, the certificate and the name are verified.
    @Test(arguments: [
        ("host = 'db'\ndatabase = 'h'", "verify-full"), ("host = '127.0.0.1'\ndatabase = 'h'", "prefer"),
        ("host = '/run/postgresql'\ndatabase = 'h'", "prefer"), ("service = 'health'", "verify-full"),
        ("url = 'postgresql://db/h'", "verify-full"), ("url = 'postgresql://localhost/h'", "prefer"),
        ("url = 'postgresql:///h'", "prefer"), ("url = 'postgresql:///h?host=db'", "verify-full"),
        ("url = 'postgresql://a,b/h'", "verify-full"), ("host = 'db'\ndatabase = 'h'\ninsecure = true", "prefer"),
        ("url = 'postgresql://localhost@db/h'", "verify-full"),
        ("url = 'postgresql://localhost/h?sslmode=verify-full'", "verify-full"),
        ("host = 'localhost'\ndatabase = 'h'\nca_file = '/ca.pem'", "verify-full"),
        ("url = 'postgresql://db/h?sslmode=disable'", "verify-full"),
        ("host = 'localhost,db'\ndatabase = 'h'", "verify-full"),
    ])
    func `TLS is verified unless the server is this machine`(keys: String, mode: String) throws {
        let destination = try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(keys)\n")
        let postgres = try #require(destination as? PostgresDestination)
        #expect(postgres.address.parameters["sslmode"] == mode)
    }
}

extension Day {
    fileprivate var noon: Timestamp { Timestamp(daysSince1970 * 86_400 + 43_200) }
}
