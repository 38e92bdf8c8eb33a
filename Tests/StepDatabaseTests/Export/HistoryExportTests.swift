import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct HistoryExportTests {
    @Test func `an export that is restored is the same in every table`() throws {
        try withFixture { history in
            try history.fillForExport()
            let export = try ExportedTables(history.database)
            #expect(
                Set(export.rows.map(\.table.name)).isSuperset(of: [
                    "users", "plans", "pedometers", "syncs", "samples", "implausible_samples", "coverage",
                    "corrections",
                    "excluded", "shares", "share_progress", "changed_days", "imports", "import_tracks",
                    "import_contents", "import_parts", "import_corrections", "import_excluded",
                ]))
            let preview = try StepDatabase.previewRestoring(export, .ofTests)
            let path = history.path + ".2"
            let restored = try StepDatabase(path: path)
            #expect(try restored.restore(export, .ofTests) == preview)
            let again = try ExportedTables(restored)
            #expect(again.rows.map(\.values) == export.rows.map(\.values))
            #expect(again.rows.map(\.table) == export.rows.map(\.table))
            #expect(
                try restored.dayData(of: history.user, on: day)
                    == history.database.dayData(of: history.user, on: day))
            try restored.close()
            #expect(try StepDatabase.check(path).isSound && StepDatabase.check(path).broken.isEmpty)
            #expect(throws: HistoryError.self) { try history.database.restore(export, .ofTests) }
        }
    }

    @Test func `a selection has one user, or some days`() throws {
        try withFixture { history in
            try history.fillForExport()
            let bob = try #require(history.database.users().first { $0.name.hasPrefix("Bob") })
            let his = try ExportedTables(history.database, ExportSelection(nil, user: bob, days: nil))
            let owners = Set(
                his.rows.compactMap { row in
                    row.table.columns.firstIndex { $0.name == "user" }.flatMap { row.values[$0] }
                })
            #expect(owners == [bob.name])
            #expect(his.rows.contains { $0.table == .importParts } && his.rows.contains { $0.table == .samples })
            let next = day.advanced(by: 1)
            let days = try ExportedTables(history.database, ExportSelection(nil, user: history.user, days: next...next))
            #expect(days.rows.filter { $0.table == .samples }.map { $0.values[4] } == ["3"])
            #expect(!days.rows.contains { $0.table == .implausible || $0.table == .excluded || $0.table == .imports })
        }
    }

    /// Otherwise the days around them would be known, with no steps.
    @Test func `of days, only what a span says of them is exported`() throws {
        try withFixture { history in
            let midnight = day.daysSince1970 * 86_400 - 7200
            try history.execute(
                """
                INSERT INTO coverage VALUES (\(history.pedometer.id), \(midnight - 864_000), \(midnight + 864_000), 7200);
                INSERT INTO excluded_time VALUES (\(history.user.id), \(midnight - 3600), \(midnight + 3600), 7200, 0, NULL);
                """)
            let last = day.advanced(by: 1)
            let export = try ExportedTables(
                history.database, ExportSelection(nil, user: history.user, days: day...last))
            func ends(_ table: ExportTable) -> [[String?]] {
                let columns = table.columns.map(\.name)
                return export.rows.filter { $0.table == table }.map { row in
                    ["start", "end"].map { name in columns.firstIndex(of: name).flatMap { row.values[$0] } }
                }
            }
            #expect(ends(.coverage) == [["\(day)T00:00:00+02:00", "\(last.advanced(by: 1))T00:00:00+02:00"]])
            #expect(ends(.excluded) == [["\(day)T00:00:00+02:00", "\(day)T01:00:00+02:00"]])
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
            ("samples", "start", "2016-04-20T00:00:00+00:00", "in start, which is in the future"),
            ("corrections", "day", "2016-04-20", "in day, which is in the future"),
            ("excluded", "start", "2016-04-20T00:00:00+02:00", "in start, which is in the future"),
            ("pedometers", "model", "x", "has the model \"x\""), ("pedometers", "model", "import:x", "has the model"),
            ("imports", "user", "%first", "a source of another user"),
            ("import_tracks", "sync", "1", "a sync of another source"),
            ("import_parts", "import", "9", "refers to one that is not there"),
        ] as [(String, String, String?, String)])
    func `an export with a wrong value is refused, and nothing is stored`(
        table: String, column: String, value: String?, reason: String
    ) throws {
        try withFixture { history in
            try history.fillForExport()
            var export = try ExportedTables(history.database)
            // The other user of the export.
            let value = value == "%first" ? history.user.name : value
            export.change(try #require(ExportTable.named(table)), column, to: value)
            let restored = try StepDatabase(path: history.path + ".2")
            do {
                _ = try restored.restore(export, .ofTests)
                Issue.record("it was stored")
            } catch let error as ImportError {
                switch error {
                case .malformed(_, let text), .impossible(let text): #expect(text.contains(reason), "\(text)")
                default: throw error
                }
            }
            #expect(try restored.users().isEmpty)
            #expect(throws: ImportError.self) { try StepDatabase.previewRestoring(export, .ofTests) }
        }
    }

    @Test func `a part of a history comes in with all that it has`() throws {
        try withFixture { history in
            try history.fillForExport()
            let next = day.advanced(by: 1)
            var part = try ExportedTables(history.database, ExportSelection(nil, user: nil, days: day...next))
            #expect(throws: ImportError.self, "tables that are not there must be known to be missing") {
                try StepDatabase.previewRestoring(part, .ofTests)
            }
            part.missing = ExportTable.ofImports + ExportTable.ofImportedDecisions
            let restored = try StepDatabase(path: history.path + ".2")
            _ = try restored.restore(part, .ofTests)
            let bob = try #require(restored.users().first { $0.name.hasPrefix("Bob") })
            #expect(try restored.dayData(of: bob, on: day).correction?.steps == 9000)
            #expect(try restored.dayData(of: bob, on: day).plan?.goals == [1, 2, 3, 4, 5, 6, 0])
            #expect(try restored.dayData(of: history.user, on: day).exclusions.count == 1)
            // A later import of the same source must not take the place of what came in.
            let before = try restored.dayData(of: bob, on: day).tracks.flatMap(\.samples)
            #expect(before == [slot(0, 100)])
            let changes = try restored.store(ImportTests.file([slot(0, 100), slot(60, 5)]), of: bob, at: noon)
            #expect(changes.days.isEmpty, "the day is corrected")
            #expect(
                try restored.dayData(of: bob, on: day).tracks.flatMap(\.samples).map(\.steps).sorted() == [5, 100, 100])
            _ = try restored.removeImport(try #require(changes.id), at: noon, isPreview: false)
            #expect(try restored.dayData(of: bob, on: day).tracks.flatMap(\.samples) == before)
        }
    }

    @Test func `samples that no clock can have timed are refused, or left out and counted`() throws {
        try withFixture { history in
            let old = StepSample(start: Timestamp(3600), length: 900, steps: 70, utcOffset: 0)
            try history.merge(slot(0, 900), old)
            let export = try ExportedTables(history.database)
            #expect(throws: ImportError.impossible("a row of samples with \"1970-01-01T01:00:00+00:00\" in start")) {
                try StepDatabase.previewRestoring(export, .ofTests)
            }
            let limits = ExportLimits(now: noon, models: ["colmi"], formats: [], leavesOutImpossible: true)
            let restored = try StepDatabase(path: history.path + ".2")
            let counts = try restored.restore(export, limits)
            #expect(counts.leftOut == 1 && counts.rows(of: "samples") == 1)
            #expect(try restored.dayData(of: history.user, on: day).tracks.flatMap(\.samples) == [slot(0, 900)])
        }
    }

    /// A history that had once been written with a clock ahead could not be restored before that time.
    @Test func `rows of the future are left out on request, and the rest comes in`() throws {
        try withFixture { history in
            let later = noon + 10 * 366 * 86_400
            try history.merge(slot(0, 900))
            let ahead = try history.database.beginSync(of: history.pedometer.id, at: later)
            _ = try history.database.merge(
                SampleBatch(
                    samples: [
                        StepSample(start: later - 900, length: 900, steps: 5, utcOffset: 0),
                        StepSample(start: later - 60, length: 60, steps: 9_000, utcOffset: 0),
                    ], coverage: [TimeSpan(later - 900, later)]), sync: ahead)
            let export = try ExportedTables(history.database)
            #expect(throws: ImportError.self) { try StepDatabase.previewRestoring(export, .ofTests) }
            let limits = ExportLimits(now: noon, models: ["colmi"], formats: [], leavesOutImpossible: true)
            let restored = try StepDatabase(path: history.path + ".2")
            let counts = try restored.restore(export, limits)
            #expect(counts.leftOut == 4 && counts.rows(of: "samples") == 1 && counts.rows(of: "syncs") == 2)
            #expect(try restored.dayData(of: history.user, on: day).tracks.flatMap(\.samples) == [slot(0, 900)])
        }
    }

    @Test func `tables without users, days and counts come in too`() throws {
        try withFixture { history in
            try history.fillForExport()
            var part = try ExportedTables(history.database)
            let kept = [ExportTable.corrections, .plans]
            part.rows = part.rows.filter { kept.contains($0.table) }
            part.missing = ExportTable.stored.filter { !kept.contains($0) }
            let restored = try StepDatabase(path: history.path + ".2")
            _ = try restored.restore(part, .ofTests)
            let bob = try #require(restored.users().first)
            #expect(try restored.knownDays(of: bob.id, from: day, through: day) == [day])
            part = try ExportedTables(history.database)
            part.rows = part.rows.filter { ![.tables, .changedDays].contains($0.table) }
            part.missing = [.tables, .changedDays]
            let whole = try StepDatabase(path: history.path + ".3")
            _ = try whole.restore(part, .ofTests)
            #expect(
                try whole.knownDays(of: history.user.id, from: day, through: day.advanced(by: 1))
                    == [day, day.advanced(by: 1)])
        }
    }

    @Test func `an error of the receiver ends the export`() throws {
        struct Full: Error {}
        try withFixture { history in
            try history.fillForExport()
            #expect(throws: Full.self) {
                try history.database.rows(
                    ExportSelection(nil, user: nil, days: nil), localTime: .fixed(0), begin: { _ in },
                    row: { _ in throw Full() })
            }
            try history.database.rows(
                ExportSelection(["users"], user: nil, days: nil), localTime: .fixed(0), begin: { _ in }, row: { _ in })
        }
    }

    /// A column that is added to the history is part of an export, or is named here with the reason.
    @Test func `no column of an exported table is left out`() throws {
        // What protects rows, what is part of a time, what is made from the name, and the name of a user, who is one.
        let left: Set = ["checksum", "utc_offset", "name_key", "person.name"]
        try withFixture { history in
            let found = try history.database.read { database in
                try StoredTable.all.flatMap { table in
                    let exported = table.columns.map { $0.insert ?? $0.select }
                    return try database.columns(in: table.name).map(\.name)
                        .filter { !exported.contains($0) && !left.contains($0) }.map { "\(table.name).\($0)" }
                        .filter { !left.contains($0) }
                }
            }
            #expect(found == [])
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
            try FileManager.default.removeItem(atPath: path)
            do {
                let late = try ExportDatabase(path)
                try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
                #expect(throws: HistoryError.self, "it has appeared meanwhile") { try late.finish() }
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["steps.sqlite"])
        }
    }
}
