import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Days that are deleted leave nothing, and stay away.
@Suite(.timeLimit(.minutes(5))) struct DayDeletionTests {
    private let next = day.advanced(by: 1)

    @discardableResult
    private func delete(_ days: ClosedRange<Day>, in history: Fixture, isPreview: Bool = false) throws -> DeletionLosses
    {
        try history.database.delete(.days(days, of: history.user), at: noon, isPreview: isPreview)
    }

    private func batch(_ samples: StepSample...) -> SampleBatch {
        SampleBatch(
            samples: samples, coverage: [TimeSpan(midnight - 3600, midnight + 2 * 86_400)],
            frames: [RawFrame(.received, at: noon, bytes: [1, 2, 3])],
            deviceTotal: DeviceTotal(day: day, at: noon, total: 777, slots: 777))
    }

    /// A day with everything that a day can have.
    private func fill(_ history: Fixture) throws {
        _ = try history.database.merge(
            batch(slot(-30, 11), slot(600, 900), slot(615, 700), slot(1440, 5), slot(5, 90_000)), sync: history.sync)
        try history.database.setCorrection(StepCorrection(steps: 5000), of: history.user.id, on: day, at: noon)
        try history.database.exclude(
            Exclusion(TimeSpan(midnight - 600, midnight + 600), utcOffset: 0), of: history.user.id, at: noon)
        _ = try history.database.store(ImportTests.file([slot(700, 321), slot(1500, 40)]), of: history.user, at: noon)
    }

    @Test func `nothing of a deleted day stays, and the same sync brings nothing back`() throws {
        try withFixture { history in
            try fill(history)
            let losses = try delete(day...day, in: history)
            #expect(losses.days == [DayChange(day: day, before: 5000, after: nil)])
            #expect((losses.corrections, losses.exclusions, losses.steps, losses.imports) == (1, 1, 5000, 0))
            func expectEmpty(_ about: Comment) throws {
                let data = try history.data()
                #expect(data.tracks.isEmpty && data.correction == nil && data.exclusions.isEmpty, about)
                #expect(data.deletion?.isClosed == true, about)
                #expect(try history.strings("SELECT count(*) FROM frame") == ["0"], about)
                #expect(try history.strings("SELECT count(*) FROM device_total") == ["0"], about)
                #expect(try history.strings("SELECT count(*) FROM implausible_sample") == ["0"], about)
                #expect(try history.samples(on: next).map(\.steps) == [5, 40], about)
                #expect(try history.samples(on: day.advanced(by: -1)).map(\.steps) == [11], about)
                #expect(
                    try history.data(on: next).tracks.map { Coverage($0.coverage.map(\.span)).spans.count } == [1, 1])
                #expect(try history.database.complaints().isEmpty, about)
                let sums = try history.database.daySeriesInput(of: history.user, in: day...next).sums
                #expect(sums.map(\.steps) == [0, 45] && sums[0].completeness == .unknown, about)
            }
            try expectEmpty("after the deletion")
            _ = try history.database.merge(
                batch(slot(-30, 11), slot(600, 950), slot(615, 700), slot(1440, 5), slot(5, 90_000)), sync: history.sync
            )
            try expectEmpty("after the same batch")
            let again = try history.database.store(
                ImportTests.file([slot(700, 321), slot(1500, 40)]), of: history.user, at: noon)
            #expect(again.isNothingNew && again.deletedDays == 1)
            let more = try history.database.store(
                ImportTests.file([slot(700, 9), slot(1500, 41)], source: "watch"), of: history.user, at: noon)
            #expect(more.days.map(\.day) == [next] && more.deletedDays == 1)
            _ = try history.database.removeImport(try #require(more.id), at: noon, isPreview: false)
            try expectEmpty("after imports")
            let only = try history.database.store(ImportTests.file([slot(700, 9)]), of: history.user, at: noon)
            #expect(only.isOfDeletedDays && only.isNothingNew && only.id == nil)
        }
    }

    /// A notice of a goal has the steps of its day.
    @Test func `the cursor of a pedometer keeps no counts of a deleted day`() throws {
        try withFixture { history in
            func wall(_ day: Day, _ steps: Int) -> WallSlot {
                let start = Timestamp(day.daysSince1970 * 86_400 + 600)
                return WallSlot(wall: start.seconds, start: start, steps: steps)
            }
            let counted = [day, next].map { CountedDay($0, steps: 900, through: noon) }
            let cursor = PedometerCursor(
                readThrough: noon, tail: [wall(day, 0), wall(day, 5), wall(next, 7)],
                pastDays: PastDays(counted: counted, since: day, requested: next, totals: [1: 900]))
            _ = try history.database.merge(SampleBatch(samples: [slot(600, 900)], cursor: cursor), sync: history.sync)
            try delete(day...day, in: history)
            let left = try #require(try history.database.pedometers().first).cursor
            #expect(left.tail == [wall(day, 0), wall(next, 7)] && left.readThrough == noon)
            #expect(left.pastDays == PastDays(counted: [counted[1]], since: day))
        }
    }

    @Test func `notices that name a deleted day are deleted, and no others`() throws {
        try withFixture { history in
            try fill(history)
            func insert(_ number: Int, _ about: Day, of person: String) throws {
                try history.execute(
                    """
                    INSERT INTO notice (key, subject, name, person, since, content, kept_at)
                    VALUES ('k\(number)', 'user:1', 'ada', \(person), \(noon.seconds),
                        '{"goalReached":{"day":"\(about)","goal":8000,"steps":16791}}', \(noon.seconds))
                    """)
            }
            try insert(1, day, of: "\(history.user.id)")
            try insert(2, next, of: "\(history.user.id)")
            try insert(3, day, of: "NULL")
            try delete(day...day, in: history)
            #expect(try history.strings("SELECT key FROM notice ORDER BY key") == ["k2", "k3"])
        }
    }

    @Test func `the counts of syncs and imports do not show what was deleted`() throws {
        try withFixture { history in
            try fill(history)
            try delete(day...day, in: history)
            #expect(try history.strings("SELECT steps || '/' || added FROM sync ORDER BY id") == ["16/2", "40/1"])
            #expect(
                try history.strings("SELECT days || '/' || steps || '/' || first_day FROM import") == [
                    "1/40/2014-04-21"
                ])
        }
    }

    @Test func `a day comes back only after it was readmitted`() throws {
        try withFixture { history in
            try fill(history)
            try delete(day...next, in: history)
            let database = history.database
            #expect(try database.readmit(next...next, of: history.user.id) == 1)
            #expect(try database.readmit(next...next, of: history.user.id) == 0)
            _ = try database.merge(batch(slot(600, 900), slot(1440, 5)), sync: history.sync)
            #expect(try history.samples().isEmpty && history.samples(on: next).map(\.steps) == [5])
            #expect(try database.readmit(Period.calendar, of: history.user.id) == 1)
            _ = try database.merge(batch(slot(600, 900), slot(1440, 5)), sync: history.sync)
            #expect(try history.samples().map(\.steps) == [900])
        }
    }

    @Test(arguments: [(1, true), (100, false)])
    func `a pedometer is asked again for readmitted days that it may still hold`(daysAgo: Int, isAsked: Bool) throws {
        try withFixture { history in
            try fill(history)
            let database = history.database
            var cursor = PedometerCursor(readThrough: noon + daysAgo * 86_400)
            cursor.missing = [DayGap(day, .refused)]
            _ = try database.merge(SampleBatch(cursor: cursor), sync: history.sync)
            try delete(day...next, in: history)
            #expect(try database.readmit(day...next.advanced(by: 9), of: history.user.id) == 2)
            let pedometer = try #require(try database.pedometers().first { $0.cursor.readThrough != nil })
            #expect(
                pedometer.cursor.missing == [DayGap(day, .refused)] + (isAsked ? [DayGap(next, .unconfirmed)] : []))
            #expect(try database.complaints().isEmpty)
        }
    }

    @Test func `a day belongs to the offset of its samples`() throws {
        try withFixture { history in
            // 23:30 of the day before at Greenwich, 00:30 in Berlin; and 23:30 in Berlin.
            try history.merge(slot(-30, 3, offset: 3600), slot(1350, 4, offset: 3600), slot(1430, 5, offset: 3600))
            #expect(try delete(day...day, in: history).days == [DayChange(day: day, before: 7, after: nil)])
            #expect(try history.samples(on: next).map(\.steps) == [5])
        }
    }

    @Test func `a preview changes nothing, and says the same as the deletion`() throws {
        try withFixture { history in
            try fill(history)
            let before = try history.database.dump()
            let preview = try delete(day...day, in: history, isPreview: true)
            #expect(try history.database.dump() == before)
            #expect(try delete(day...day, in: history) == preview)
        }
    }

    @Test func `an import of which nothing is left is removed with its source`() throws {
        try withFixture { history in
            _ = try history.database.store(ImportTests.file([slot(700, 321)]), of: history.user, at: noon)
            let losses = try delete(day...day, in: history)
            #expect(losses.imports == 1 && losses.pedometers == ["phone"])
            #expect(try history.database.imports().isEmpty && history.database.importSources().isEmpty)
            #expect(try history.database.complaints().isEmpty)
        }
    }

    @Test func `destinations that have the day are due, and days that none has leave the outbox`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900), slot(1440 + 600, 5))
            let database = history.database, user = history.user.id
            try database.enqueueChanges(of: user, for: "diary", since: day, at: noon)
            try database.record([try #require(try database.entry(for: "diary", of: user, on: day)).sent("x")])
            let losses = try delete(day...next, in: history)
            #expect(losses.shared == [.init(destination: "diary", days: 1)])
            #expect(try database.entry(for: "diary", of: user, on: next) == nil)
            try database.enqueueChanges(of: user, for: "diary", since: day, at: noon)
            #expect(try database.due(for: "diary", users: [user], at: noon, limit: 9).map(\.day) == [day])
            #expect(try database.knownDays(of: user, from: day, through: next).isEmpty)
            #expect(try database.deletedDays(of: user, from: day, through: next) == [day])
        }
    }

    /// It was taken out of the outbox, and the destination kept the steps.
    @Test func `a destination that was to get a day once more learns that it is deleted`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900))
            let database = history.database, user = history.user.id
            try database.enqueueChanges(of: user, for: "diary", since: day, at: noon)
            var entry = try #require(try database.entry(for: "diary", of: user, on: day)).sent("x")
            entry.sendAgain(at: noon)
            try database.record([entry])
            #expect(try delete(day...day, in: history).shared == [.init(destination: "diary", days: 1)])
            try database.enqueueChanges(of: user, for: "diary", since: day, at: noon)
            #expect(try database.due(for: "diary", users: [user], at: noon, limit: 9).map(\.wasSent) == [true])
            #expect(try database.deletedDays(of: user, from: day, through: day) == [day])
        }
    }

    /// A year of a ring, random ranges, and the whole year read once more.
    @Test func `whatever is deleted of a year, the next sync brings none of it back`() throws {
        var generator = SeededGenerator(seed: 14)
        for _ in 0..<3 {
            try withFixture { history in
                let year = (0..<365).map { number in
                    SampleBatch(
                        samples: (0..<24).compactMap { hour in
                            let steps = Int.random(in: 0...1500, using: &generator)
                            return steps % 3 == 0
                                ? nil
                                : slot(number * 1440 + hour * 60, steps, length: 3600, offset: number > 200 ? 7200 : 0)
                        },
                        coverage: [TimeSpan(midnight + number * 86_400, midnight + (number + 1) * 86_400)])
                }
                func sync() throws { for batch in year { _ = try history.database.merge(batch, sync: history.sync) } }
                func steps() throws -> [Int?] {
                    let days = day...day.advanced(by: 365)
                    return try history.database.daySeriesInput(of: history.user, in: days).sums.map {
                        $0.completeness == .unknown ? nil : $0.steps
                    }
                }
                try sync()
                let before = try steps()
                var gone: Set<Int> = []
                for _ in 0..<4 {
                    let first = Int.random(in: 0..<360, using: &generator),
                        length = Int.random(in: 0..<30, using: &generator)
                    let range = first...min(first + length, 364)
                    gone.formUnion(range)
                    try delete(day.advanced(by: range.lowerBound)...day.advanced(by: range.upperBound), in: history)
                }
                let expected = before.enumerated().map { gone.contains($0) ? nil : $1 }
                #expect(try steps() == expected)
                #expect(try history.database.complaints().isEmpty)
                try sync()
                #expect(try steps() == expected)
            }
        }
    }

    @Test func `a restored backup is the history before the deletion`() throws {
        try withDirectory { directory in
            let history = try Fixture(directory)
            try fill(history)
            let before = try history.database.dump()
            _ = try StepDatabase.backUp(history.path, to: directory + "/copy.sqlite")
            try delete(day...next, in: history)
            #expect(try history.database.dump() != before)
            try history.database.close()
            _ = try StepDatabase.restore(directory + "/copy.sqlite", to: history.path, at: noon, .fixed(0))
            #expect(try StepDatabase(path: history.path).dump() == before)
        }
    }

    @Test(arguments: [
        "DELETE ON sample", "DELETE ON coverage", "DELETE ON correction", "DELETE ON import_content",
        "INSERT ON deleted_day", "UPDATE ON sync",
    ])
    func `a kill leaves all of it or nothing`(event: String) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try fill(history)
            let before = try history.database.dump()
            let path = history.path, user = history.user.id
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, user = user as User.ID, event = event as String] in
                let database = try StepDatabase(path: path)
                try database.dieAfter(event)
                let ada = User(id: user, name: "Ada")
                _ = try database.delete(.days(day...day, of: ada), at: noon, isPreview: false)
            }
            let database = try StepDatabase(path: path)
            #expect(try database.dump() == before)
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of the version before gets the table`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(migrations: Array(Schema.current.migrations.prefix { $0.name != "deletions" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            let ring = try old.addPedometer(.ring(of: user))
            _ = try old.merge(SampleBatch(samples: [slot(0, 10)]), sync: old.beginSync(of: ring.id, at: noon))
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.dayData(of: user, on: day).tracks.flatMap(\.samples) == [slot(0, 10)])
            #expect(try new.dayData(of: user, on: day).deletion == nil && new.complaints().isEmpty)
        }
    }
}
