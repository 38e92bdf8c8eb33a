import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// A history whose user has added tables: their rows fit tables of istep.
@Suite(.timeLimit(.minutes(5))) struct OtherTablesTests {
    /// On pages of 512 bytes, so that each table has a page above others.
    private static let additions = #"""
        CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT, name_key TEXT);
        INSERT INTO notes WITH n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            SELECT i, 'note ' || i, 'note ' || i FROM n;
        CREATE TABLE "my ""walks""" (pedometer INTEGER, start INTEGER, length INTEGER, steps INTEGER, distance REAL, energy REAL,
            utc_offset INTEGER, sync INTEGER, PRIMARY KEY (pedometer, start)) WITHOUT ROWID;
        INSERT INTO "my ""walks""" SELECT pedometer, start + 86400000, length, 77, NULL, NULL, 0, sync FROM sample;
        CREATE TABLE goals (person INTEGER, day TEXT, goal INTEGER, PRIMARY KEY (person, day)) WITHOUT ROWID;
        INSERT INTO goals SELECT 1, date('2020-01-01', id || ' days'), 1 FROM notes;
        CREATE INDEX notes_by_name ON notes (name, name_key);
        CREATE INDEX samples_by_steps ON SAMPLE (steps);
        CREATE VIEW walked AS SELECT sum(steps) FROM sample;
        ANALYZE;
        """#

    private func withHistory(_ body: (Fixture) throws -> Void) throws {
        try withDirectory { directory in
            let empty = try DatabaseQueue(path: directory + "/history.sqlite")
            try empty.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 512; VACUUM") }
            try empty.close()
            let history = try Fixture(directory)
            _ = try history.database.merge(
                SampleBatch(samples: (0..<90).map { slot($0 * 15, 100 + $0) }, coverage: [TimeSpan(midnight, noon)]),
                sync: history.sync)
            try history.execute(Self.additions)
            try history.database.close()
            #expect(try StepDatabase.check(history.path).isSound)
            try body(history)
        }
    }

    /// Expects that a repair adds nothing.
    @discardableResult
    private func repair(_ history: Fixture) throws -> SalvageReport {
        let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
        let queue = try DatabaseQueue(path: history.path)
        func count(_ table: String) throws -> Int? {
            try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
        }
        let counts = try ["person", "sample", "sync", "share_watermark", "correction", "changed_day"].map(count)
        #expect(counts == [1, 90, 1, 0, 0, 1])
        #expect(report.tables.filter { !$0.isWhole } == [])
        return report
    }

    @Test func `their rows are not those of the history, and their names are reported`() throws {
        try withHistory { history in
            let queue = try DatabaseQueue(path: history.path)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1") }
            try queue.close()
            #expect(try repair(history).otherTables == ["notes", "my \"walks\"", "goals"])
        }
    }

    /// No tree leads to the pages below it.
    @Test(arguments: ["notes", "my \"walks\"", "goals", "notes_by_name", "samples_by_steps", "sqlite_stat1"])
    func `neither are they where a page of them is lost`(name: String) throws {
        try withHistory { history in
            try SmallHistory.zeroRoot(of: name, in: history.path)
            try repair(history)
        }
    }

    /// One that looks like a leaf, or has fewer entries than there are, hides the pages below it.
    @Test(arguments: ["notes", "goals", "notes_by_name"], ["kind", "count"])
    func `neither are they where a page above others is damaged`(name: String, damage: String) throws {
        try withHistory { history in
            let queue = try DatabaseQueue(path: history.path)
            let root = try queue.read {
                try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name])
            }
            try queue.close()
            var bytes = try Data(contentsOf: URL(fileURLWithPath: history.path))
            let page = (try #require(root) - 1) * 512
            try #require([2, 5].contains(bytes[page]) && bytes[page + 4] > 2)
            if damage == "kind" { bytes[page] ^= 8 } else { bytes[page + 4] -= 1 }
            try bytes.write(to: URL(fileURLWithPath: history.path))
            try repair(history)
        }
    }

    /// The newest object is on the last page of the schema.
    @Test func `neither are they where a page of the schema has fewer entries than there are`() throws {
        try withHistory { history in
            let queue = try DatabaseQueue(path: history.path)
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql:
                        "CREATE TABLE last (id INTEGER PRIMARY KEY, name, name_key); INSERT INTO last SELECT * FROM notes"
                )
            }
            try queue.close()
            let pages = try PageStore(history.path)
            let leaf = try #require(
                (2...pages.count).last { number in
                    TreePage(number, in: pages)?.cells.last?.values?.contains("last".databaseValue) == true
                })
            var bytes = try Data(contentsOf: URL(fileURLWithPath: history.path))
            bytes[(leaf - 1) * 512 + 4] -= 1
            try bytes.write(to: URL(fileURLWithPath: history.path))
            try repair(history)
        }
    }

    /// istep has no row of this size.
    @Test func `a large value in such a table hides no row of the history`() throws {
        try withHistory { history in
            let queue = try DatabaseQueue(path: history.path)
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: "CREATE TABLE photos (jpeg BLOB); INSERT INTO photos VALUES (zeroblob(1200000))")
            }
            let root = try #require(
                try queue.read {
                    try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sample'")
                })
            try queue.close()
            // All pages but the last are stray ones then.
            var bytes = try Data(contentsOf: URL(fileURLWithPath: history.path))
            bytes[(root - 1) * 512 + 4] = 0
            try bytes.write(to: URL(fileURLWithPath: history.path))
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect((80...90).contains(report.contents.samples) && report.contents.people == ["Ada"])
            #expect(report.tables.filter { !$0.isWhole }.map(\.name) == ["sample"])
        }
    }

    @Test(arguments: ["type = NULL", "name = NULL", "rootpage = 0", "rootpage = 'x'", "sql = NULL"])
    func `neither are they where the row of such a table in the schema is damaged`(change: String) throws {
        try withHistory { history in
            let queue = try DatabaseQueue(path: history.path)
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) WHERE name = 'notes'")
            }
            try queue.close()
            try repair(history)
        }
    }

    /// The table may then be one of istep's with another name.
    @Test func `neither are they where the name of such a table is damaged`() throws {
        try withHistory { history in
            var bytes = try Data(contentsOf: URL(fileURLWithPath: history.path))
            let name = try #require(bytes.range(of: Data("tablenotesnotes".utf8)))
            bytes[name.lowerBound + 5] ^= 1
            try bytes.write(to: URL(fileURLWithPath: history.path))
            #expect(try repair(history).otherTables == ["my \"walks\"", "goals"])
        }
    }

    @Test func `samples that a table of istep has lost are found beside them`() throws {
        try withHistory { history in
            try SmallHistory.zeroRoot(of: "sample", in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect((71..<90).contains(report.contents.samples) && report.contents.people == ["Ada"])
            let queue = try DatabaseQueue(path: history.path)
            let last = try queue.read { try Int.fetchOne($0, sql: "SELECT max(start) FROM sample") }
            #expect(last == slot(89 * 15, 0).start.seconds)
        }
    }
}
