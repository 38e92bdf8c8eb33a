import Foundation
import Postgres
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// What a shared database keeps of the hours of a day, and how samples go there.
@Suite(.timeLimit(.minutes(5))) struct PostgresHoursTests {
    /// Slots of a quarter of an hour from 10:00.
    private static let early = SharedDay.easter(
        steps: 310, tracks: [.track("ring", steps: 60, 40, 0, 10, 200)])
    private static let late = SharedDay.easter(
        steps: 130, tracks: [.track("Colmi", steps: 60, 50, 20)])
    private static let hours = "SELECT day, hour, steps FROM istep.hours ORDER BY day, hour"

    @Test func `hours are those of the samples that count`() async throws {
        try await PostgresDatabase.with { database in
            try await database.send(Self.early, as: "pi")
            #expect(try await database.query(Self.hours) == ["2014-04-20\t10\t110", "2014-04-20\t11\t200"])
            try await database.send(Self.late, as: "laptop")
            #expect(try await database.query(Self.hours) == ["2014-04-20\t10\t140", "2014-04-20\t11\t200"])
            // Another one excludes the first quarter; a correction by hand does not change hours.
            var summary = Self.late.summary
            let block = TimeSpan(Timestamp(1_397_980_800), Timestamp(1_397_981_700))
            summary.excluded = [ExcludedSteps(Exclusion(block, utcOffset: 7200), steps: 60)]
            (summary.steps, summary.isCorrected, summary.correctedAt) = (42, true, Timestamp(1_398_000_000))
            let changed = try #require(SharedDay(summary, tracks: [.track("Colmi", steps: 0, 50, 20)]))
            try await database.send(changed, as: "laptop")
            #expect(try await database.query(Self.hours) == ["2014-04-20\t10\t80", "2014-04-20\t11\t200"])
            #expect(try await database.query("SELECT istep.retire('pi')") == ["1"])
            #expect(try await database.query(Self.hours) == ["2014-04-20\t10\t70"])
            #expect(try await database.query("SELECT istep.retire('laptop')") == ["1"])
            #expect(try await database.query(Self.hours) == [])
        }
    }

    /// Of a database as version 4 has left it.
    @Test func `a later version of the schema counts the hours of all days`() async throws {
        try await PostgresDatabase.with { database in
            try await database.send(Self.early, .easter(steps: 7, later: 1), as: "pi")
            try await database.send(Self.late, as: "laptop")
            let (hours, samples) = (
                try await database.query(Self.hours), "SELECT * FROM istep.sample ORDER BY 1, 2, 3, 4"
            )
            let before = try await database.query(samples)
            try await database.query(
                """
                DROP VIEW istep.hours;
                ALTER TABLE istep.total DROP COLUMN hours;
                DROP FUNCTION istep.counted_day;
                ALTER TABLE istep.sample DROP CONSTRAINT sample_pkey,
                    ADD PRIMARY KEY (subject, machine, source, started);
                CREATE INDEX sample_by_day ON istep.sample (subject, day);
                CREATE VIEW istep.counted_sample AS SELECT * FROM istep.sample;
                CREATE VIEW istep.hours AS SELECT subject, day, 1 AS hour, sum(steps) AS steps
                    FROM istep.counted_sample GROUP BY subject, day;
                CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 4';
                """)
            try await database.query(PostgresSchema.script)
            #expect(try await database.query(Self.hours) == hours)
            #expect(try await database.query(samples) == before)
            let table = "[share.db]\nkind = \"postgres\"\n\(database.keys())\nmachine = 'pi'"
            let destination = try #require(try Fixture.destination(table) as? PostgresDestination)
            #expect(try await destination.inspect(for: []).findings == [])
            // Partitions have the new key, too.
            let keys = """
                SELECT DISTINCT pg_get_constraintdef(oid) FROM pg_constraint
                WHERE conrelid::regclass::text LIKE 'istep.sample%' AND contype = 'p'
                """
            #expect(try await database.query(keys) == ["PRIMARY KEY (subject, started, machine, source)"])
        }
    }

    /// What has a meaning in the text of an array.
    @Test(arguments: [#"","#, #"\"#, "{}", "NULL", "a\",NULL}\\", "ä, 'ö'; --", "$1"])
    func `any name arrives as it is`(name: String) async throws {
        try await PostgresDatabase.with { database in
            var track = SharedDay.Track.track(name, steps: 60, 40, 7)
            // Known, unknown, known; and unknown at the end.
            track.samples[1].distance = nil
            track.samples[0].energy = 2.5
            try await database.send(.easter(steps: 107, tracks: [track]), as: "pi")
            let names = try await database.query("SELECT DISTINCT source FROM istep.sample")
            #expect(names == [name])
            let figures = try await database.query(
                "SELECT steps, distance_m, energy_kcal FROM istep.sample ORDER BY started")
            #expect(figures == ["60\t45\t2.5", "40\t\t", "7\t5.25\t"])
        }
    }

    /// Parts of a delivery go there one after the other.
    @Test func `a delivery of many samples is stored as a whole`() async throws {
        try await PostgresDatabase.with { database in
            let days = (0..<4).map { later in
                let start = 1_397_944_800 + later * 86_400
                let samples = (0..<4000).map {
                    StepSample(start: Timestamp(start + $0 * 20), length: 20, steps: 1 + later, utcOffset: 7200)
                }
                return SharedDay.easter(
                    steps: 4000 * (1 + later), later: later, tracks: [.init(pedometer: "ring", samples: samples)])
            }
            let table = "[share.db]\nkind = \"postgres\"\n\(database.keys())\nmachine = 'pi'"
            let destination = try Fixture.destination(table)
            let stored = "SELECT count(*), sum(steps) FROM istep.sample"
            _ = try await destination.deliver(days.map { SharePayload($0) })
            #expect(try await database.query(stored) == ["16000\t40000"])
            // Again, with a day less of samples and one sample less.
            let fewer = SharedDay.Track(pedometer: "ring", samples: Array(days[3].tracks[0].samples.dropLast()))
            let changed = [
                days[0], .easter(steps: 0, later: 1), days[2], .easter(steps: 15_996, later: 3, tracks: [fewer]),
            ]
            _ = try await destination.deliver(changed.map { SharePayload($0) })
            #expect(try await database.query(stored) == ["11999\t31996"])
        }
    }
}
