import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Corrections and excluded time of another history: taken over, repeated, taken back.
@Suite(.timeLimit(.minutes(5))) struct ImportDecisionsTests {
    static func block(
        _ minutes: Range<Int>, enteredAt: Timestamp = noon, reason: String? = nil
    ) -> ForeignDecisions.Block {
        ForeignDecisions.Block(
            Exclusion(
                TimeSpan(midnight + minutes.lowerBound * 60, midnight + minutes.upperBound * 60), utcOffset: 0,
                reason: reason), enteredAt: enteredAt)
    }

    static func correction(
        _ steps: Int, on day: Day = day, enteredAt: Timestamp = noon, reason: String? = nil
    ) -> ForeignDecisions.Correction {
        ForeignDecisions.Correction(day, StepCorrection(steps: steps, reason: reason, enteredAt: enteredAt))
    }

    static func file(
        _ samples: [StepSample], _ corrections: [ForeignDecisions.Correction] = [],
        _ blocks: [ForeignDecisions.Block] = [], source: String = "phone"
    ) -> ForeignHistory {
        var file = ImportTests.file(samples, source: source)
        if samples.isEmpty { file.tracks = [] }
        file.decisions = ForeignDecisions(corrections: corrections, blocks: blocks)
        return file
    }

    private func store(_ file: ForeignHistory, in history: Fixture) throws -> ImportChanges {
        try history.database.store(file, of: history.user, at: noon)
    }

    private func remove(_ id: ImportRecord.ID?, from history: Fixture) throws -> ImportChanges {
        try history.database.removeImport(try #require(id), at: noon, isPreview: false)
    }

    /// What holds: corrections by day, and the minutes that are excluded.
    private func holding(_ history: Fixture) throws -> [String] {
        let blocks = try history.data().exclusions.map(\.span)
        let all = try history.database.queue.read { try StepDatabase.exclusions(of: history.user.id, $0) }
        let minutes = (0..<3000).filter { minute in
            all.contains { $0.span.contains(midnight + minute * 60) }
        }
        #expect(Set(blocks).isSubset(of: all.map(\.span)))
        return try history.strings("SELECT day || ' ' || steps FROM correction ORDER BY day") + minutes.map(String.init)
    }

    @Test func `a correction and a block come in, once, and are taken back`() throws {
        try withFixture { history in
            let next = day.advanced(by: 1)
            let file = Self.file(
                [slot(0, 100), slot(60, 40)],
                [Self.correction(9000, on: next, reason: "forgot the phone")], [Self.block(60..<75, reason: "tram")])
            let preview = try history.database.preview(file, of: history.user, at: noon)
            #expect(preview.corrections == DecisionCounts(taken: 1) && preview.exclusions == DecisionCounts(taken: 1))
            #expect(
                preview.days
                    == [.init(day: day, before: nil, after: 100), .init(day: next, before: nil, after: 9000)])
            #expect(try holding(history) == [])
            let stored = try store(file, in: history)
            #expect(stored.days == preview.days && stored.corrections == preview.corrections)
            let data = try history.data(on: next)
            #expect(
                data.correction == StepCorrection(steps: 9000, reason: "forgot the phone", enteredAt: noon))
            #expect(try history.data().exclusions.first?.reason == "tram")
            #expect(try history.database.knownDays(of: history.user.id, from: day, through: next) == [day, next])
            let again = try store(file, in: history)
            #expect(again.sameAs == stored.id && again.days.isEmpty)
            #expect(try history.database.imports().count == 1)
            let removed = try remove(stored.id, from: history)
            #expect(removed.corrections.taken == 1 && removed.exclusions.taken == 1)
            #expect(removed.days.map(\.after) == [nil, nil])
            #expect(try holding(history) == [])
            #expect(try history.database.knownDays(of: history.user.id, from: day, through: next) == [])
            for table in ["import_correction", "import_exclusion"] {
                #expect(try history.strings("SELECT count(*) FROM \(table)") == ["0"])
            }
        }
    }

    @Test func `what was decided here counts before what an import brings`() throws {
        try withFixture { history in
            try history.merge(slot(0, 100))
            try history.database.setCorrection(50, of: history.user.id, on: day, at: noon)
            try history.database.exclude(Self.block(0..<30, reason: "bus").exclusion, of: history.user.id, at: noon)
            let before = try holding(history)
            let file = Self.file(
                [slot(60, 40)], [Self.correction(9000, enteredAt: noon + 60)],
                [Self.block(15..<45, enteredAt: noon + 60)])
            let stored = try store(file, in: history)
            #expect(stored.corrections == DecisionCounts(kept: 1))
            #expect(stored.exclusions == DecisionCounts(taken: 1, kept: 1))
            #expect(try holding(history) == before + (30..<45).map(String.init))
            #expect(stored.days.isEmpty, "the day has the steps that were entered")
            let removed = try remove(stored.id, from: history)
            #expect(removed.corrections.taken == 0 && removed.exclusions.taken == 1)
            #expect(try holding(history) == before)
        }
    }

    @Test func `what the user changes after an import is the user's own`() throws {
        try withFixture { history in
            let stored = try store(
                Self.file([slot(0, 100)], [Self.correction(9000)], [Self.block(0..<30)]), in: history)
            try history.database.setCorrection(70, of: history.user.id, on: day, at: noon + 60)
            #expect(
                try history.database.include(
                    TimeSpan(midnight, midnight + 600), of: history.user.id))
            let wanted = ["2014-04-20 70"]
            #expect(try holding(history) == wanted + (10..<30).map(String.init))
            // A newer export says the same again, and more.
            let more = try store(
                Self.file(
                    [slot(0, 100), slot(1440, 5)], [Self.correction(9000)], [Self.block(0..<30), Self.block(60..<61)]),
                in: history)
            #expect(more.corrections == DecisionCounts(kept: 1))
            #expect(try holding(history) == wanted + ((10..<30) + [60]).map(String.init))
            _ = try remove(stored.id, from: history)
            #expect(try holding(history) == wanted + ((10..<30) + [60]).map(String.init), "the other one says it too")
            _ = try remove(more.id, from: history)
            #expect(try holding(history) == wanted)
        }
    }

    @Test func `a correction that the user has taken back stays away`() throws {
        try withFixture { history in
            _ = try store(Self.file([slot(0, 100)], [Self.correction(9000)]), in: history)
            try history.database.setCorrection(nil, of: history.user.id, on: day, at: noon)
            let file = Self.file([slot(0, 100), slot(1440, 5)], [Self.correction(9000)])
            #expect(try store(file, in: history).corrections == DecisionCounts(kept: 1))
            #expect(try history.data().correction == nil)
            let newer = Self.file(
                [slot(0, 100), slot(1440, 5)], [Self.correction(8000, enteredAt: noon + 60)])
            #expect(try store(newer, in: history).corrections == DecisionCounts(taken: 1))
            #expect(try history.data().correction?.steps == 8000)
        }
    }

    @Test func `what the user has taken back does not come back when a later import is removed`() throws {
        try withFixture { history in
            let first = try store(
                Self.file([slot(0, 3000)], [Self.correction(7777)], [Self.block(60..<90, reason: "car")]), in: history)
            try history.database.setCorrection(nil, of: history.user.id, on: day, at: noon)
            #expect(
                try history.database.include(TimeSpan(midnight + 3600, midnight + 5400), of: history.user.id))
            let second = try store(
                Self.file(
                    [slot(0, 3000)], [Self.correction(8888, enteredAt: noon + 60)],
                    [Self.block(65..<90, enteredAt: noon + 60, reason: "bus")]), in: history)
            #expect(try holding(history) == ["2014-04-20 8888"] + (65..<90).map(String.init))
            let removed = try remove(second.id, from: history)
            #expect(removed.corrections.taken == 1 && removed.exclusions.taken == 1)
            #expect(try holding(history) == [])
            _ = try remove(first.id, from: history)
            #expect(try holding(history) == [])
        }
    }

    @Test func `a copy of the history that comes back is nothing new, and nothing of it is taken back`() throws {
        try withFixture { history in
            try history.database.setCorrection(50, of: history.user.id, on: day, at: noon)
            try history.database.exclude(Self.block(0..<30).exclusion, of: history.user.id, at: noon)
            let before = try holding(history)
            let copy = try store(Self.file([], [Self.correction(50)], [Self.block(0..<30)]), in: history)
            #expect(copy.isNothingNew && copy.id == nil && copy.corrections == DecisionCounts())
            #expect(copy.exclusions == DecisionCounts())
            let more = try store(Self.file([slot(60, 5)], [Self.correction(50)], [Self.block(0..<30)]), in: history)
            _ = try remove(more.id, from: history)
            #expect(try holding(history) == before)
        }
    }

    @Test func `a block counts once, with one of the user's own inside, and is named each time`() throws {
        try withFixture { history in
            try history.database.exclude(Self.block(20..<30, reason: "bus").exclusion, of: history.user.id, at: noon)
            let file = Self.file([slot(0, 100)], [], [Self.block(0..<60), Self.block(70..<80, reason: "car")])
            let stored = try store(file, in: history)
            #expect(stored.exclusions == DecisionCounts(taken: 2, kept: 1))
            #expect(try holding(history) == (Array(0..<60) + (70..<80)).map(String.init))
            #expect(try history.database.imports().map(\.exclusions) == [2])
            let again = try store(file, in: history)
            #expect(again.sameAs == stored.id && again.exclusions == DecisionCounts(kept: 1))
            #expect(
                try history.database.include(
                    TimeSpan(midnight + 75 * 60, midnight + 76 * 60), of: history.user.id))
            #expect(try store(file, in: history).exclusions == DecisionCounts(kept: 2), "also what was taken back")
            let newer = Self.file([slot(0, 100), slot(1440, 5)], [], file.decisions.blocks)
            let more = try store(newer, in: history)
            #expect(more.exclusions == DecisionCounts(kept: 2))
            #expect(try remove(stored.id, from: history).exclusions.taken == 0)
            #expect(try remove(more.id, from: history).exclusions.taken == 2)
            #expect(try holding(history) == (20..<30).map(String.init))
        }
    }

    @Test func `a correction that is left out is named each time`() throws {
        try withFixture { history in
            try history.database.setCorrection(50, of: history.user.id, on: day, at: noon)
            let file = Self.file([slot(0, 100)], [Self.correction(9000)])
            let stored = try store(file, in: history)
            let again = try store(file, in: history)
            #expect(again.sameAs == stored.id && again.corrections == DecisionCounts(kept: 1))
            #expect(try history.database.imports().map(\.corrections) == [0])
        }
    }

    @Test func `what a clock that was ahead has entered is known again, and does not outdo what is entered later`()
        throws
    {
        try withFixture { history in
            func store(_ file: ForeignHistory, at moment: Timestamp) throws -> ImportChanges {
                try history.database.store(file, of: history.user, at: moment)
            }
            let ahead = noon + 10 * 86_400
            let corrections = [Self.correction(9000, enteredAt: ahead)]
            let blocks = [Self.block(60..<75, enteredAt: ahead, reason: "tram")]
            let file = Self.file([slot(0, 100)], corrections, blocks)
            let first = try store(file, at: noon)
            for moment in [noon + 60, ahead, ahead + 60] {
                let again = try store(file, at: moment)
                #expect(again.sameAs == first.id && again.id == nil && again.corrections == DecisionCounts())
            }
            #expect(try history.data().correction?.enteredAt == noon)
            let other = try store(
                Self.file([slot(15, 1)], [Self.correction(8000, enteredAt: noon + 60)], source: "tablet"),
                at: noon + 120)
            #expect(other.corrections == DecisionCounts(taken: 1))
            let newer = try store(Self.file([slot(0, 100), slot(1440, 5)], corrections, blocks), at: noon + 300)
            #expect(newer.corrections == DecisionCounts() && newer.exclusions == DecisionCounts())
            let wanted = ["2014-04-20 8000"] + (60..<75).map(String.init)
            #expect(try holding(history) == wanted)
            let removed = try remove(first.id, from: history)
            #expect(removed.corrections.taken == 0 && removed.exclusions.taken == 0)
            #expect(try holding(history) == wanted)
            #expect(try remove(other.id, from: history).corrections.taken == 1)
            #expect(try holding(history) == ["2014-04-20 9000"] + (60..<75).map(String.init))
            let last = try remove(newer.id, from: history)
            #expect(last.corrections.taken == 1 && last.exclusions.taken == 1)
            #expect(try holding(history) == [])
        }
    }

    @Test func `of the same correction by a clock that was ahead, the later import holds on`() throws {
        try withFixture { history in
            let corrections = [Self.correction(9000, enteredAt: noon + 86_400)]
            let first = try store(Self.file([slot(0, 100)], corrections), in: history)
            let second = try history.database.store(
                Self.file([slot(0, 100), slot(1440, 5)], corrections), of: history.user, at: noon + 60)
            #expect(try remove(first.id, from: history).corrections.taken == 0)
            #expect(try holding(history) == ["2014-04-20 9000"])
            #expect(try remove(second.id, from: history).corrections.taken == 1)
            #expect(try holding(history) == [], "it was not taken for the user's own")
        }
    }

    @Test func `corrections without steps come in, and deleted days stay away`() throws {
        try withFixture { history in
            let other = day.advanced(by: 1)
            try history.merge(slot(0, 100))
            _ = try history.database.delete(.days(day...day, of: history.user), at: noon, isPreview: false)
            let file = Self.file([], [Self.correction(9000), Self.correction(70, on: other)], [Self.block(0..<30)])
            let stored = try store(file, in: history)
            #expect(stored.corrections == DecisionCounts(taken: 1) && stored.exclusions == DecisionCounts())
            #expect(try holding(history) == ["2014-04-21 70"])
            #expect(try store(file, in: history).sameAs == stored.id)
            let only = try store(Self.file([], [Self.correction(9001)]), in: history)
            #expect(only.isNothingNew && only.id == nil, "\(only)")
        }
    }

    @Test func `deletions and moves leave no row of an import that is not there`() throws {
        try withFixture { history in
            let bob = try history.database.addUser(named: "Bob")
            let next = day.advanced(by: 1)
            func fill(_ source: String) throws {
                _ = try store(
                    Self.file(
                        [slot(0, 100), slot(1440, 5)], [Self.correction(9000), Self.correction(8000, on: next)],
                        [Self.block(0..<30), Self.block(1430..<1450)], source: source), in: history)
            }
            func rows(_ table: String) throws -> [String] { try history.strings("SELECT count(*) FROM \(table)") }
            try fill("phone")
            let phone = try #require(try history.database.heldSources().first { $0.pedometer.name == "phone" })
            let losses = try history.database.delete(.source(phone, of: history.user), at: noon, isPreview: false)
            #expect(losses.imports == 1 && losses.corrections == 2 && losses.exclusions == 2)
            #expect(losses.days.map(\.before) == [9000, 8000] && losses.days.map(\.after) == [nil, nil])
            #expect(try rows("import") == ["0"] && rows("import_correction") == ["0"])
            #expect(try holding(history) == [], "what it has brought beside steps goes with it")

            try fill("phone")
            _ = try history.database.delete(.days(day...day, of: history.user), at: noon, isPreview: false)
            #expect(try rows("import_correction") == ["1"])
            #expect(
                try history.strings("SELECT (start - \(midnight.seconds)) / 60 FROM import_exclusion") == ["1440"])
            _ = try history.database.move(
                .days(next...next, from: history.user, to: bob), at: noon, isPreview: false)
            #expect(try rows("import_correction") == ["0"] && rows("import_exclusion") == ["0"])
            #expect(try rows("import") == ["0"])
            #expect(try history.database.dayData(of: bob, on: next).correction?.steps == 8000)

            try history.execute("DELETE FROM deleted_day")
            try fill("tablet")
            let tablet = try #require(try history.database.heldSources().first { $0.pedometer.name == "tablet" })
            _ = try history.database.move(.source(tablet, from: history.user, to: bob), at: noon, isPreview: false)
            #expect(try rows("import_correction") == ["0"])
            #expect(try history.data().correction?.steps == 9000, "corrections stay with the user who has them")
            try fill("watch")
            _ = try history.database.delete(.user(history.user), at: noon, isPreview: false)
            #expect(try rows("import_correction") == ["0"] && rows("import_exclusion") == ["0"])
            #expect(try history.strings("PRAGMA foreign_key_check").isEmpty)
        }
    }

    /// Whatever is imported and taken back in whatever order: the same holds as if only the remaining ones had been
    /// imported.
    @Test(.cpuBound, arguments: 0..<UInt64(Endurance.rounds(10, year: 40)))
    func `random imports taken back leave what the others say`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let files = (0..<5).map { number in
            let corrections = (0..<3).filter { _ in Bool.random(using: &generator) }.map { day in
                Self.correction(
                    Int.random(in: 0...3, using: &generator), on: Day(daysSince1970: 16_180 + day),
                    enteredAt: noon - Int.random(in: 0...3, using: &generator))
            }
            let blocks = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                let start = Int.random(in: 0..<60, using: &generator)
                return Self.block(
                    start..<start + Int.random(in: 1...30, using: &generator),
                    enteredAt: noon - Int.random(in: 0...2, using: &generator))
            }
            return Self.file([slot(number * 15, 10)], corrections, blocks, source: "phone \(number)")
        }
        let removed = (0..<5).filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
        let wanted = try withFixture { history in
            for (index, file) in files.enumerated() where !removed.contains(index) { _ = try store(file, in: history) }
            return try holding(history)
        }
        try withFixture { history in
            let ids = try files.map { try store($0, in: history).id }
            for index in removed { _ = try remove(ids[index], from: history) }
            #expect(try holding(history) == wanted)
            for id in ids.indices.filter({ !removed.contains($0) }).shuffled(using: &generator).map({ ids[$0] }) {
                _ = try remove(id, from: history)
            }
            #expect(try holding(history) == [])
            #expect(try history.strings("PRAGMA foreign_key_check").isEmpty)
            #expect(try history.database.wrongSums().isEmpty)
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of version 14 gets the tables, and its imports stay`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(
                migrations: Array(Schema.current.migrations.prefix { $0.name != "importedDecisions" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            try old.setCorrection(50, of: user.id, on: day, at: noon)
            try old.queue.write {
                try $0.execute(
                    sql: "INSERT INTO import VALUES (7, 1, 0, '/a', 'csv', '0123456789abcdef', '', 1, 1, NULL, NULL, 1)"
                )
            }
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.imports().map(\.id) == [7])
            #expect(try new.dayData(of: user, on: day).correction?.steps == 50)
            guard access == .writing else { return }
            #expect(
                try new.removeImport(7, at: noon, isPreview: true).corrections == DecisionCounts(),
                "what was entered by hand is not an import's")
        }
    }
}
