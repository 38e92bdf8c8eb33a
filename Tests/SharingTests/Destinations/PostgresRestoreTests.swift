import Foundation
import Postgres
import StepDatabase
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import Sharing

/// A history that is built again from what a machine has sent to Debian's PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct PostgresRestoreTests {
    private static let now = Timestamp(1_398_902_400)  // 2014-05-01
    private static let first = Day(daysSince1970: 15_706)  // 2013-01-01
    private static let days = (0..<365).map { first.advanced(by: $0) }
    private static let limits = ExportLimits(now: now, models: ["colmi"], formats: ["istep-export"])

    private static func destination(_ database: PostgresDatabase, _ more: String, role: String? = nil) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.family]\nkind = \"postgres\"\n\(database.keys(role: role))\n\(more)", now: { now })
    }

    private static func share(
        _ order: ShareOrder, _ history: StepDatabase, with destination: any ShareDestination
    ) async throws {
        let outbox = Outbox(history: history, ledger: history, localTime: .berlin, now: { now })
        let reports = try await outbox.share(order, to: [destination], users: try history.users())
        #expect(reports.allSatisfy { $0.failure == nil && $0.fault == nil && $0.waiting == 0 }, "\(reports)")
    }

    private static func restore(
        _ destination: any ShareDestination, user: String? = nil, machine: String? = nil, to path: String
    ) async throws -> StepDatabase {
        let candidate = try await SharedRestore([destination]).candidate(
            from: "postgres:family", user: user, machine: machine)
        let export = candidate.export
        let preview = try StepDatabase.previewRestoring(export, limits)
        let restored = try StepDatabase(path: path)
        #expect(try restored.restore(export, limits) == preview)
        return restored
    }

    private static func summary(_ history: StepDatabase, _ user: User, _ day: Day) throws -> DaySummary {
        let data = try history.dayData(of: user, on: day)
        var summary = DaySummary(data, localTime: day.localTime, now: now)
        summary.lastSync = nil
        return summary
    }

    /// What a day has without a profile and a plan.
    private static func counted(_ summary: DaySummary) -> DaySummary {
        DaySummary(
            user: summary.user, day: summary.day, steps: summary.steps, walkingSteps: summary.walkingSteps,
            runningSteps: summary.runningSteps, category: summary.category, hours: summary.hours,
            completeness: summary.completeness, isCorrected: summary.isCorrected, countedSteps: summary.countedSteps,
            correctedAt: summary.correctedAt, implausibleSteps: summary.implausibleSteps,
            excluded: summary.excluded.map {
                var block = $0
                block.exclusion.reason = nil
                return block
            }, deviceTotals: summary.deviceTotals)
    }

    @Test(arguments: [true, false]) func `a restored history is the old one, day by day`(isPersonal: Bool) async throws
    {
        try await PostgresDatabase.withDirectory { database, directory in
            let old = try StepDatabase(path: directory + "/old.sqlite")
            let anna = try Year.make(in: old, Self.days, now: Self.now)
            let keys = "machine = 'old'\nsince = 2013-01-01\npersonal = \(isPersonal)"
            let destination = try Self.destination(database, keys)
            try await Self.share(.days(Self.days, of: anna), old, with: destination)
            // Changes after days were sent.
            let deleted = Self.days[300]
            _ = try old.delete(.days(deleted...deleted, of: anna), at: Self.now, isPreview: false)
            try old.setCorrection(StepCorrection(steps: 4321), of: anna.id, on: Self.days[301], at: Self.now)
            try old.exclude(
                Exclusion(
                    TimeSpan(LocalTime.berlin.moment(Self.days[302]), LocalTime.berlin.moment(Self.days[303])),
                    utcOffset: 3600),
                of: anna.id, at: Self.now)
            try await Self.share(.due, old, with: destination)

            let new = try await Self.restore(destination, to: directory + "/new.sqlite")
            let user = try #require(try new.users().first)
            #expect(user == anna)
            var unequal: [Day] = []
            for offset in -2..<367 {
                let day = Self.first.advanced(by: offset)
                var (before, after) = (try Self.summary(old, anna, day), try Self.summary(new, user, day))
                if !isPersonal { (before, after) = (Self.counted(before), Self.counted(after)) }
                if before != after { unequal.append(day) }
                if unequal.count == 1, unequal[0] == day { #expect(before == after) }
            }
            #expect(unequal == [])
            #expect(try new.profiles(of: user.id) == (isPersonal ? try old.profiles(of: anna.id) : []))
            #expect(try new.plans(of: user.id) == (isPersonal ? try old.plans(of: anna.id) : []))
            // A sync leaves the day out on the new machine, too.
            #expect(try new.readmit(deleted...deleted, of: user.id) == 1)

            // The real pedometer goes on with what it has counted, or begins beside it.
            let ring = try new.addPedometer(.ring(of: user))
            let tracks = try new.dayData(of: user, on: Self.days[40]).tracks
            #expect(tracks.contains { $0.pedometer == ring.id } == isPersonal)

            // Sending all again changes nothing.
            let query = "SELECT day, steps, complete, machines FROM istep.days ORDER BY day"
            let totals = try await database.query(query)
            try await Self.share(.days(Self.days, of: user), new, with: destination)
            #expect(try await database.query(query) == totals)
        }
    }

    @Test func `of several machines the one is named`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            for machine in ["kitchen", "study"] {
                _ = try await Self.destination(database, "machine = '\(machine)'").deliver([
                    SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))
                ])
            }
            let other = SharedRestore([try Self.destination(database, "machine = 'new'")])
            await #expect(throws: ServiceError.severalMachines(["kitchen", "study"], user: "Anna")) {
                try await other.candidate(from: "postgres:family", user: "anna", machine: nil)
            }
            await #expect(throws: ServiceError.unknownMachine("x", known: ["kitchen", "study"])) {
                try await other.candidate(from: "family", user: "Anna", machine: "x")
            }
            let named = try await other.candidate(from: "family", user: "anna", machine: "study")
            #expect(named.held.machine == "study" && named.others.map(\.machine) == ["kitchen"])
            let own = SharedRestore([try Self.destination(database, "machine = 'kitchen'")])
            #expect(try await own.candidate(from: "family", user: nil, machine: nil).held.isOwn)
            await #expect(throws: ServiceError.nothingHeld("Bob", destination: "family")) {
                try await own.candidate(from: "family", user: "Bob", machine: nil)
            }
            // A place that keeps both days of two.
            let toots = ScriptedDestination(
                "toots", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false),
                terms: ShareTerms(since: Self.first))
            let both = SharedRestore([try Self.destination(database, "machine = 'kitchen'"), toots])
            #expect(try await both.candidate(from: "family", user: nil, machine: nil).repeating == ["toots"])
            await #expect(throws: ServiceError.notRestorable("toots")) {
                try await both.candidate(from: "toots", user: nil, machine: nil)
            }
            await #expect(throws: ServiceError.unknownDestination("rest:family", known: ["postgres:family"])) {
                try await own.candidate(from: "rest:family", user: nil, machine: nil)
            }
        }
    }

    @Test func `subjects that this machine is not enrolled for are not restored`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let role = "restorer_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query(
                """
                CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_machine;
                SELECT istep.enrol('P-1', '\(role)');
                """)
            let day = SharedDay.easter(steps: 60, tracks: [.track("ring", steps: 60)])
            let bobs = SharedDay.easter(of: User(id: 2, name: "Bob"), steps: 7, tracks: [.track("ring", steps: 7)])
            _ = try await Self.destination(database, "machine = 'old'\nsubjects = { Anna = 'P-1', Bob = 'P-2' }")
                .deliver([
                    SharePayload(day), SharePayload(bobs),
                ])
            let own = try Self.destination(database, "subjects = { Anna = 'P-1', Bob = 'P-2' }", role: role)
            let persons = try await database.query(
                """
                INSERT INTO istep.person VALUES ('P-1', 'old', '{}', 1), ('P-2', 'old', '{}', 1);
                SET ROLE \(role); SELECT subject FROM istep.person; RESET ROLE; DELETE FROM istep.person;
                """)
            #expect(persons == ["P-1"])
            let restored = try await Self.restore(own, to: directory + "/new.sqlite")
            #expect(try restored.users().map(\.name) == ["Anna"])
            await #expect(throws: ServiceError.nothingHeld("Bob", destination: "family")) {
                try await SharedRestore([own]).candidate(from: "family", user: "Bob", machine: nil)
            }
            try await database.query("DROP ROLE \(role)")
        }
    }

    /// Whoever may write into the database can have written anything.
    @Test(arguments: [
        ("UPDATE istep.day SET evidence = '[]'", "is not JSON"),
        ("UPDATE istep.day SET evidence = '{\"sources\":[{\"name\":\"r\",\"rank\":1,\"coverage\":[[1]]}]}'", "a span"),
        (
            "UPDATE istep.day SET evidence = '{\"sources\":[{\"name\":\"r\",\"rank\":1,\"coverage\":[[1,2,-9223372036854775808]]}]}'",
            "a number"
        ),
        (
            "UPDATE istep.day SET evidence = '{\"sources\":[{\"name\":\"r\",\"rank\":1,\"coverage\":[[3999999900,4000000000,0]]}]}'",
            "in the future"
        ),
        ("UPDATE istep.sample SET source = E'a\\u001b[31m'", "row 1 of pedometers"),
        ("UPDATE istep.sample SET steps = 5000", "cannot be right"),
        (
            "INSERT INTO istep.sample SELECT subject, machine, 's' || n, started, 60, 1, 0, day, 1, NULL, NULL FROM istep.sample, generate_series(1, 501) AS n",
            "it has more than"
        ),
        (
            "INSERT INTO istep.person VALUES ('Anna', 'old', '{\"profiles\":[],\"plans\":[{\"validFrom\":\"2014-01-01\",\"goals\":[1]}],\"pedometers\":[]}', 1)",
            "seven days"
        ),
        (
            "INSERT INTO istep.person VALUES ('Anna', 'old', '{\"profiles\":[],\"plans\":[],\"pedometers\":[{\"name\":\"ring\",\"model\":\"evil\",\"address\":\"30:34:42:00:00:01\",\"addressType\":\"public\"}]}', 1)",
            "the model"
        ),
    ]) func `what istep does not write is refused`(change: String, words: String) async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database, "machine = 'old'")
            _ = try await destination.deliver([SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))])
            try await database.query(change)
            let export = try await SharedRestore([destination]).candidate(from: "family", user: nil, machine: nil)
                .export
            let new = try StepDatabase(path: directory + "/new.sqlite")
            let error = #expect(throws: ImportError.self) { try new.restore(export, Self.limits) }
            #expect(error.map { "\($0)" }?.contains(words) == true, "\(String(describing: error))")
            #expect(try new.users().isEmpty)
        }
    }

    @Test func `a database that is gone is reported, and nothing is stored`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database, "machine = 'old'")
            _ = try await destination.deliver([SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))])
            let export = try await SharedRestore([destination]).candidate(from: "family", user: nil, machine: nil)
                .export
            await database.drop()
            let new = try StepDatabase(path: directory + "/new.sqlite")
            #expect(throws: ShareFailure.self) { try new.restore(export, Self.limits) }
            #expect(try new.users().isEmpty)
        }
    }

    /// Machines are updated one after the other.
    @Test func `days of an earlier version come in without their coverage`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            // As version 3 has sent it: without the new columns.
            try await database.query(
                """
                SELECT istep.prepare('2014-04-20', '2014-04-20');
                INSERT INTO istep.day (subject, day, machine, steps, distance_m, energy_kcal, goal, completeness,
                    in_progress, corrected_at, utc_offset, excluded, has_samples, last_sync, revision, received)
                VALUES ('Anna', '2014-04-20', 'old', 60, 40, 2, NULL, 'complete', false, NULL, 7200,
                    '{[2014-04-20T10:00:00Z,2014-04-20T10:30:00Z)}', true, NULL, 1, '2014-04-21');
                INSERT INTO istep.sample (subject, machine, source, started, seconds, steps, utc_offset, day, rank)
                VALUES ('Anna', 'old', 'ring', '2014-04-20T08:00:00Z', 900, 60, 7200, '2014-04-20', 0);
                """)
            let destination = try Self.destination(database, "machine = 'old'")
            let candidate = try await SharedRestore([destination]).candidate(from: "family", user: nil, machine: nil)
            #expect(candidate.held.daysWithoutCoverage == 1)
            let new = try StepDatabase(path: directory + "/new.sqlite")
            _ = try new.restore(candidate.export, Self.limits)
            let summary = try Self.summary(new, try #require(try new.users().first), Day(daysSince1970: 16_180))
            #expect(summary.steps == 60 && summary.completeness == .partial)
            #expect(
                summary.excluded.map(\.exclusion.span) == [TimeSpan(Timestamp(1_397_988_000), Timestamp(1_397_989_800))]
            )
        }
    }

    @Test func `without version 4 of the schema days wait, and its script keeps what is there`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            try await database.query(
                """
                ALTER TABLE istep.day DROP CONSTRAINT possible, DROP COLUMN evidence;
                ALTER TABLE istep.sample DROP COLUMN distance_m, DROP COLUMN energy_kcal;
                DROP TABLE istep.person;
                """)
            let destination = try Self.destination(database, "machine = 'old'")
            let payload = SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))
            let failure = await #expect(throws: ShareFailure.self) { try await destination.deliver([payload]) }
            #expect(failure?.kind == .misconfigured && failure?.advice?.contains("istep postgres schema") == true)
            try await database.query(PostgresSchema.script)
            _ = try await destination.deliver([payload])
            #expect(try await database.query("SELECT steps, complete FROM istep.days") == ["60\tt"])
        }
    }

    @Test func `a profile that is no longer sent is removed`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            var day = SharedDay.easter(steps: 60, tracks: [.track("ring", steps: 60)])
            day.person = SharedPerson(profiles: [Profile(validFrom: day.day, height: 1.7)])
            let destination = try Self.destination(database, "machine = 'old'\npersonal = true")
            _ = try await destination.deliver([SharePayload(day)])
            let held = try await SharedRestore([destination]).candidate(from: "family", user: nil, machine: nil).held
            #expect(held.hasProfile && !held.hasPlan)
            day.person = nil
            _ = try await destination.deliver([SharePayload(day)])
            #expect(try await database.query("SELECT count(*) FROM istep.person") == ["0"])
        }
    }

    /// One out of use can have the name of one in use.
    @Test func `two pedometers of one name are two sources`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database, "machine = 'old'")
            _ = try await destination.deliver([
                SharePayload(.easter(steps: 70, tracks: [.track("ring", steps: 60), .track("ring", steps: 70)]))
            ])
            let sources = try await database.query("SELECT source, steps FROM istep.sample ORDER BY source")
            #expect(sources == ["ring\t60", "ring (1)\t70"])
        }
    }
}

