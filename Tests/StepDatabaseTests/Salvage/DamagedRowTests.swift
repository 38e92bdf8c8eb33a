import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// Values that no constraint permits: they come from changed bytes. An error must report them, and the process must not
/// end.
@Suite(.timeLimit(.minutes(5))) struct DamagedRowTests {
    private func expectDamage<T>(
        _ about: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
    ) {
        let error = historyError(body)
        guard case .damaged = error else {
            Issue.record("\(about): \(String(describing: error))", sourceLocation: location)
            return
        }
    }

    /// Replaces bytes that occur once in the file.
    private func replace(_ old: [UInt8], by new: [UInt8], in path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let range = try #require(bytes.range(of: Data(old)))
        try #require(bytes.range(of: Data(old), in: range.upperBound..<bytes.endIndex) == nil)
        bytes.replaceSubrange(range, with: Data(new))
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// In a record, each value has a type: 0 for NULL, 19 for a text of three bytes
    /// (https://www.sqlite.org/fileformat.html#record_format).
    @Test func `a name that one changed byte has made NULL is damage`() throws {
        try withFixture { history in
            try history.database.close()
            let names = Array("Adaada".utf8)
            try replace([4, 0, 19, 19] + names, by: [4, 0, 0, 19] + names, in: history.path)
            let damaged = try StepDatabase(path: history.path, for: .reading)
            #expect(
                try damaged.queue.read { try String?.fetchAll($0, sql: "SELECT name FROM person") } == [nil],
                "SQLite reads it")
            expectDamage("users") { try damaged.users() }
            expectDamage("sums") { try damaged.wrongSums() }
        }
    }

    /// What an import says is stored beside its samples: the file, which can be gone, need not be imported again.
    @Test func `a changed sample of an import is what the import says again`() throws {
        try withFixture { history in
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.database.close()
            // Seconds and steps of its record.
            try replace([0x03, 0x84, 0x10, 0xe1], by: [0x03, 0x84, 0x00, 0xe1], in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.days.isEmpty, "no day lacks anything")
            let repaired = try StepDatabase(path: history.path)
            #expect(
                try repaired.dayData(of: history.user, on: day).tracks.flatMap(\.samples).map(\.steps) == [4000, 4321])
            #expect(try repaired.wrongSums().isEmpty)
        }
    }

    /// Only their numbers are needed.
    @Test func `samples of imports are written again also where a sync has a wrong value`() throws {
        try withFixture { history in
            try history.database.endSync(
                history.sync, at: noon, outcome: .complete, battery: 80, failure: nil, cause: nil)
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.database.close()
            let queue = try DatabaseQueue(path: history.path)
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        CREATE TEMP TABLE kept AS SELECT * FROM seal; UPDATE sync SET battery = 1 WHERE battery = 80;
                        DELETE FROM seal; INSERT INTO seal SELECT * FROM kept
                        """)
            }
            try queue.close()
            try SmallHistory.zeroRoot(of: "sample", in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.days.isEmpty && report.resets.map(\.table) == ["sync"])
            let data = try StepDatabase(path: history.path).dayData(of: history.user, on: day)
            #expect(data.tracks.flatMap(\.samples).map(\.steps) == [4000, 4321])
        }
    }

    /// The day of what the import says is one before 1970.
    @Test func `an import of which a day is damaged ends no repair`() throws {
        try withFixture { history in
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.execute("UPDATE import_content SET day = day - 32768")
            try history.database.close()
            try replace([0x03, 0x84, 0x10, 0xe1], by: [0x03, 0x84, 0x00, 0xe1], in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.days.map(\.first) == [day])
        }
    }

    /// Importing the file again would change nothing: the history knows what it says.
    @Test(arguments: [10, 14, 17]) func `in a history of an earlier version, samples of imports are written again`(
        version: Int
    ) throws {
        try withFixture { history in
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.database.close()
            func expectRepaired(_ path: String, _ what: Comment) throws {
                let report = try #require(try StepDatabase.repair(path, at: noon, .fixed(0)), what)
                #expect(report.days.isEmpty, what)
                let repaired = try StepDatabase(path: path)
                let steps = try repaired.dayData(of: history.user, on: day).tracks.flatMap(\.samples).map(\.steps)
                #expect(steps == [4000, 4321], what)
                #expect(try repaired.imports().count == 1, what)
            }
            let changed = try OlderHistory.write(history.path, version: version)
            try replace([0x03, 0x84, 0x10, 0xe1], by: [0x03, 0x84, 0x00, 0xe1], in: changed)
            try expectRepaired(changed, "a changed sample")
            try FileManager.default.removeItem(atPath: changed)
            let lost = try OlderHistory.write(history.path, version: version)
            try SmallHistory.zeroRoot(of: "sample", in: lost)
            try expectRepaired(lost, "a lost page")
        }
    }

    @Test func `a sample of an import at a changed time is no second one`() throws {
        try withFixture { history in
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.database.close()
            func record(_ start: Timestamp) -> [UInt8] {
                (0..<4).reversed().map { UInt8(truncatingIfNeeded: start.seconds >> (8 * $0)) }
                    + [0x03, 0x84, 0x10, 0xe1]
            }
            let start = slot(15, 0).start
            try replace(record(start), by: record(start + 7200), in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.days.isEmpty)
            let repaired = try StepDatabase(path: history.path)
            #expect(
                try repaired.dayData(of: history.user, on: day).tracks.flatMap(\.samples).map(\.start) == [
                    slot(0, 0).start, start,
                ])
        }
    }

    @Test func `where what an import says cannot be read, its day is named as before`() throws {
        try withFixture { history in
            _ = try history.database.store(
                ImportTests.file([slot(0, 4000, length: 900), slot(15, 4321, length: 900)]), of: history.user, at: noon)
            try history.execute("UPDATE import_content SET content = x'ffffff'")
            try history.database.close()
            try replace([0x03, 0x84, 0x10, 0xe1], by: [0x03, 0x84, 0x00, 0xe1], in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.days.map(\.first) == [day])
        }
    }

    @Test(arguments: [
        "length = 9223372036854775807", "length = 0", "steps = -9223372036854775807", "steps = 9223372036854775807",
        "utc_offset = 9223372036854775807", "utc_offset = -9223372036854775807",
    ])
    func `a sample that istep never writes is damage`(change: String) throws {
        try withFixture { history in
            try history.merge(slot(0, 10), slot(15, 20))
            try history.execute("PRAGMA ignore_check_constraints = ON; UPDATE sample SET \(change) WHERE steps = 20")
            expectDamage("day") { try history.data() }
            expectDamage("figures") { try history.database.daySeriesInput(of: history.user, in: day...day) }
            expectDamage("merge") { try history.merge(slot(15, 30)) }
            guard change.hasPrefix("utc_offset") else { return }
            expectDamage("copy") { try StepDatabase.backUp(history.path, to: history.path + ".copy") }
            if change.contains("-") {
                expectDamage("first day") { try history.database.firstKnownDay(of: history.user.id) }
            }
        }
    }

    /// As they were received, which may be anything.
    @Test func `implausible samples with extreme values do not end the process`() throws {
        try withFixture { history in
            let most = Int(Int64.max)
            try history.merge(
                StepSample(start: noon, length: most, steps: most, utcOffset: 0),
                StepSample(start: noon + 1, length: 1, steps: most, utcOffset: 0),
                StepSample(start: noon + 2, length: 1, steps: 9, utcOffset: most))
            let data = try history.data()
            #expect(data.tracks.first?.implausible.count == 2)
            #expect(DaySummary(data, localTime: .fixed(0), now: noon).implausibleSteps == most)
        }
    }

    @Test(arguments: ["until = start", "utc_offset = 9223372036854775807", "until = 9223372036854775807"])
    func `a span that istep never writes is damage`(change: String) throws {
        try withFixture { history in
            let span = TimeSpan(midnight, noon)
            _ = try history.database.merge(SampleBatch(coverage: [span]), sync: history.sync)
            try history.execute("PRAGMA ignore_check_constraints = ON; UPDATE coverage SET \(change)")
            expectDamage("day") { try history.data() }
        }
    }

    @Test(arguments: [
        "walking_steps = 9223372036854775807", "completeness = 'x'", "hours = zeroblob(7)", "day = 9223372036854775807",
    ])
    func `stored sums that istep never writes are calculated again`(change: String) throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let input = try history.database.daySeriesInput(of: history.user, in: day...day)
            try history.execute("PRAGMA ignore_check_constraints = ON; UPDATE day_sum SET \(change)")
            #expect(try history.database.daySeriesInput(of: history.user, in: day...day) == input)
            if !change.hasPrefix("day") {
                #expect(try history.database.wrongSums() == [day])
                #expect(try history.database.correctSums() == 1)
            }
            #expect(try history.database.wrongSums() == [])
        }
    }

    @Test func `a time that no clock shows is damage`() throws {
        try withFixture { history in
            try history.execute("UPDATE sync SET started_at = -9223372036854775807")
            expectDamage("syncs") { try history.database.syncs(of: history.pedometer.id, limit: 1) }
        }
    }
}
