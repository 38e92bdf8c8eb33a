import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// The tables of an export in memory.
private struct Tables: ExportedHistory {
    var path = "/tmp/export"
    var rows: [(table: ExportTable, values: [String?])] = []
    var missing: [ExportTable] = []

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

/// A year after the samples of the tests.
private let limits = ExportLimits(now: noon + 366 * 86_400, models: ["colmi"], formats: ["csv"])

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
            let preview = try StepDatabase.previewRestoring(export, limits)
            let path = history.path + ".2"
            let restored = try StepDatabase(path: path)
            #expect(try restored.restore(export, limits) == preview)
            let again = try Tables(restored)
            #expect(again.rows.map(\.values) == export.rows.map(\.values))
            #expect(again.rows.map(\.table) == export.rows.map(\.table))
            #expect(
                try restored.dayData(of: history.user, on: day)
                    == history.database.dayData(of: history.user, on: day))
            try restored.close()
            #expect(try StepDatabase.check(path).isSound && StepDatabase.check(path).broken.isEmpty)
            #expect(throws: HistoryError.self) { try history.database.restore(export, limits) }
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
            ("samples", "start", "2016-04-20T00:00:00+00:00", "row 1 of samples is in the future"),
            ("corrections", "day", "2016-04-20", "row 1 of corrections is in the future"),
            ("excluded", "start", "2016-04-20T00:00:00+02:00", "excluded is in the future"),
            ("pedometers", "model", "x", "has the model \"x\""), ("pedometers", "model", "import:x", "has the model"),
            ("imports", "user", "%first", "a source of another user"),
            ("import_tracks", "sync", "1", "a sync of another source"),
            ("import_parts", "import", "9", "refers to one that is not there"),
        ] as [(String, String, String?, String)])
    func `an export with a wrong value is refused, and nothing is stored`(
        table: String, column: String, value: String?, reason: String
    ) throws {
        try withFixture { history in
            try fill(history)
            var export = try Tables(history.database)
            // The other user of the export.
            let value = value == "%first" ? history.user.name : value
            export.change(try #require(ExportTable.named(table)), column, to: value)
            let restored = try StepDatabase(path: history.path + ".2")
            do {
                _ = try restored.restore(export, limits)
                Issue.record("it was stored")
            } catch let error as ImportError {
                guard case .malformed(_, let text) = error else { throw error }
                #expect(text.contains(reason), "\(text)")
            }
            #expect(try restored.users().isEmpty)
            #expect(throws: ImportError.self) { try StepDatabase.previewRestoring(export, limits) }
        }
    }

    @Test func `a part of a history comes in with all that it has`() throws {
        try withFixture { history in
            try fill(history)
            let next = day.advanced(by: 1)
            var part = try Tables(history.database, ExportSelection(nil, user: nil, days: day...next))
            #expect(throws: ImportError.self, "tables that are not there must be known to be missing") {
                try StepDatabase.previewRestoring(part, limits)
            }
            part.missing = ExportTable.ofImports
            let restored = try StepDatabase(path: history.path + ".2")
            _ = try restored.restore(part, limits)
            let bob = try #require(restored.users().first { $0.name.hasPrefix("Bob") })
            #expect(try restored.dayData(of: bob, on: day).correction?.steps == 9000)
            #expect(try restored.dayData(of: bob, on: day).plan?.goals == [1, 2, 3, 4, 5, 6, 0])
            #expect(try restored.dayData(of: history.user, on: day).exclusions.count == 1)
            // A later import of the same source must not take the place of what came in.
            let before = try restored.dayData(of: bob, on: day).tracks.flatMap(\.samples)
            #expect(before == [slot(0, 100)])
            let changes = try restored.store(ImportTests.file([slot(0, 100), slot(60, 5)]), of: bob, at: noon)
            #expect(changes.days == [.init(day: day, before: 100, after: 105)])
            _ = try restored.removeImport(try #require(changes.id), at: noon, isPreview: false)
            #expect(try restored.dayData(of: bob, on: day).tracks.flatMap(\.samples) == before)
        }
    }

    @Test func `tables without users, days and counts come in too`() throws {
        try withFixture { history in
            try fill(history)
            var part = try Tables(history.database)
            let kept = [ExportTable.corrections, .plans]
            part.rows = part.rows.filter { kept.contains($0.table) }
            part.missing = ExportTable.stored.filter { !kept.contains($0) }
            let restored = try StepDatabase(path: history.path + ".2")
            _ = try restored.restore(part, limits)
            let bob = try #require(restored.users().first)
            #expect(try restored.knownDays(of: bob.id, from: day, through: day) == [day])
            part = try Tables(history.database)
            part.rows = part.rows.filter { ![.tables, .changedDays].contains($0.table) }
            part.missing = [.tables, .changedDays]
            let whole = try StepDatabase(path: history.path + ".3")
            _ = try whole.restore(part, limits)
            #expect(
                try whole.knownDays(of: history.user.id, from: day, through: day.advanced(by: 1))
                    == [day, day.advanced(by: 1)])
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
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(throws: HistoryError.self, "an empty file is somebody's too") { try ExportDatabase(path) }
            do { try ExportDatabase(directory + "/other.sqlite").begin(.users) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["steps.sqlite"])
        }
    }
}
