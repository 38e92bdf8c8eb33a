import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct SchemaTests {
    /// From nothing to the current version, but not by reading: an empty file may be the result of a failed copy.
    @Test func `an empty file is initialized only when opened for writing`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            expect(.empty(path: path)) { try StepDatabase(path: path, for: .reading) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
            let tables = try Fixture(directory).strings(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            #expect(
                tables == [
                    "changed_day", "correction", "coverage", "day_sum", "deleted_day", "destination", "device_total",
                    "excluded_time", "frame", "implausible_sample",
                    "import", "import_content", "import_correction", "import_exclusion", "import_number", "import_part",
                    "import_track", "notice", "pedometer", "person", "plan",
                    "profile", "sample", "scheduled_import",
                    "seal", "sealing", "share", "share_watermark", "sync",
                ])
        }
    }

    /// A released migration is never edited: this test fails if one is changed instead of added.
    @Test func `released migrations are not changed`() {
        func checksum(_ text: String) -> String {
            // FNV-1a, 64 bits
            let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            return String(hash, radix: 16)
        }
        #expect(
            Schema.current.migrations.map(\.name) == [
                "history", "sharing", "notices", "delivery", "layouts", "reasons", "daySums", "deviceTotals", "seals",
                "imports", "exclusions", "scheduledImports", "runningSteps",
                "deletions", "importedDecisions", "shareCauses", "importNumbers", "scheduledImportDetails",
            ])
        #expect(
            Schema.current.migrations.map { checksum($0.sql) }
                == [
                    "4ae2bf8d688edaf7", "459d08644d97961a", "694e12637e316b9a", "72ce1b7d5a3b5c36", "f3b9b715003651d0",
                    "133531aebcc958e4",
                    "49384e4b224dc327", "ad4d225571bf2903", "6315f4a2ab5592b0", "d935aeb08adbf285",
                    "bed07cf9c3d3e870", "4deab63572072075", "59904740a71c33a7", "391da3e0685c5645",
                    "6513568ad5b84d20", "c58e30fc873dd78c", "29f87a2cd3a82b16", "a9eda6aa425154dd",
                ])
    }

    @Test func `an older version is migrated with its content`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.database.close()
            let next = Schema(
                migrations: Schema.current.migrations + [
                    .init(name: "nickname", sql: "ALTER TABLE person ADD COLUMN nickname TEXT")
                ])
            // Opening for reading migrates it, too: an old form cannot be read.
            for access in [StepDatabase.Access.reading, .writing] {
                let database = try StepDatabase(path: history.path, for: access, busyTimeout: 5, schema: next)
                let data = try database.dayData(of: history.user, on: day)
                #expect(data.tracks.first?.samples == [slot(0, 10)])
                let columns = try database.queue.read { try $0.columns(in: "person").map(\.name) }
                #expect(columns.contains("nickname"))
                try database.close()
            }
            for access in [StepDatabase.Access.reading, .writing] {
                let error = historyError { try StepDatabase(path: history.path, for: access) }
                #expect(
                    error
                        == .newerVersion(
                            path: history.path, found: Schema.current.version + 1, supported: Schema.current.version))
                #expect(error?.category == .data)
            }
        }
    }

    /// As a server that runs while the package is upgraded.
    @Test func `a history that a newer program has migrated meanwhile is neither written nor read`() throws {
        try withFixture { history in
            let source = ReopenedHistory(path: history.path, backups: nil)
            let open = try source.history()
            let next = Schema(
                migrations: Schema.current.migrations + [
                    .init(name: "later", sql: "CREATE TABLE later (a); ALTER TABLE plan ADD COLUMN weekly INTEGER")
                ])
            try StepDatabase(path: history.path, for: .writing, busyTimeout: 5, schema: next).close()
            let error = HistoryError.newerVersion(
                path: history.path, found: next.version, supported: Schema.current.version)
            expect(error) { try open.addUser(named: "Ben") }
            expect(error) { try open.addUser(named: "Ben") }
            expect(error) { try open.users() }
            expect(error) { try history.merge(slot(0, 10)) }
            expect(error) { try source.history() }
            let other = try DatabaseQueue(path: history.path)
            let rows = try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") }
            #expect(rows == 1)
            try other.close()
        }
    }

    /// A backup that was copied over it, for example.
    @Test func `a history that has an earlier version meanwhile is opened and migrated again`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite", old = directory + "/old.sqlite"
            let source = ReopenedHistory(path: path, backups: nil)
            try StepDatabase(path: path).close()
            let open = try source.history()
            let earlier = Schema(migrations: Array(Schema.current.migrations.dropLast()))
            try StepDatabase(path: old, for: .writing, busyTimeout: 1, schema: earlier).close()
            let copy = try DatabaseQueue(path: old)
            try copy.backup(to: DatabaseQueue(path: path))
            try copy.close()
            expect(.replaced(path: path)) { try open.addUser(named: "Ben") }
            #expect(try source.history().addUser(named: "Ben").name == "Ben")
        }
    }

    @Test func `a failed migration leaves the previous version`() throws {
        try withFixture { history in
            try history.database.close()
            let broken = Schema(
                migrations: Schema.current.migrations + [
                    .init(name: "good", sql: "CREATE TABLE good (id INTEGER PRIMARY KEY)"),
                    .init(name: "broken", sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY)"),
                ])
            guard
                case .failed = historyError({
                    try StepDatabase(path: history.path, for: .writing, busyTimeout: 5, schema: broken)
                })
            else {
                Issue.record("a table was made twice")
                return
            }
            let database = try StepDatabase(path: history.path)
            #expect(try database.queue.read { try $0.tableExists("good") } == false)
        }
    }

    @Test(arguments: [-1, 0, 1, 2, 72, -2_147_483_648])
    func `a version number that cannot be right is damage`(number: Int) throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.database.close()
            let other = try DatabaseQueue(path: history.path)
            try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = \(number)") }
            try other.close()
            for access in [StepDatabase.Access.reading, .writing] {
                let error = historyError { try StepDatabase(path: history.path, for: access) }
                guard case .damaged(_, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("its version number is \(number)"))
                if number > 0 { #expect(reason.contains("its tables are those of version \(Schema.current.version)")) }
            }
            // A repair finds the right version.
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.isWhole && report.contents.version == Schema.current.version)
            #expect(report.headerNumbers == [.version])
            #expect(
                try StepDatabase(path: history.path).dayData(of: history.user, on: day).tracks.first?.samples == [
                    slot(0, 10)
                ])
        }
    }

    @Test(arguments: [
        "CREATE TABLE moz_places (id INTEGER PRIMARY KEY)", "PRAGMA user_version = 1; CREATE TABLE t (x)",
        "PRAGMA application_id = 7", "PRAGMA user_version = 4",
    ])
    func `a database of another program stays unchanged`(sql: String) throws {
        try withDirectory { directory in
            let path = directory + "/places.sqlite"
            let other = try DatabaseQueue(path: path)
            try other.writeWithoutTransaction { try $0.execute(sql: sql) }
            try other.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            for access in [StepDatabase.Access.reading, .writing] {
                expect(.foreign(path: path)) { try StepDatabase(path: path, for: access) }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }
}
