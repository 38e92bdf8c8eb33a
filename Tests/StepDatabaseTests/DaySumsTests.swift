import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Stored sums of days: always those that the samples add up to.
@Suite(.timeLimit(.minutes(5))) struct DaySumsTests {
    private static let days = day.advanced(by: -5)...day.advanced(by: 5)

    @Test func `sums are stored when they are first read`() throws {
        try withFixture { history in
            _ = try history.database.merge(
                SampleBatch(
                    samples: [slot(480, 900, distance: 600), slot(500, 40)],
                    coverage: [TimeSpan(midnight, midnight + 86_400)]),
                sync: history.sync)
            #expect(try history.sums() == [])
            // By a connection for reading, as the commands have it that show something.
            let reader = try StepDatabase(path: history.path, for: .reading)
            let records = try reader.daySeriesInput(of: history.user, in: day.advanced(by: -1)...day)
            #expect(records.sums.map(\.steps) == [0, 940])
            #expect(records.sums.map(\.completeness) == [.unknown, .complete])
            #expect(try history.sums() == ["16179 unknown 0", "16180 complete 940"])
            // The second time, nothing is calculated: a row is taken as it is.
            try history.execute("UPDATE day_sum SET walking_steps = 7 WHERE day = 16180")
            #expect(try reader.daySeriesInput(of: history.user, in: day...day).sums.map(\.steps) == [7])
        }
    }

    @Test func `an hour that is not known is stored as such`() throws {
        try withFixture { history in
            _ = try history.database.merge(
                SampleBatch(samples: [slot(480, 900)], coverage: [TimeSpan(midnight, midnight + 15 * 3600 + 60)]),
                sync: history.sync)
            var expected = [Int?](repeating: 0, count: 15) + [Int?](repeating: nil, count: 9)
            expected[8] = 900
            // Calculated, and then as it was stored.
            for _ in 0..<2 {
                let hours = try history.database.daySeriesInput(of: history.user, in: day...day).sums[0].hours
                #expect(hours == expected)
            }
            #expect(try history.sums() == ["16180 partial 900"])
            #expect(try history.database.wrongSums() == [])
        }
    }

    @Test func `the hours of a pedometer that only counts are stored as the other one divides them`() throws {
        try withFixture { history in
            let whole = TimeSpan(midnight, midnight + 86_400)
            _ = try history.database.merge(
                SampleBatch(samples: [slot(480, 600), slot(1200, 300)], coverage: [whole]), sync: history.sync)
            let watch = try history.database.addPedometer(
                .ring(of: history.user, address: "30:34:42:00:00:09", name: "watch"))
            let reading = StepSample(start: midnight, length: 86_400, steps: 1800, utcOffset: 0)
            _ = try history.database.merge(
                SampleBatch(samples: [reading], coverage: [whole]),
                sync: try history.database.beginSync(of: watch.id, at: noon))
            var expected = [Int?](repeating: 0, count: 24)
            (expected[8], expected[20]) = (1200, 600)
            // Calculated, and then as it was stored.
            for _ in 0..<2 {
                let sums = try history.database.daySeriesInput(of: history.user, in: day...day).sums[0]
                #expect(sums.hours == expected && sums.steps == 1800)
            }
            #expect(try history.database.wrongSums() == [])
        }
    }

    @Test func `sums that differ from their samples are found and corrected`() throws {
        try withFixture { history in
            let start = midnight - 2 * 86_400
            _ = try history.database.merge(
                SampleBatch(
                    samples: (0..<3).map { slot(480 + 1440 * ($0 - 2), 900, distance: 600) },
                    coverage: [TimeSpan(start, midnight + 86_400)]),
                sync: history.sync)
            let days = day.advanced(by: -2)...day
            _ = try history.database.daySeriesInput(of: history.user, in: days)
            #expect(try history.database.wrongSums() == [])
            // Each column counts.
            for change in [
                "walking_steps = 7", "running_steps = 7", "walking_metres = 7", "energy = 7",
                "completeness = 'partial'", "hours = zeroblob(96)",
            ] {
                try history.execute("UPDATE day_sum SET \(change) WHERE day = 16178")
                #expect(try history.database.wrongSums() == [day.advanced(by: -2)], "\(change)")
                #expect(try history.database.wrongSums(inNewest: 2) == [])
                #expect(try history.database.correctSums() == 1)
                #expect(try history.sums().count == 2)
                #expect(
                    try history.database.daySeriesInput(of: history.user, in: days).sums.map(\.steps) == [
                        900, 900, 900,
                    ])
                #expect(try history.database.correctSums() == 0)
            }
        }
    }

    @Test func `a sum that another program has changed is corrected by the weekly check`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.merge(slot(480, 900))
            for count in [0, 3] {
                _ = try history.database.daySeriesInput(of: history.user, in: day...day)
                try history.execute("UPDATE day_sum SET walking_steps = 7")
                CheckRecord.remove(ofDatabase: history.path)
                let backups = AutomaticBackups(BackupSchedule(count: count), now: { midnight }, localTime: .fixed(0))
                try await HistoryFileMaintenance(
                    path: history.path, backups: backups, frames: FrameRetention(), now: { midnight }
                ).run()
                #expect(
                    try history.database.daySeriesInput(of: history.user, in: day...day).sums.map(\.steps) == [900],
                    "\(count) backups")
            }
        }
    }

    @Test func `sums of an earlier rule are calculated again`() throws {
        try withFixture { history in
            try history.merge(slot(480, 900))
            _ = try history.database.daySeriesInput(of: history.user, in: day...day)
            try history.execute("UPDATE day_sum SET walking_steps = 7, revision = revision - 1")
            #expect(try history.database.daySeriesInput(of: history.user, in: day...day).sums.map(\.steps) == [900])
            #expect(try history.sums() == ["16180 partial 900"])
        }
    }

    /// Otherwise each sync would make the next command calculate ten years.
    @Test func `a sync keeps the sums of the days that it does not concern`() throws {
        try withFixture { history in
            let start = midnight - 100 * 86_400
            _ = try history.database.merge(SampleBatch(coverage: [TimeSpan(start, midnight)]), sync: history.sync)
            _ = try history.database.daySeriesInput(of: history.user, in: day.advanced(by: -100)...day)
            #expect(try history.sums().count == 101)
            _ = try history.database.merge(
                SampleBatch(samples: [slot(480, 900)], coverage: [TimeSpan(midnight - 7200, midnight + 86_400)]),
                sync: history.sync)
            #expect(try history.sums().count >= 97)
            let next = day.advanced(by: 1)
            #expect(
                try history.database.daySeriesInput(of: history.user, in: day...next).sums.map(\.completeness) == [
                    .complete, .unknown,
                ])
            // Without a step.
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(midnight, midnight + 2 * 86_400)]), sync: history.sync)
            #expect(
                try history.database.daySeriesInput(of: history.user, in: day...next).sums.map(\.completeness) == [
                    .complete, .complete,
                ])
        }
    }

    @Test func `a history in use by another program is read without storing sums`() throws {
        try withFixture { history in
            try history.merge(slot(480, 900))
            let other = try DatabaseQueue(path: history.path)
            try other.writeWithoutTransaction { other in
                try other.execute(sql: "BEGIN IMMEDIATE")
                #expect(try history.database.daySeriesInput(of: history.user, in: day...day).sums.map(\.steps) == [900])
                try other.execute(sql: "COMMIT")
            }
            #expect(try history.sums() == [])
            _ = try history.database.daySeriesInput(of: history.user, in: day...day)
            #expect(try history.sums().count == 1)
        }
    }

    /// It would run with the first row that is stored.
    @Test func `reading stores nothing where another program has left a trigger`() throws {
        try withFixture { history in
            try history.merge(slot(480, 900))
            try history.execute("CREATE TRIGGER other AFTER INSERT ON day_sum BEGIN DELETE FROM sample; END")
            let reader = try StepDatabase(path: history.path, for: .reading)
            #expect(try reader.daySeriesInput(of: history.user, in: day...day).sums.map(\.steps) == [900])
            #expect(try history.sums() == [])
        }
    }

    @Test func `progress is reported while sums are calculated, and can end the call`() throws {
        try withFixture { history in
            struct Enough: Error {}
            let days = day.advanced(by: -299)...day
            var seen: [Int] = []
            #expect(throws: Enough.self) {
                try history.database.daySeriesInput(of: history.user, in: days) { done, all in
                    #expect(all == 300)
                    seen.append(done)
                    if done > 0 { throw Enough() }
                }
            }
            _ = try history.database.daySeriesInput(of: history.user, in: days) { done, _ in seen.append(done) }
            // What was done before the end is not done again.
            #expect(seen == [0, 128, 128, 256, 300])
            _ = try history.database.daySeriesInput(of: history.user, in: days) { _, _ in Issue.record("all is stored")
            }
        }
    }

    @Test func `the first known day is that of samples, accounted time or a correction`() throws {
        try withFixture { history in
            #expect(try history.database.firstKnownDay(of: history.user.id) == nil)
            // 00:30 in Greenwich, in New York the day before; and later, on the same day.
            try history.merge(slot(0, 5), slot(30, 5, offset: -5 * 3600))
            #expect(try history.database.firstKnownDay(of: history.user.id) == day.advanced(by: -1))
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(midnight - 3 * 86_400, midnight)]), sync: history.sync)
            #expect(try history.database.firstKnownDay(of: history.user.id) == day.advanced(by: -3))
            try history.database.setCorrection(5, of: history.user.id, on: day.advanced(by: -9), at: noon)
            #expect(try history.database.firstKnownDay(of: history.user.id) == day.advanced(by: -9))
            // A machine whose clock is at 1970 claims half a century.
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(Timestamp(0), midnight)]), sync: history.sync)
            #expect(try history.database.firstKnownDay(of: history.user.id) == day.advanced(by: -3660))
        }
    }

    @Test func `a correction before 1970 does not count, and sums of days before the first known one are removed`()
        throws
    {
        try withFixture { history in
            try history.merge(slot(480, 900))
            let (mistyped, early) = (try #require(Day("1026-11-24")), day.advanced(by: -200))
            try history.database.setCorrection(9000, of: history.user.id, on: mistyped, at: noon)
            #expect(try history.database.firstKnownDay(of: history.user.id) == day)
            try history.database.setCorrection(9000, of: history.user.id, on: early, at: noon)
            #expect(try history.database.firstKnownDay(of: history.user.id) == early)
            _ = try history.database.daySeriesInput(of: history.user, in: early...day)
            #expect(try history.sums().count == 201)
            try history.database.setCorrection(nil, of: history.user.id, on: early, at: noon)
            #expect(try history.sums() == ["16180 partial 900"])
            // Rows that an earlier version has left.
            try history.execute(
                "INSERT INTO day_sum SELECT person, day - 300000, revision, 'unknown', 0, 0, 0, 0, 0, x'' FROM day_sum")
            #expect(try history.sums().count == 2)
            _ = try history.database.daySeriesInput(of: history.user, in: day...day.advanced(by: 1))
            #expect(try history.sums() == ["16180 partial 900", "16181 unknown 0"])
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of the version before gets its sums when they are read`(_ access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let index = try #require(Schema.current.migrations.firstIndex { $0.name == "daySums" })
            let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            let sync = try old.beginSync(of: try old.addPedometer(.ring(of: user)).id, at: noon)
            _ = try old.merge(
                SampleBatch(samples: [slot(480, 900)], coverage: [TimeSpan(midnight, midnight + 86_400)]), sync: sync)
            try old.setCorrection(1000, of: user.id, on: day, at: noon)
            try old.close()

            let database = try StepDatabase(path: path, for: access)
            let records = try database.daySeriesInput(of: user, in: day...day)
            #expect(records.sums.map(\.steps) == [900] && records.sums.map(\.completeness) == [.complete])
            #expect(records.corrections == [day: StepCorrection(steps: 1000, enteredAt: noon)])
            #expect(try database.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM day_sum") } == 1)
        }
    }

    @Test func `a repair does not copy stored sums and does not report them as lost`() throws {
        try withFixture { history in
            try history.merge(slot(480, 900))
            _ = try history.database.daySeriesInput(of: history.user, in: Self.days)
            try history.database.close()
            // A version number that cannot be right: all tables are copied row by row.
            let other = try DatabaseQueue(path: history.path)
            try other.writeWithoutTransaction {
                try $0.execute(sql: "UPDATE day_sum SET walking_steps = 7; PRAGMA user_version = 1")
            }
            try other.close()
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.isWhole)
            #expect(
                try StepDatabase(path: history.path).daySeriesInput(of: history.user, in: day...day).sums.map(\.steps)
                    == [900])
        }
    }
}

extension Fixture {
    fileprivate func sums() throws -> [String] {
        try strings(
            "SELECT day || ' ' || completeness || ' ' || (walking_steps + running_steps) FROM day_sum ORDER BY day")
    }
}
