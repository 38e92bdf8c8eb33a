import Foundation
import StepDatabase
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import Sharing

/// What a shared database can have beside what istep writes, and what a user who withdraws personal data finds there.
@Suite(.timeLimit(.minutes(5))) struct PostgresHostileTests {
    private static let limits = ExportLimits(
        now: Timestamp(1_398_902_400), models: ["colmi"], formats: ["istep-export"])

    private static func destination(_ database: PostgresDatabase, _ more: String = "", role: String? = nil) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.family]\nkind = \"postgres\"\nmachine = 'old'\n\(database.keys(role: role))\n\(more)",
            now: { Timestamp(1_398_902_400) })
    }

    private static func candidate(_ destination: any ShareDestination) async throws -> SharedRestore.Candidate {
        try await SharedRestore([destination]).candidate(from: "family", user: nil, machine: nil)
    }

    private static let slot = "{\"start\":1397988000,\"seconds\":900,\"steps\":60,\"offset\":7200}"

    private static func evidence(_ key: String, _ change: (String, String)) -> String {
        let source =
            "{\"name\":\"ring\",\"rank\":1,\"coverage\":[],\"\(key)\":[\(slot.replacing(change.0, with: change.1))]}"
        return "UPDATE istep.day SET evidence = '{\"sources\":[\(source)]}'"
    }

    @Test(arguments: [
        evidence("excluded", ("60", "-60")), evidence("excluded", ("60", "5000000000")),
        evidence("excluded", ("900", "-900")), evidence("excluded", ("1397988000", "-1")),
        evidence("implausible", ("60", "-60")), evidence("implausible", ("60", "5000000000")),
        evidence("implausible", ("7200", "720000")),
        "UPDATE istep.day SET evidence = '{\"sources\":[],\"blocks\":[{\"start\":-5,\"end\":9,\"offset\":0}]}'",
    ]) func `numbers that cannot be are refused`(change: String) async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database)
            _ = try await destination.deliver([SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))])
            try await database.query(change)
            let export = try await Self.candidate(destination).export
            let new = try StepDatabase(path: directory + "/new.sqlite")
            let error = #expect(throws: ImportError.self) { try new.restore(export, Self.limits) }
            #expect(error?.category == .data)
            #expect(try new.users().isEmpty)
        }
    }

    /// A time that is none is one that a clock ahead has sent.
    @Test(arguments: [
        "UPDATE istep.day SET last_sync = 'infinity'", "UPDATE istep.day SET last_sync = '-infinity'",
        "UPDATE istep.day SET received = '-infinity', corrected_at = 'infinity'",
        "UPDATE istep.day SET corrected_at = '-infinity'",
        "UPDATE istep.day SET evidence = NULL, excluded = '{[-infinity,2014-04-20T08:00:00Z)}'",
    ]) func `times without end are taken or refused as data`(change: String) async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database)
            _ = try await destination.deliver([SharePayload(.easter(steps: 60, tracks: [.track("ring", steps: 60)]))])
            try await database.query(change)
            let export = try await Self.candidate(destination).export
            let new = try StepDatabase(path: directory + "/new.sqlite")
            do { _ = try new.restore(export, Self.limits) } catch let error as ImportError {
                #expect(error.category == .data, "\(error)")
            }
        }
    }

    @Test(arguments: [
        "UPDATE istep.day SET subject = E'A\\u001b[31m'",
        "ALTER TABLE istep.day DROP CONSTRAINT possible; UPDATE istep.day SET machine = E'pi\\n'",
        "ALTER TABLE istep.day DROP CONSTRAINT day_machine_check; UPDATE istep.day SET machine = repeat('m', 300)",
    ]) func `a name that istep does not write is refused`(change: String) async throws {
        try await PostgresDatabase.withDirectory { database, _ in
            let destination = try Self.destination(database)
            _ = try await destination.deliver([SharePayload(.easter(steps: 60))])
            try await database.query(change)
            let failure = await #expect(throws: ShareFailure.self) { try await Self.candidate(destination) }
            #expect(failure?.category == .data && failure?.advice?.contains("istep postgres check family") == true)
        }
    }

    @Test func `days whose samples are fewer than their steps are named`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let destination = try Self.destination(database)
            for later in 0..<3 {
                var track = SharedDay.Track.track("ring", steps: 60, 40)
                for index in track.samples.indices {
                    track.samples[index].start = track.samples[index].start + later * 86_400
                }
                _ = try await destination.deliver([SharePayload(.easter(steps: 100, later: later, tracks: [track]))])
            }
            try await database.query("DELETE FROM istep.sample WHERE steps = 40 AND day >= '2014-04-21'")
            let export = try await Self.candidate(destination).export
            let preview = try StepDatabase.previewRestoring(export, Self.limits)
            #expect(preview.incompleteDays == [Day(daysSince1970: 16_181), Day(daysSince1970: 16_182)])
            let new = try StepDatabase(path: directory + "/new.sqlite")
            #expect(try new.restore(export, Self.limits) == preview)
        }
    }

    @Test func `reasons go with the profile when personal data are no longer sent`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let history = try StepDatabase(path: directory + "/old.sqlite")
            let anna = try history.addUser(named: "Anna"), now = Timestamp(1_398_902_400)
            let days = (0..<3).map { Day(daysSince1970: 16_180 + $0) }
            for day in days {
                let noon = LocalTime.berlin.moment(day, seconds: 43_200)
                try history.setCorrection(
                    StepCorrection(steps: 900, reason: "in hospital"), of: anna.id, on: day, at: now)
                try history.exclude(
                    Exclusion(TimeSpan(noon, noon + 600), utcOffset: 7200, reason: "an ambulance"), of: anna.id, at: now
                )
            }
            func share(_ order: ShareOrder, isPersonal: Bool) async throws {
                let destination = try Self.destination(database, "personal = \(isPersonal)\nsince = 2014-04-01")
                let outbox = Outbox(history: history, ledger: history, localTime: .berlin, now: { now })
                let reports = try await outbox.share(order, to: [destination], users: [anna])
                #expect(reports.allSatisfy { $0.failure == nil && $0.fault == nil }, "\(reports)")
            }
            let reasons =
                "SELECT count(*) FROM istep.day WHERE evidence::text LIKE '%hospital%' AND evidence::text LIKE '%ambulance%'"
            try await share(.days(days, of: anna), isPersonal: true)
            #expect(try await database.query(reasons) == ["3"])
            // One day is sent.
            try await share(.days([days[2]], of: anna, again: true), isPersonal: false)
            #expect(try await database.query("SELECT count(*) FROM istep.person") == ["0"])
            let texts = "SELECT count(*) FROM istep.day WHERE evidence::text ~ 'hospital|ambulance|reason'"
            #expect(try await database.query(texts) == ["0"])
            // What else was sent is there.
            let export = try await Self.candidate(try Self.destination(database)).export
            let new = try StepDatabase(path: directory + "/new.sqlite")
            _ = try new.restore(export, Self.limits)
            let user = try #require(try new.users().first)
            for day in days {
                let data = try new.dayData(of: user, on: day)
                #expect(data.correction?.steps == 900 && data.correction?.reason == nil)
                #expect(data.exclusions.count == 1 && data.exclusions[0].reason == nil)
            }
        }
    }

    /// An earlier delivery that comes late.
    @Test func `an older delivery without a profile leaves a newer one`() async throws {
        try await PostgresDatabase.withDirectory { database, _ in
            var day = SharedDay.easter(steps: 60)
            day.person = SharedPerson(profiles: [Profile(validFrom: day.day, height: 1.7)])
            _ = try await Self.destination(database, "personal = true").deliver([SharePayload(day)])
            try await database.query("UPDATE istep.person SET revision = 1000; UPDATE istep.day SET revision = 1000")
            day.person = nil
            _ = try await Self.destination(database).deliver([SharePayload(day)])
            #expect(try await database.query("SELECT count(*) FROM istep.person") == ["1"])
        }
    }

    @Test func `the refusal of one user does not concern another one`() async throws {
        try await PostgresDatabase.withDirectory { database, directory in
            let role = "home_of_\(database.name)"
            let password = TestSecret.text.replacing("'", with: "''")
            try await database.query(
                """
                CREATE ROLE \(role) LOGIN PASSWORD '\(password)' IN ROLE istep_machine;
                SELECT istep.enrol('Anna', '\(role)');
                """)
            let history = try StepDatabase(path: directory + "/home.sqlite"), now = Timestamp(1_398_902_400)
            let day = Day(daysSince1970: 16_180)
            for name in ["Anna", "Bob"] {
                try history.setCorrection(
                    StepCorrection(steps: 5000), of: try history.addUser(named: name).id, on: day, at: now)
            }
            let users = try history.users()
            let destination = try Self.destination(database, "since = 2014-04-01", role: role)
            let outbox = Outbox(history: history, ledger: history, localTime: .berlin, now: { now })
            try outbox.enqueue(.due, to: [destination], users: users)
            let report = try #require(
                try await outbox.share(.days([day], of: users[0]), to: [destination], users: users).first)
            #expect(report.worst == .permission && report.refused == [2])
            #expect(report.concerning(1).worst == nil)
            #expect(report.concerning(2).worst == .permission)
            try await database.query("SELECT istep.forget('Anna'); DROP ROLE \(role)")
        }
    }
}