extension Day {
    /// Where the year was spent: a month of it in New York.
    fileprivate var localTime: LocalTime {
        (15_806..<15_836).contains(daysSince1970) ? .fixed(-4 * 3600) : .berlin
    }
}

extension Pedometer {
    fileprivate static func ring(of user: User) -> Pedometer {
        Pedometer(
            user: user.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring")
    }
}

/// A year of two pedometers with gaps, journeys, changes of clocks, corrections and exclusions.
private enum Year {
    static func make(in history: StepDatabase, _ days: [Day], now: Timestamp) throws -> User {
        let anna = try history.addUser(named: "Anna")
        try history.setProfile(
            Profile(validFrom: days[0], height: 1.7, weight: 60, sex: .female, birthDate: Day(daysSince1970: 3000)),
            of: anna.id)
        try history.setProfile(
            Profile(validFrom: days[200], height: 1.7, weight: 62, sex: .female, stepLength: 0.7), of: anna.id)
        try history.setPlan(SportPlan(validFrom: days[0], goals: [1, 2, 3, 4, 5, 6, 0].map { $0 * 1000 }), of: anna.id)
        try history.setPlan(SportPlan(validFrom: days[250], goals: Array(repeating: 8000, count: 7)), of: anna.id)
        let ring = try history.addPedometer(.ring(of: anna))
        var other = Pedometer.ring(of: anna)
        (other.name, other.address) = ("watch", "30:34:42:00:00:02")
        let watch = try history.addPedometer(other)
        for (pedometer, length) in [(ring, 900), (watch, 3600)] {
            var random = SeededGenerator(seed: UInt64(length))
            let sync = try history.beginSync(of: pedometer.id, at: now - 60)
            var end = Timestamp(0)
            for (index, day) in days.enumerated() {
                // Of each hundredth day nothing is known, of some only by the other pedometer.
                if index % 100 == 55 || (index + length) % 23 == 7 { continue }
                var span = day.localTime.span(of: day)
                span = TimeSpan(max(span.start, end), span.end)
                if index % 17 == 5 { span = TimeSpan(span.start, min(span.end, span.start + 10 * 3600)) }
                if length == 3600 { span = TimeSpan(span.start, min(span.end, span.start + 14 * 3600)) }
                end = span.end
                var samples: [StepSample] = []
                for start in stride(from: span.start.seconds, to: span.end.seconds - length + 1, by: length)
                where Int.random(in: 0..<6, using: &random) == 0 {
                    let steps = Int.random(in: 0...length * 2, using: &random)
                    let isMeasured = index % 3 == 0
                    samples.append(
                        StepSample(
                            start: Timestamp(start), length: length,
                            steps: index % 90 == 3 && samples.isEmpty ? length * 6 : steps,
                            distance: isMeasured ? Double(steps) * 0.71 : nil,
                            energy: isMeasured ? Double(steps) * 0.04 : nil,
                            utcOffset: day.localTime.utcOffset(Timestamp(start))))
                }
                _ = try history.merge(
                    SampleBatch(
                        samples: samples, coverage: [span],
                        deviceTotal: index % 10 == 0
                            ? DeviceTotal(day: day, at: span.end, total: 7000, slots: 6900) : nil),
                    sync: sync, localTime: day.localTime)
            }
            try history.endSync(
                sync, at: now - 30, outcome: .complete, battery: 50, failure: nil, cause: nil)
        }
        for index in [10, 60, 110, 155] {
            try history.setCorrection(
                StepCorrection(steps: 9000 + index, reason: "forgot \"it\"\t\\"), of: anna.id, on: days[index],
                at: now - 500)
        }
        for index in [20, 87, 120, 299] {
            let morning = days[index].localTime.moment(days[index], seconds: 36_600)
            let offset = days[index].localTime.utcOffset(morning)
            try history.exclude(
                Exclusion(TimeSpan(morning, morning + 10_000), utcOffset: offset, reason: "a drive"), of: anna.id,
                at: now - 400)
            // Over midnight.
            try history.exclude(
                Exclusion(TimeSpan(morning + 48_000, morning + 60_000), utcOffset: offset), of: anna.id, at: now - 300)
        }
        return anna
    }
}
