import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// The tables of an export in memory.
private struct Tables: ExportedHistory {
    var path = "/tmp/export"
    var rows: [(table: ExportTable, values: [String?])] = []

    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws {
        for (table, values) in rows { try row(table, values) }
    }

    init(_ database: StepDatabase, _ selection: ExportSelection = ExportSelection(nil, user: nil, days: nil)) throws {
        var (found, counts): ([(table: ExportTable, values: [String?])], ExportCounts) = ([], ExportCounts())
        var table = ExportTable.days
        try database.rows(
            selection, localTime: .fixed(3600),
            begin: {
                table = $0
                counts.begin($0)
            },
            row: {
                counts.count()
                found.append((table, $0.map(\.text)))
            })
        rows = found + counts.tables.map { (ExportTable.tables, [$0.name, String($0.rows)]) }
    }

    mutating func change(_ table: ExportTable, _ column: String, to text: String?) {
        guard let index = rows.firstIndex(where: { $0.table == table }),
            let place = table.columns.firstIndex(where: { $0.name == column })
        else { return }
        rows[index].values[place] = text
    }
}

@Suite(.timeLimit(.minutes(5))) struct HistoryExportTests {
    private func fill(_ history: Fixture) throws {
        let database = history.database
        try history.merge(slot(0, 900, distance: 12.5), slot(60, 200, offset: -2670), slot(1440, 3), slot(5, 90_000))
        _ = try database.merge(
            SampleBatch(coverage: [
                TimeSpan(midnight, noon), TimeSpan(noon + 60, noon + 120),
                TimeSpan(Timestamp(-86_400), Timestamp(-80_000)),
            ]),
            sync: history.sync)
        try database.endSync(history.sync, at: noon, outcome: .failed, battery: nil, failure: "a, \"b\"", cause: .other)
        let bob = try database.addUser(named: "Bob, \"the\" walker")
        _ = try database.addPedometer(.ring(of: bob, address: "30:34:42:00:00:02", name: "two"))
        try database.setCorrection(
            StepCorrection(steps: 9000, reason: " forgot\nit "), of: bob.id, on: day, at: noon)
        try database.setPlan(SportPlan(validFrom: day, goals: [1, 2, 3, 4, 5, 6, 0]), of: bob.id)
        try database.exclude(
            Exclusion(TimeSpan(midnight, midnight + 60), utcOffset: 7200, reason: "x"), of: history.user.id, at: noon)
        _ = try database.store(ImportTests.file([slot(0, 100), slot(1440, 7)]), of: bob, at: noon)
        try database.enqueueChanges(of: bob.id, for: "diary", since: day, at: noon)
    }

    @Test func `an export that is restored is the same in every table`() throws {
        try withFixture { history in
            try fill(history)
            let export = try Tables(history.database)
            #expect(
                Set(export.rows.map(\.table.name)).isSuperset(of: [
                    "users", "plans", "pedometers", "syncs", "samples", "implausible_samples", "coverage",
                    "corrections",
                    "excluded", "shares", "share_progress", "changed_days", "imports", "import_tracks",
                    "import_contents", "import_parts",
                ]))
            let preview = try StepDatabase.previewRestoring(export)
            let path = history.path + ".2"
            let restored = try StepDatabase(path: path)
            #expect(try restored.restore(export) == preview)
            let again = try Tables(restored)
            #expect(again.rows.map(\.values) == export.rows.map(\.values))
            #expect(again.rows.map(\.table) == export.rows.map(\.table))
            #expect(
                try restored.dayData(of: history.user, on: day)
                    == history.database.dayData(of: history.user, on: day))
            try restored.close()
            #expect(try StepDatabase.check(path).isSound && StepDatabase.check(path).broken.isEmpty)
            #expect(throws: HistoryError.self) { try history.database.restore(export) }
        }
    }

    @Test func `a selection has one user, or some days`() throws {
        try withFixture { history in
            try fill(history)
            let bob = try #require(history.database.users().first { $0.name.hasPrefix("Bob") })
            let his = try Tables(history.database, ExportSelection(nil, user: bob, days: nil))
            let owners = Set(
                his.rows.compactMap { row in
                    row.table.columns.firstIndex { $0.name == "user" }.flatMap { row.values[$0] }
                })
            #expect(owners == [bob.name])
            #expect(his.rows.contains { $0.table == .importParts } && his.rows.contains { $0.table == .samples })
            let next = day.advanced(by: 1)
            let days = try Tables(history.database, ExportSelection(nil, user: history.user, days: next...next))
            #expect(days.rows.filter { $0.table == .samples }.map { $0.values[4] } == ["3"])
            #expect(!days.rows.contains { $0.table == .implausible || $0.table == .excluded || $0.table == .imports })
        }
    }

    @Test(
        arguments: [
            ("samples", "start", "2014-04-20", "row 1 of samples has \"2014-04-20\" in start"),
            ("samples", "steps", "1e9", "in steps"), ("samples", "steps", "9000000", "samples"),
            ("samples", "user", "Nobody", "in user"), ("samples", "pedometer", "77", "refers to one that is not there"),
            ("samples", "seconds", nil, "has nothing in seconds"), ("pedometers", "cursor", "{\"x\":", "pedometers"),
            ("pedometers", "cursor", "{\"readThrough\":\"x\"}", "pedometer"),
            ("plans", "valid_from", "2014-02-30", "valid_from"),
            ("import_contents", "bytes", "00zz", "in bytes"), ("import_contents", "bytes", "ffff", "cannot be read"),
            ("users", "user", "a\u{7}b", "users"), ("excluded", "end", "2034-04-20T00:01:00+02:00", "excluded"),
            ("coverage", "end", "2014-12-31T00:00:00+02:00", "coverage overlap"), ("tables", "rows", "5", "rows of 5"),
            ("changed_days", "counted", "yes", "in counted"),
        ] as [(String, String, String?, String)])
    func `an export with a wrong value is refused, and nothing is stored`(
        table: String, column: String, value: String?, reason: String
    ) throws {
        try withFixture { history in
            try fill(history)
            var export = try Tables(history.database)
            export.change(try #require(ExportTable.named(table)), column, to: value)
            let restored = try StepDatabase(path: history.path + ".2")
            do {
                _ = try restored.restore(export)
                Issue.record("it was stored")
            } catch let error as ImportError {
                guard case .malformed(_, let text) = error else { throw error }
                #expect(text.contains(reason), "\(text)")
            }
            #expect(try restored.users().isEmpty)
            #expect(throws: ImportError.self) { try StepDatabase.previewRestoring(export) }
        }
    }

    @Test func `an error of the receiver ends the export`() throws {
        struct Full: Error {}
        try withFixture { history in
            try fill(history)
            #expect(throws: Full.self) {
                try history.database.rows(
                    ExportSelection(nil, user: nil, days: nil), localTime: .fixed(0), begin: { _ in },
                    row: { _ in throw Full() })
            }
            try history.database.rows(
                ExportSelection(["users"], user: nil, days: nil), localTime: .fixed(0), begin: { _ in }, row: { _ in })
        }
    }

    @Test func `a database of an export has its columns, and is there when it is complete`() throws {
        try withDirectory { directory in
            let path = directory + "/steps.sqlite"
            let writer = try ExportDatabase(path)
            try writer.begin(.users)
            try writer.row([.text("Ada")])
            #expect(!FileManager.default.fileExists(atPath: path))
            try writer.begin(.hours)
            try writer.row([.text("Ada"), .text("2014-04-20"), .integer(3), .null])
            try writer.finish()
            let queue = try DatabaseQueue(path: path)
            let hours = try queue.read { try Row.fetchAll($0, sql: "SELECT user, day, hour, steps IS NULL FROM hours") }
            #expect(hours == [["user": "Ada", "day": "2014-04-20", "hour": 3, "steps IS NULL": 1]])
            let schema = try queue.read {
                try String.fetchOne($0, sql: "SELECT sql FROM sqlite_schema WHERE name = 'hours'")
            }
            #expect(schema?.contains("Steps; empty where the hour is not known.") == true)
            try queue.close()
            #expect(try mode(of: path) == 0o600)
            #expect(throws: HistoryError.self) { try ExportDatabase(path) }
            do { try ExportDatabase(directory + "/other.sqlite").begin(.users) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["steps.sqlite"])
        }
    }
}
