import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Histories damaged at random, and what is saved of them.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct RepairTests {
    private static let history = Result { try SmallHistory() }

    @Test func `all rows of a sound file are read without SQLite`() throws {
        let history = try Self.history.get()
        let keys = Set(history.samplePages.values.joined())
        #expect(keys.count == 800)
        #expect(history.samplePages.count > 20, "on many pages")
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try history.bytes.write(to: URL(fileURLWithPath: path))
            let target = try DatabaseQueue(
                configuration: {
                    var configuration = Configuration()
                    configuration.foreignKeysEnabled = false
                    return configuration
                }())
            let saved = try target.write { try Salvage(path).save(in: $0) }
            #expect(saved.tables.allSatisfy { $0.isWhole })
            #expect(saved.days.isEmpty && !saved.isSharingUncertain)
            let source = try DatabaseQueue(path: path)
            for table in saved.tables {
                let rows = "SELECT * FROM \(table.name) ORDER BY 1, 2"
                let (before, after) = try (
                    source.read { try Row.fetchAll($0, sql: rows) }, target.read { try Row.fetchAll($0, sql: rows) }
                )
                #expect(before == after, "\(table.name)")
            }
        }
    }

    /// 96 damaged copies, or 576.
    @Test(arguments: 0..<12) func `rows on sound pages are salvaged, and the repaired history is sound`(seed: UInt64)
        throws
    {
        let history = try Self.history.get()
        var random = SeededGenerator(seed: seed)
        for round in 0..<Endurance.rounds(8, year: 48) {
            let damage = Damage.allCases[round % Damage.allCases.count]
            var bytes = history.bytes
            let lost = damage.apply(to: &bytes, pageSize: history.pageSize, &random)
            let about = "\(damage), seed \(seed), round \(round)"
            try withDirectory { directory in
                let path = directory + "/history.sqlite"
                try bytes.write(to: URL(fileURLWithPath: path))
                try check(path, bytes, lost, history, about)
            }
        }
    }

    private func check(_ path: String, _ bytes: Data, _ lost: Set<Int>, _ history: SmallHistory, _ about: String) throws
    {
        let report: SalvageReport?
        do throws(HistoryError) {
            report = try StepDatabase.repair(path, at: noon, .fixed(0))
        } catch {
            // A damaged header that names a later version cannot be distinguished from a valid one.
            #expect(lost.contains(1), "\(about): \(error)")
            #expect(error.category == .data, "\(about): \(error)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(about): left as it was")
            return
        }
        // Whether repaired or found sound, it is a history that can be used.
        let database = try StepDatabase(path: path)
        let (problems, orphans) = try database.queue.read { database in
            (
                try String.fetchAll(database, sql: "PRAGMA integrity_check"),
                try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").count
            )
        }
        if report?.isWhole ?? true {
            let kept = try database.queue.read(SmallHistory.sealedRows)
            #expect(kept == history.sealedRows, "\(about): changed, and nothing is reported")
        }
        #expect(problems == ["ok"], "\(about)")
        #expect(orphans == 0, "\(about)")
        let rows = try database.queue.read { try Row.fetchAll($0, sql: "SELECT pedometer, start FROM sample") }
        let saved = Set(rows.map { SmallHistory.SampleKey(pedometer: $0[0], start: $0[1]) })
        let expected = Set(history.samplePages.filter { !lost.contains($0.key) }.values.joined())
        #expect(
            expected.isSubset(of: saved),
            "\(about): \(expected.subtracting(saved).count) of \(expected.count) samples are missing, first \(expected.subtracting(saved).first.map { key in history.samplePages.filter { $0.value.contains(key) }.keys.first ?? 0 } ?? 0), \(lost.count) pages lost: \(lost.sorted().prefix(5)); \(report?.tables.filter { !$0.isWhole } ?? [])"
        )
        try database.close()
        guard let report else { return }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: report.damaged)) == bytes, "\(about): the damaged file is kept")
        #expect(try mode(of: path) == 0o600)
        #expect(report.contents.samples == saved.count)
    }
}
