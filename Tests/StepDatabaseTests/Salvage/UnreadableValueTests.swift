import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Values that the schema accepts and istep cannot decode, or that the schema does not accept: a repair replaces them,
/// and keeps the rows.
@Suite(.timeLimit(.minutes(5))) struct UnreadableValueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let change: String
        let table: String
        let column: String
        var testDescription: String { change }

        init(_ change: String, _ table: String, _ column: String) {
            self.change = change
            self.table = table
            self.column = column
        }
    }

    private static let cases = [
        Case("UPDATE pedometer SET cursor = replace(cursor, '\"start\"', '\"staOt\"')", "pedometer", "cursor"),
        Case("UPDATE pedometer SET cursor = '{'", "pedometer", "cursor"),
        Case("UPDATE pedometer SET clock = replace(clock, 'settings', 'settinXs')", "pedometer", "clock"),
        Case("UPDATE pedometer SET options = '[]'", "pedometer", "options"),
        Case("UPDATE pedometer SET model = ''", "pedometer", "model"),
        Case("UPDATE pedometer SET name = ''", "pedometer", "name"),
        Case("UPDATE pedometer SET person = 129", "pedometer", "person"),
        Case("UPDATE person SET name = ''", "person", "name"),
        Case("UPDATE profile SET birth_date = '1980-02-31'", "profile", "birth_date"),
        Case("UPDATE profile SET height = 34", "profile", "height"),
        Case("UPDATE sync SET started_at = 9223372036854775807", "sync", "started_at"),
        Case("UPDATE sync SET battery = 208", "sync", "battery"),
        Case("UPDATE sync SET outcome = 'cgmplete'", "sync", "outcome"),
        Case("UPDATE sample SET sync = 129 WHERE start % 7 = 0", "sample", "sync"),
        Case("UPDATE sample SET distance = -70.5 WHERE steps = 20", "sample", "distance"),
        Case("UPDATE frame SET sync = 129 WHERE id = 2", "frame", "sync"),
        Case("UPDATE frame SET direction = 'zeceived' WHERE id = 2", "frame", "direction"),
        Case("UPDATE correction SET entered_at = -9223372036854775807", "correction", "entered_at"),
        Case("UPDATE share SET state = 'sfnt'", "share", "state"),
    ]

    @Test(arguments: cases) func `a repair replaces the value and keeps all rows`(damage: Case) throws {
        try withFixture { history in
            let tail = [WallSlot(wall: midnight.seconds, start: midnight, steps: 10)]
            _ = try history.database.merge(
                SampleBatch(
                    samples: (0..<40).map { slot($0 * 15, $0) }, coverage: [TimeSpan(midnight, noon)],
                    frames: (0..<4).map { RawFrame(.received, at: noon, bytes: [UInt8($0)]) },
                    cursor: PedometerCursor(readThrough: noon, tail: tail)), sync: history.sync)
            try history.database.endSync(
                history.sync, at: noon, outcome: .complete, battery: 80, failure: nil, cause: nil)
            try history.database.setProfile(
                Profile(validFrom: day, height: 1.7, birthDate: Day("1980-02-03")), of: history.user.id)
            try history.database.setCorrection(90, of: history.user.id, on: day, at: noon)
            try history.database.enqueueChanges(of: history.user.id, for: "diary", since: day, at: noon)
            let before = try counts(history.path)
            try history.database.close()
            try change(history.path, damage.change)

            #expect(throws: HistoryError.self) { try StepDatabase.checkBeforeSync(history.path, at: noon) }
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(
                report.resets.contains { ($0.table, $0.column) == (damage.table, damage.column) }, "\(report.resets)")
            if damage.table == "pedometer", damage.column != "name" {
                #expect(report.resets.first?.pedometer == "ring")
            }
            #expect(try counts(history.path) == before)
            let repaired = try StepDatabase(path: history.path)
            #expect(try repaired.users().count == 1)
            #expect(try repaired.dayData(of: repaired.users()[0], on: day).tracks.first?.samples.count == 40)
        }
    }

    @Test func `a sync with the number of another pedometer is corrected, and its samples are kept`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10), slot(15, 20))
            _ = try history.database.addPedometer(.ring(of: history.user, address: "30:34:42:00:00:02", name: "other"))
            try history.database.close()
            try change(history.path, "UPDATE sync SET pedometer = 2")
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.resets == [SalvageReport.Reset(table: "sync", column: "pedometer")])
            #expect(report.contents.samples == 2)
        }
    }

    @Test func `of two spans that overlap, the earlier one ends where the later one begins`() throws {
        try withFixture { history in
            for start in [midnight, noon] {
                _ = try history.database.merge(
                    SampleBatch(coverage: [TimeSpan(start, start + 3600)]), sync: history.sync)
            }
            try history.database.close()
            try change(history.path, "UPDATE coverage SET until = until + 65536 WHERE start = \(midnight.seconds)")
            _ = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            let repaired = try DatabaseQueue(path: history.path)
            let spans = try repaired.read {
                try Row.fetchAll($0, sql: "SELECT start, until FROM coverage").map { [$0[0], $0[1]] as [Int] }
            }
            #expect(spans == [[midnight.seconds, noon.seconds], [noon.seconds, noon.seconds + 3600]])
        }
    }

    private func change(_ path: String, _ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; \(sql)") }
        try queue.close()
    }

    private func counts(_ path: String) throws -> [String: Int] {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { database in
            let tables = try Schema.current.ownTables(in: database).filter { $0 != "day_sum" }
            return try Dictionary(
                uniqueKeysWithValues: tables.map {
                    ($0, try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0)
                })
        }
    }
}
