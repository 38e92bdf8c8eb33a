import Foundation
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Days and pedometers that are moved from one user to another.
@Suite(.timeLimit(.minutes(5))) struct MoveTests {
    private let next = day.advanced(by: 1)

    private func steps(_ user: User, in history: Fixture, _ days: ClosedRange<Day>? = nil) throws -> [Int?] {
        try history.database.daySeriesInput(of: user, in: days ?? day...next).sums.map {
            $0.completeness == .unknown ? nil : $0.steps
        }
    }

    private func move(_ move: Move, in history: Fixture, isPreview: Bool = false) throws -> MoveEffect {
        let effect = try history.database.move(move, at: noon, isPreview: isPreview)
        #expect(try history.database.complaints().isEmpty)
        return effect
    }

    private func source(_ name: String, of user: User, in history: Fixture) throws -> HeldSource {
        try #require(
            try history.database.heldSources().first { $0.pedometer.name == name && $0.pedometer.user == user.id })
    }

    private func batch(_ samples: StepSample...) -> SampleBatch {
        SampleBatch(
            samples: samples, coverage: [TimeSpan(midnight, midnight + 2 * 86_400)],
            frames: [RawFrame(.received, at: noon, bytes: [1])],
            deviceTotal: DeviceTotal(day: day, at: noon, total: 1600, slots: 1600))
    }

    private func fill(_ history: Fixture) throws -> User {
        _ = try history.database.merge(
            batch(slot(600, 900), slot(615, 700), slot(5, 90_000), slot(1500, 5)), sync: history.sync)
        _ = try history.database.store(ImportTests.file([slot(700, 321), slot(1600, 40)]), of: history.user, at: noon)
        try history.database.setCorrection(StepCorrection(steps: 5000), of: history.user.id, on: day, at: noon)
        try history.database.exclude(
            Exclusion(TimeSpan(midnight + 615 * 60, midnight + 630 * 60), utcOffset: 0), of: history.user.id, at: noon)
        return try history.database.addUser(named: "Bob")
    }

    @Test func `a day moves with all that is known of it, and later syncs do not bring it back`() throws {
        try withFixture { history in
            let bob = try fill(history), database = history.database
            let before = try history.data(), dump = try database.dump()
            let preview = try move(.days(day...day, from: history.user, to: bob), in: history, isPreview: true)
            #expect(try database.dump() == dump)
            let effect = try move(.days(day...day, from: history.user, to: bob), in: history)
            #expect(effect == preview && effect.corrections == 1 && effect.lostCorrections == 0)
            #expect(effect.from.days == [DayChange(day: day, before: 5000, after: nil)])
            #expect(effect.to.days == [DayChange(day: day, before: nil, after: 5000)])
            let moved = try database.dayData(of: bob, on: day)
            #expect(moved.correction == before.correction && moved.exclusions == before.exclusions)
            #expect(moved.tracks.map(\.samples) == before.tracks.map(\.samples))
            #expect(moved.tracks.map(\.excluded) == before.tracks.map(\.excluded))
            #expect(moved.tracks.map(\.implausible) == before.tracks.map(\.implausible))
            #expect(moved.tracks.map(\.deviceTotal) == before.tracks.map(\.deviceTotal))
            #expect(moved.tracks.map(\.name) == ["ring", "phone"])
            #expect(try steps(history.user, in: history) == [nil, 45] && steps(bob, in: history) == [1221, nil])
            _ = try database.merge(batch(slot(600, 950), slot(1500, 6)), sync: history.sync)
            _ = try database.store(ImportTests.file([slot(700, 321), slot(1600, 40)]), of: history.user, at: noon)
            #expect(try steps(history.user, in: history)[0] == nil)
            #expect(try database.pedometers().map(\.user) == [history.user.id], "the ring still counts for Ada")
            #expect(try database.knownDays(of: bob.id, from: day, through: next) == [day])
        }
    }

    /// It was unknown after the deletion of another day.
    @Test func `time without steps that was moved stays when another day is deleted`() throws {
        try withFixture { history in
            let bob = try history.database.addUser(named: "Bob"), database = history.database
            let covered = CoveredSpan(TimeSpan(midnight, midnight + 86_400), utcOffset: 0)
            var file = ImportTests.file([slot(1440 + 600, 5)])
            file.tracks[0].parts.insert(
                (day: day, content: PackedDay(samples: [], coverage: [covered]).bytes(of: day)), at: 0)
            _ = try database.store(file, of: history.user, at: noon)
            #expect(try steps(history.user, in: history)[0] == 0)
            _ = try move(.days(day...day, from: history.user, to: bob), in: history)
            #expect(try steps(bob, in: history)[0] == 0)
            _ = try database.delete(.days(next...next, of: bob), at: noon, isPreview: false)
            #expect(try steps(bob, in: history)[0] == 0)
        }
    }

    /// Each sync read all samples of the pedometer.
    @Test func `a move of many syncs reads the samples of its days only`() throws {
        try withFixture { history in
            let bob = try history.database.addUser(named: "Bob"), database = history.database
            for sync in 0..<40 {
                let id = try database.beginSync(of: history.pedometer.id, at: noon + sync)
                _ = try database.merge(SampleBatch(samples: [slot(sync * 36, 10 + sync)]), sync: id)
            }
            try history.merge(slot(1500, 5))
            _ = try move(.days(day...day, from: history.user, to: bob), in: history)
            let rows = try history.strings(
                """
                SELECT count(*) || ' ' || sum(added) || ' ' || sum(steps) FROM sync JOIN pedometer ON pedometer.id = pedometer
                WHERE person = \(bob.id)
                """)
            #expect(rows == ["40 40 \((0..<40).reduce(0) { $0 + 10 + $1 })"])
            #expect(try steps(bob, in: history) == [(0..<40).reduce(0) { $0 + 10 + $1 }, nil])
            #expect(try steps(history.user, in: history) == [nil, 5])
        }
    }

    /// A day that was missing, or is requested again.
    @Test func `what comes later of the days before a moved one still counts for its user`() throws {
        try withFixture { history in
            let bob = try history.database.addUser(named: "Bob"), database = history.database
            try history.merge(slot(1500, 5))
            try database.endSync(
                history.sync, at: midnight + 1600 * 60, outcome: .complete, battery: nil, failure: nil, cause: nil)
            _ = try move(.days(next...next, from: history.user, to: bob), in: history)
            let late = SampleBatch(
                samples: [slot(600, 900), slot(1500, 5)], coverage: [TimeSpan(midnight, midnight + 86_400)])
            _ = try database.merge(late, sync: history.sync)
            #expect(try steps(history.user, in: history) == [900, nil] && steps(bob, in: history) == [nil, 5])
            // Also after Ada lets the day in again.
            #expect(try database.readmit(next...next, of: history.user.id) == 1)
            _ = try database.merge(SampleBatch(samples: [slot(630, 40)]), sync: history.sync)
            #expect(try steps(history.user, in: history)[0] == 940)
            // What Bob counts with it himself is his.
            try database.forgetPedometer(history.pedometer.id)
            let own = try database.addPedometer(.ring(of: bob, name: "band"))
            _ = try database.merge(
                SampleBatch(samples: [slot(3000, 30)]), sync: try database.beginSync(of: own.id, at: noon + 3 * 86_400))
            _ = try database.merge(SampleBatch(samples: [slot(660, 7)]), sync: history.sync)
            #expect(try steps(history.user, in: history)[0] == 940)
        }
    }

    @Test func `moved there and back, the figures are those of before`() throws {
        try withFixture { history in
            let bob = try fill(history)
            let before = try steps(history.user, in: history)
            _ = try move(.days(day...next, from: history.user, to: bob), in: history)
            #expect(try steps(history.user, in: history) == [nil, nil] && steps(bob, in: history) == before)
            _ = try move(.days(day...next, from: bob, to: history.user), in: history)
            #expect(try steps(history.user, in: history) == before && steps(bob, in: history) == [nil, nil])
            #expect(try history.data().correction?.steps == 5000)
        }
    }

    @Test func `a day that the other user has, too, is merged, and keeps the other's correction`() throws {
        try withFixture { history in
            let bob = try fill(history), database = history.database
            let watch = try database.addPedometer(.ring(of: bob, address: "30:34:42:00:00:02", name: "watch"))
            _ = try database.merge(
                SampleBatch(samples: [slot(600, 1000), slot(0, 50)]),
                sync: try database.beginSync(of: watch.id, at: noon))
            try database.setCorrection(StepCorrection(steps: 70), of: bob.id, on: day, at: noon)
            let effect = try move(.days(day...day, from: history.user, to: bob), in: history)
            #expect(effect.corrections == 0 && effect.lostCorrections == 1 && effect.to.days.isEmpty)
            #expect(try database.dayData(of: bob, on: day).correction?.steps == 70)
            #expect(try steps(bob, in: history)[0] == 1371)
        }
    }

    @Test func `a pedometer moves with its steps, and counts for the other user`() throws {
        try withFixture { history in
            let bob = try fill(history), database = history.database
            let effect = try move(
                .source(source("ring", of: history.user, in: history), from: history.user, to: bob), in: history)
            // The correction stays with its user.
            #expect(effect.from.days == [DayChange(day: next, before: 45, after: 40)])
            #expect(effect.to.days.map(\.after) == [1600, 5])
            #expect(try database.pedometers().map(\.user) == [bob.id])
            _ = try database.merge(batch(slot(600, 950)), sync: history.sync)
            #expect(try steps(bob, in: history) == [1650, 5])
        }
    }

    @Test func `what its user has deleted is not given to the one who gets the pedometer`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            try history.merge(slot(600, 900), slot(1500, 5))
            try database.endSync(
                history.sync, at: midnight + 1530 * 60, outcome: .complete, battery: nil, failure: nil, cause: nil)
            _ = try database.delete(.days(next...next, of: history.user), at: noon, isPreview: false)
            _ = try move(
                .source(source("ring", of: history.user, in: history), from: history.user, to: bob), in: history)
            let sync = try database.beginSync(of: history.pedometer.id, at: midnight + 1600 * 60)
            _ = try database.merge(SampleBatch(samples: [slot(600, 900), slot(1500, 5), slot(1530, 8)]), sync: sync)
            #expect(try steps(bob, in: history) == [900, 8])
        }
    }

    /// Attempts that failed counted as readings: the days since the last one that had not were dropped.
    @Test func `what was not read when the pedometer moved is the new user's`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            let cursor = PedometerCursor(readThrough: midnight + 615 * 60)
            _ = try database.merge(SampleBatch(samples: [slot(600, 900)], cursor: cursor), sync: history.sync)
            _ = try database.delete(.days(day...day, of: history.user), at: noon, isPreview: false)
            let failed = try database.beginSync(of: history.pedometer.id, at: midnight + 3 * 86_400)
            try database.endSync(
                failed, at: midnight + 3 * 86_400 + 9, outcome: .failed, battery: nil, failure: "not in range",
                cause: nil)
            _ = try move(
                .source(source("ring", of: history.user, in: history), from: history.user, to: bob), in: history)
            // Of a counter: since the last reading.
            let since = StepSample(start: midnight + 615 * 60, length: 3_600, steps: 70, utcOffset: 0)
            let sync = try database.beginSync(of: history.pedometer.id, at: midnight + 4 * 86_400)
            _ = try database.merge(SampleBatch(samples: [slot(600, 900), since, slot(1500, 5)]), sync: sync)
            #expect(try steps(bob, in: history) == [70, 5])
        }
    }

    /// Ada's ring had not sent an earlier day yet.
    @Test func `the deletion of a user who was given a day says nothing about the days before it`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            try history.merge(slot(1500, 5))
            try database.endSync(
                history.sync, at: midnight + 1600 * 60, outcome: .complete, battery: nil, failure: nil, cause: nil)
            _ = try move(.days(next...next, from: history.user, to: bob), in: history)
            _ = try database.delete(.user(bob), at: noon, isPreview: false)
            _ = try database.merge(SampleBatch(samples: [slot(600, 900), slot(1500, 5)]), sync: history.sync)
            #expect(try steps(history.user, in: history) == [900, nil])
        }
    }

    @Test func `a block that is copied to the other user is noted for the days whose steps it takes`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            try history.merge(slot(1500, 5))
            let watch = try database.addPedometer(.ring(of: bob, address: "30:34:42:00:00:02", name: "watch"))
            _ = try database.merge(
                SampleBatch(samples: [slot(600, 900)]), sync: try database.beginSync(of: watch.id, at: noon))
            let block = Exclusion(TimeSpan(midnight + 600 * 60, midnight + 630 * 60), utcOffset: 0)
            try database.exclude(block, of: history.user.id, at: noon)
            let revision = "SELECT revision FROM changed_day WHERE person = \(bob.id) AND day = '\(day)'"
            let before = try history.strings(revision)
            _ = try move(.days(day...next, from: history.user, to: bob), in: history)
            #expect(try history.strings(revision) != before && steps(bob, in: history)[1] == 5)
        }
    }

    @Test func `a pedometer that the other user had before joins what it counted then`() throws {
        try withFixture { history in
            let database = history.database
            try history.merge(slot(600, 900))
            try database.endSync(
                history.sync, at: midnight + 700 * 60, outcome: .complete, battery: nil, failure: nil, cause: nil)
            try database.forgetPedometer(history.pedometer.id)
            let bob = try database.addUser(named: "Bob")
            let ring = try database.addPedometer(.ring(of: bob, name: "band"))
            _ = try database.merge(
                SampleBatch(samples: [slot(720, 30)]), sync: try database.beginSync(of: ring.id, at: noon + 3600))
            try history.execute("UPDATE pedometer SET counts_from = 77 WHERE id = \(ring.id)")
            _ = try move(.source(source("band", of: bob, in: history), from: bob, to: history.user), in: history)
            #expect(try history.strings("SELECT counts_from FROM pedometer") == ["77"], "what others had counted stays")
            #expect(try steps(history.user, in: history)[0] == 930 && steps(bob, in: history)[0] == nil)
            let used = try database.pedometers()
            #expect(used.map(\.id) == [history.pedometer.id] && used.map(\.name) == ["band"])
        }
    }

    @Test func `a source moves with its imports, and one that has others is divided`() throws {
        try withFixture { history in
            let database = history.database
            var file = ImportTests.file([slot(700, 321)])
            file.tracks += ImportTests.file([slot(900, 55)], source: "watch").tracks
            let both = try #require(try database.store(file, of: history.user, at: noon).id)
            let own = try database.store(ImportTests.file([slot(1600, 40)]), of: history.user, at: noon).id
            let bob = try database.addUser(named: "Bob")
            let effect = try move(
                .source(source("phone", of: history.user, in: history), from: history.user, to: bob), in: history)
            #expect(effect.from.days.map(\.after) == [55, nil] && effect.to.days.map(\.after) == [321, 40])
            let imports = try database.imports()
            #expect(imports.map(\.user) == [history.user.id, bob.id, bob.id])
            #expect(imports.first { $0.id == both }?.steps == 55 && imports.first { $0.id == own }?.user == bob.id)
            // The next import of the file is Ada's again, beside what was moved; so are days that come back from it.
            let again = try database.store(ImportTests.file([slot(700, 321)]), of: history.user, at: noon)
            #expect(again.days.map(\.after) == [376])
            _ = try move(.days(next...next, from: bob, to: history.user), in: history)
            _ = try move(.days(day...day, from: bob, to: history.user), in: history)
            #expect(try steps(history.user, in: history) == [376, 40])
            for record in try database.imports().reversed() {
                _ = try database.removeImport(record.id, at: noon, isPreview: false)
                #expect(try database.complaints().isEmpty)
            }
            #expect(try steps(bob, in: history) == [nil, nil] && steps(history.user, in: history) == [321, 40])
        }
    }

    @Test func `a source that moves there and back with days in between keeps its imports`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            _ = try database.store(ImportTests.file([slot(700, 321), slot(1600, 40)]), of: history.user, at: noon)
            let phone = try source("phone", of: history.user, in: history)
            _ = try move(.source(phone, from: history.user, to: bob), in: history)
            _ = try move(.days(day...day, from: bob, to: history.user), in: history)
            _ = try move(.source(source("phone", of: bob, in: history), from: bob, to: history.user), in: history)
            #expect(try steps(history.user, in: history) == [321, 40] && steps(bob, in: history) == [nil, nil])
            let copy = try #require(try database.heldSources().first { !$0.isInUse })
            _ = try move(.source(copy, from: history.user, to: bob), in: history)
            #expect(try steps(history.user, in: history) == [nil, 40] && steps(bob, in: history) == [321, nil])
        }
    }

    @Test func `whatever is moved of a year, both users together have all steps`() throws {
        var generator = SeededGenerator(seed: 3)
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            let days = day...day.advanced(by: 364)
            for number in 0..<365 {
                let samples = (0..<24).map { hour in
                    slot(number * 1440 + hour * 60, Int.random(in: 1...1500, using: &generator), length: 3600)
                }
                _ = try database.merge(SampleBatch(samples: samples), sync: history.sync)
            }
            let before = try steps(history.user, in: history, days)
            var isMoved = Array(repeating: false, count: 365)
            for _ in 0..<6 {
                let first = Int.random(in: 0..<340, using: &generator), isBack = Bool.random(using: &generator)
                let range = first...(first + Int.random(in: 0..<25, using: &generator))
                for number in range { isMoved[number] = !isBack }
                let (from, to) = isBack ? (bob, history.user) : (history.user, bob)
                let moved = day.advanced(by: range.lowerBound)...day.advanced(by: range.upperBound)
                _ = try move(.days(moved, from: from, to: to), in: history)
            }
            #expect(try steps(history.user, in: history, days) == zip(before, isMoved).map { $1 ? nil : $0 })
            #expect(try steps(bob, in: history, days) == zip(before, isMoved).map { $1 ? $0 : nil })
        }
    }

    @Test(arguments: ["INSERT ON sample", "INSERT ON pedometer", "DELETE ON coverage", "INSERT ON deleted_day"])
    func `a kill leaves all of it or nothing`(event: String) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let bob = try fill(history).id, ada = history.user.id, path = history.path
            let before = try history.database.dump()
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, ada = ada as User.ID, bob = bob as User.ID, event = event as String] in
                let database = try StepDatabase(path: path)
                try database.dieAfter(event)
                let (from, to) = (User(id: ada, name: "Ada"), User(id: bob, name: "Bob"))
                _ = try database.move(.days(day...day, from: from, to: to), at: noon, isPreview: false)
            }
            #expect(try StepDatabase(path: path).dump() == before)
        }
    }
}
