import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// The schema of a file can be damaged, too, or come from another program.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct SchemaDamageTests {
    private static let tables = [
        "changed_day", "correction", "coverage", "deleted_day", "destination", "device_total", "excluded_time", "frame",
        "implausible_sample", "import",
        "import_content", "import_correction", "import_exclusion", "import_number", "import_part", "import_track",
        "notice",
        "pedometer", "person",
        "plan",
        "profile",
        "sample", "scheduled_import", "share", "share_watermark", "sync",
    ]

    /// A closed history with 400 samples and something in other tables.
    private func withHistory(_ body: (String) throws -> Void) throws {
        try withDirectory { directory in
            let history = try Fixture(directory)
            for hour in 0..<8 {
                try history.database.merge(
                    SampleBatch(samples: (0..<50).map { slot(hour * 60 + $0, 7, length: 60) }), sync: history.sync
                )
                .expectAdded(50)
            }
            try history.database.setCorrection(9000, of: history.user.id, on: day, at: noon)
            try history.database.enqueueChanges(of: history.user.id, for: "diary", since: day, at: noon)
            try history.database.close()
            try body(history.path)
        }
    }

    private func execute(_ sql: String, _ path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Expects that no operation accepts the file, and that a repair makes a sound history of it.
    ///
    /// - Returns: what the repair has saved.
    private func expectDamage(_ path: String, _ about: String) throws -> SalvageReport {
        let health = try StepDatabase.check(path)
        #expect(!health.isSound, "\(about): found sound")
        guard case .damaged = historyError({ try StepDatabase(path: path) }) else {
            Issue.record("\(about): opened for writing")
            throw HistoryError.missing(path: path)
        }
        guard case .damaged = historyError({ try StepDatabase.checkBeforeSync(path, at: noon) }) else {
            Issue.record("\(about): a sync was allowed")
            throw HistoryError.missing(path: path)
        }
        let copy = path + ".copy"
        let backup = historyError { try StepDatabase.backUp(path, to: copy) }
        #expect(backup?.isDamage(of: path) == true, "\(about): \(String(describing: backup))")
        #expect(!FileManager.default.fileExists(atPath: copy), "\(about)")
        let restored = historyError { try StepDatabase.restore(path, to: path + ".new", at: noon, .fixed(0)) }
        guard case .of(.backup, .damaged) = restored else {
            Issue.record("\(about): restored, or \(String(describing: restored))")
            throw HistoryError.missing(path: path)
        }
        #expect(!FileManager.default.fileExists(atPath: path + ".new"), "\(about)")
        let report = try #require(try StepDatabase.repair(path, at: noon, .fixed(0)), "\(about): not repaired")
        #expect(try StepDatabase.check(path).allComplaints == [], "\(about)")
        #expect(try StepDatabase(path: path).users().count == 1, "\(about)")
        return report
    }

    // MARK: Sound histories

    @Test(arguments: 1...Schema.current.version)
    func `a history of any version, and one migrated from it, has the schema of a new one`(version: Int) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = Schema(migrations: Array(Schema.current.migrations.prefix(version)))
            try StepDatabase(path: path, for: .writing, busyTimeout: 1, schema: old).close()
            #expect(
                try StepDatabase.check(path)
                    == HistoryHealth(isOlder: version < Schema.current.version, complaints: [], orphans: []))
            _ = try StepDatabase(path: path).addUser(named: "Ada")
            #expect(try StepDatabase.check(path) == HistoryHealth(isOlder: false, complaints: [], orphans: []))
        }
    }

    /// Migrated step by step, as by successive versions of istep.
    @Test func `the fingerprint of each version is that of its objects`() throws {
        let computed = try Schema.current.objectsOfVersions().map(Schema.fingerprint)
        #expect(computed == Schema.fingerprints, "\(computed.map { "0x" + String($0, radix: 16) })")
    }

    @Test func `a history that was migrated by each version has the schema of a new one`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            for version in 1...Schema.current.version {
                let schema = Schema(migrations: Array(Schema.current.migrations.prefix(version)))
                let database = try StepDatabase(path: path, for: .writing, busyTimeout: 1, schema: schema)
                #expect(try database.queue.read(schema.differences) == [])
                try database.close()
            }
            #expect(try StepDatabase.check(path).isSound)
        }
    }

    @Test func `a history with SQLite's statistics, packed by VACUUM, is sound`() throws {
        try withHistory { path in
            try execute("ANALYZE; VACUUM", path)
            #expect(try StepDatabase.check(path).allComplaints == [])
            _ = try StepDatabase(path: path).users()
        }
    }

    // MARK: Damage

    @Test(arguments: 0..<4) func `a flipped bit in any definition is found and repaired, and no row is lost`(
        seed: UInt64
    ) throws {
        try withHistory { path in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let reader = try DatabaseQueue(path: path)
            let definitions = try reader.read {
                try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
            }
            try reader.close()
            var random = SeededGenerator(seed: seed)
            for round in 0..<10 {
                let definition = try #require(definitions.randomElement(using: &random))
                // A definition that is longer than a page is stored in pieces.
                guard let range = bytes.range(of: Data(definition.utf8)) else { continue }
                let index = Int.random(in: range.indices, using: &random), bit = UInt8.random(in: 0...7, using: &random)
                let old = Unicode.Scalar(bytes[index]), new = Unicode.Scalar(bytes[index] ^ 1 << bit)
                if old.properties.isWhitespace, new.properties.isWhitespace { continue }
                let copy = path + ".\(round)"
                var damaged = bytes
                damaged[index] ^= 1 << bit
                try damaged.write(to: URL(fileURLWithPath: copy))
                let report = try expectDamage(
                    copy, "\(old) became \(new) at \(index - range.lowerBound) of \(definition.prefix(40))")
                #expect(report.isWhole && report.contents.samples == 400, "\(report)")
                #expect(!report.isSharingUncertain)
            }
        }
    }

    @Test(arguments: [
        "'date('|'dqte('", "'length('|'hength('", "'utc_offset'|'utc_offsgt'", "'BETWEEN 0 AND'|'BETWEEN 1 AND'",
    ])
    func `an unknown function, column or limit in a definition is damage, not a fault of istep`(change: String) throws {
        try withHistory { path in
            let words = change.split(separator: "|")
            try execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, \(words[0]), \(words[1])) WHERE type = 'table';
                PRAGMA writable_schema = OFF
                """, path)
            let report = try expectDamage(path, change)
            #expect(report.isWhole && report.contents.samples == 400)
        }
    }

    @Test func `an error of a query because of the schema is reported as such`() throws {
        try withHistory { path in
            try execute(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'utc_offset', 'utc_offsgt'); PRAGMA writable_schema = OFF",
                path)
            let history = try StepDatabase(path: path, for: .reading)
            let user = try #require(try history.users().first)
            guard case .damaged = historyError({ try history.dayData(of: user, on: day) }) else {
                Issue.record("read")
                return
            }
        }
    }

    @Test(arguments: tables) func `a missing table is named, and comes back by a repair`(table: String) throws {
        try withHistory { path in
            try execute("DROP TABLE \(table)", path)
            #expect(try StepDatabase.check(path).complaints.first == "the table \"\(table)\" is missing")
            let report = try expectDamage(path, table)
            #expect(report.tables.map(\.name).sorted() == Self.tables)
            #expect(report.tables.first { $0.name == table }?.isWhole == false, "what is lost is reported")
            if !["sample", "sync", "person", "pedometer"].contains(table) { #expect(report.contents.samples == 400) }
        }
    }

    @Test func `a history without people that lacks a table is repaired`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try StepDatabase(path: path).close()
            try execute("DROP INDEX sync_by_start", path)
            #expect(try StepDatabase.check(path).complaints == ["the index \"sync_by_start\" is missing"])
            #expect(try StepDatabase.repair(path, at: noon, .fixed(0)) != nil)
            #expect(try StepDatabase.check(path).isSound)
        }
    }

    // MARK: SQL of other programs

    @Test(arguments: [
        (
            "CREATE TRIGGER thief AFTER INSERT ON sync BEGIN DELETE FROM sample; END",
            "it contains the trigger \"thief\", which istep did not make"
        ),
        (
            "CREATE TRIGGER sample AFTER INSERT ON person BEGIN DELETE FROM sample; END",
            "it contains the trigger \"sample\", which istep did not make"
        ),
        (
            "CREATE UNIQUE INDEX mine ON frame (sync, at, bytes)",
            "it contains the index \"mine\", which istep did not make"
        ),
    ])
    func `a foreign trigger or unique index is reported and never executed`(sql: String, complaint: String) throws {
        try withHistory { path in
            try execute(sql, path)
            #expect(try StepDatabase.check(path).complaints == [complaint])
            let report = try expectDamage(path, sql)
            #expect(report.isWhole && report.contents.samples == 400)
        }
    }

    @Test(arguments: [
        "CREATE VIEW mine AS SELECT * FROM sample", "CREATE INDEX mine ON sample (steps)",
        "CREATE TABLE mine (a UNIQUE); CREATE TRIGGER more AFTER INSERT ON mine BEGIN DELETE FROM mine WHERE a < new.a; END",
        "CREATE VIEW mine AS SELECT 1 AS a; CREATE TRIGGER more INSTEAD OF INSERT ON mine BEGIN SELECT 1; END",
        "CREATE TABLE \"it's mine\" (a)",
        "CREATE TABLE mine (person REFERENCES person); INSERT INTO mine VALUES (77)",
        "CREATE TABLE mine (other REFERENCES absent); INSERT INTO mine VALUES (77)",
    ])
    func `views, tables and indexes of the user are no damage`(sql: String) throws {
        try withHistory { path in
            try execute(sql, path)
            #expect(try StepDatabase.check(path).allComplaints == [])
            try StepDatabase.checkBeforeSync(path, at: noon, wholeUpTo: 0)
            #expect(try StepDatabase(path: path).users().count == 1)
        }
    }

    @Test func `a table of the user does not prevent the migration of an older history`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = Schema(migrations: Array(Schema.current.migrations.dropLast()))
            try StepDatabase(path: path, for: .writing, busyTimeout: 1, schema: old).close()
            try execute("CREATE TABLE mine (a); INSERT INTO mine VALUES (7)", path)
            _ = try StepDatabase(path: path).addUser(named: "Ada")
            #expect(try StepDatabase.check(path) == HistoryHealth(isOlder: false, complaints: [], orphans: []))
        }
    }

    @Test func `the names of istep's tables are those of the schema`() throws {
        let tables = try Schema.current.objectsOfVersions().last?.filter { $0.type == "table" }.map(\.name)
        #expect(Schema.current.tables == Set(tables ?? []))
    }

    @Test func `a view with the name of a table is reported as damage`() throws {
        try withHistory { path in
            try execute("ALTER TABLE notice RENAME TO old; CREATE VIEW notice AS SELECT * FROM old", path)
            let complaints = try StepDatabase.check(path).complaints
            #expect(complaints.contains("the table \"notice\" is missing"))
            #expect(complaints.contains("it contains the view \"notice\", which istep did not make"))
            #expect(try expectDamage(path, "view").contents.samples == 400)
        }
    }

    @Test func `names in a foreign schema reach no terminal`() throws {
        try withHistory { path in
            try execute(
                "CREATE TRIGGER \"a\u{1B}[2J\(String(repeating: "x", count: 500))\" AFTER INSERT ON sample BEGIN SELECT 1; END",
                path)
            let complaint = try #require(try StepDatabase.check(path).complaints.first)
            #expect(complaint.count < 150 && complaint.unicodeScalars.allSatisfy { $0.value >= 32 })
        }
    }
}

extension MergeCounts {
    fileprivate func expectAdded(_ count: Int) { #expect(added == count) }
}
