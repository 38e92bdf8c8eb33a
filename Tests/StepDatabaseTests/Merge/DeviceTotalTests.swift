import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What a pedometer itself counts for a day, beside its samples.
@Suite(.timeLimit(.minutes(5))) struct DeviceTotalTests {
    private func withFixture(_ body: (Fixture) throws -> Void) throws {
        try withDirectory { try body(try Fixture($0)) }
    }

    private func batch(_ total: DeviceTotal?, _ samples: StepSample...) -> SampleBatch {
        SampleBatch(samples: samples, deviceTotal: total)
    }

    private func total(_ steps: Int, of day: Day = day, at moment: Timestamp = noon, slots: Int = 10) -> DeviceTotal {
        DeviceTotal(day: day, at: moment, total: steps, slots: slots)
    }

    @Test func `the last total of a day is kept with its day, and never counts`() throws {
        try withFixture { history in
            _ = try history.database.merge(batch(total(15), slot(0, 10)), sync: history.sync)
            #expect(try history.data().tracks.first?.deviceTotal == total(15))
            #expect(try history.samples() == [slot(0, 10)])
            _ = try history.database.merge(batch(total(31, at: noon + 900, slots: 30)), sync: history.sync)
            // A sync that did not ask leaves it.
            _ = try history.database.merge(batch(nil), sync: history.sync)
            #expect(try history.data().tracks.first?.deviceTotal == total(31, at: noon + 900, slots: 30))
            let yesterday = day.advanced(by: -1)
            let days = try history.database.dayData(of: history.user, on: [yesterday, day])
            #expect(days.map { $0.tracks.first?.deviceTotal?.total } == [nil, 31])
            let summary = DaySummary(days[1], localTime: .fixed(0), now: noon)
            #expect(summary.steps == 10)
            #expect(summary.deviceTotals.map(\.total.difference) == [1])
        }
    }

    @Test(arguments: [-1, 0x100_0000, .max])
    func `an impossible total is ignored, and the samples are stored`(steps: Int) throws {
        try withFixture { history in
            _ = try history.database.merge(batch(total(steps), slot(0, 10)), sync: history.sync)
            #expect(try history.samples() == [slot(0, 10)])
            #expect(try history.data().tracks.first?.deviceTotal == nil)
        }
    }

    @Test func `the total of another user's pedometer is not shown`() throws {
        try withFixture { history in
            _ = try history.database.merge(batch(total(15), slot(0, 10)), sync: history.sync)
            let other = try history.database.addUser(named: "Bert")
            #expect(try history.database.dayData(of: other, on: day).tracks.isEmpty)
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of the version before is migrated with its content`(_ access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let index = try #require(Schema.current.migrations.firstIndex { $0.name == "deviceTotals" })
            let old = try StepDatabase(
                path: path, for: .writing, busyTimeout: 5,
                schema: Schema(migrations: Array(Schema.current.migrations[..<index])))
            let user = try old.addUser(named: "Ada")
            let ring = try old.addPedometer(.ring(of: user))
            try old.queue.write { database in
                try database.execute(
                    sql: "INSERT INTO sync (pedometer, started_at) VALUES (\(ring.id), \(noon.seconds))")
                try database.execute(
                    sql: "INSERT INTO sample VALUES (\(ring.id), \(noon.seconds), 900, 10, NULL, NULL, 0, 1)")
            }
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.dayData(of: user, on: day).tracks.first?.samples.map(\.steps) == [10])
            guard access == .writing else { return }
            _ = try new.merge(batch(total(12)), sync: 1)
            #expect(try new.dayData(of: user, on: day).tracks.first?.deviceTotal == total(12))
        }
    }
}
