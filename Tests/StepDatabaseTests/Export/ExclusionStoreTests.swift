import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct ExclusionStoreTests {
    private let block = Exclusion(TimeSpan(midnight + 600 * 60, midnight + 630 * 60), utcOffset: 0, reason: "massage")

    private func steps(_ history: Fixture) throws -> [Int] {
        let sums = try history.database.daySeriesInput(of: history.user, in: day...day).sums
        return [try history.samples().reduce(0) { $0 + $1.steps }, sums[0].steps]
    }

    @Test func `an excluded block stays away after later syncs, and counts again when it is included`() throws {
        try withFixture { history in
            try history.merge(slot(540, 100), slot(600, 900), slot(615, 700))
            #expect(try steps(history) == [1700, 1700])
            try history.database.exclude(block, of: history.user.id, at: noon)
            #expect(try steps(history) == [100, 100])
            #expect(try history.data().exclusions == [block])
            #expect(try history.data().tracks[0].excluded.map(\.steps) == [900, 700])
            try history.merge(slot(600, 950), slot(620, 30, length: 300), slot(660, 5))
            #expect(try steps(history) == [105, 105])
            #expect(try history.database.include(block.span, of: history.user.id))
            #expect(try !history.database.include(block.span, of: history.user.id))
            #expect(try steps(history)[0] > 1700 && steps(history)[0] == steps(history)[1])
            #expect(try history.data().exclusions.isEmpty)
        }
    }

    @Test func `blocks of one user do not overlap, and do not concern others`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900))
            let bob = try history.database.addUser(named: "Bob")
            try history.database.exclude(block, of: bob.id, at: noon)
            #expect(try steps(history) == [900, 900])
            for (from, to) in [(590, 610), (600, 620), (605, 606)] {
                let span = TimeSpan(midnight + from * 60, midnight + to * 60)
                try history.database.exclude(Exclusion(span, utcOffset: 0), of: history.user.id, at: noon)
            }
            let rows = try history.strings(
                "SELECT ((start - 1397952000) / 60) || '-' || ((until - 1397952000) / 60) FROM excluded_time WHERE person = 1"
            )
            #expect(rows == ["590-600", "600-605", "605-606", "606-620"])
        }
    }

    @Test func `the days whose steps change are shared again`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900), slot(1440 + 600, 5))
            let before = try history.strings("SELECT revision FROM changed_day ORDER BY day")
            try history.database.exclude(block, of: history.user.id, at: noon)
            let after = try history.strings("SELECT revision FROM changed_day ORDER BY day")
            #expect(after[0] != before[0] && after[1] == before[1])
        }
    }

    /// It was noted, too, although a block takes nothing of earlier days.
    @Test func `a sample that begins on an earlier day is not concerned`() throws {
        try withFixture { history in
            try history.merge(slot(-1440, 300, length: 3 * 86_400), slot(600, 5))
            let before = try history.strings("SELECT revision FROM changed_day ORDER BY day")
            try history.database.exclude(block, of: history.user.id, at: noon)
            let after = try history.strings("SELECT revision FROM changed_day ORDER BY day")
            #expect(before.count == 2 && after[0] == before[0] && after[1] != before[1])
        }
    }

    @Test func `stored sums follow whichever program changes the table`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900))
            _ = try steps(history)
            try history.database.exclude(block, of: history.user.id, at: noon)
            _ = try steps(history)
            for (sql, expected) in [
                ("UPDATE excluded_time SET start = start - 86400, until = until - 86400", 900),
                ("UPDATE excluded_time SET start = start + 86400, until = until + 86400", 0),
                ("DELETE FROM excluded_time", 900),
            ] {
                try history.execute(sql)
                #expect(try steps(history) == [expected, expected], "\(sql)")
            }
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of version 10 gets the table`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(migrations: Array(Schema.current.migrations.prefix { $0.name != "exclusions" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            let ring = try old.addPedometer(.ring(of: user))
            _ = try old.merge(SampleBatch(samples: [slot(0, 10)]), sync: old.beginSync(of: ring.id, at: noon))
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.dayData(of: user, on: day).tracks.flatMap(\.samples) == [slot(0, 10)])
            #expect(try new.dayData(of: user, on: day).exclusions.isEmpty)
        }
    }
}
