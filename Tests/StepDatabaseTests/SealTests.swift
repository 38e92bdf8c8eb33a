import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// Checksums of groups of rows.
@Suite(.timeLimit(.minutes(5))) struct SealTests {
    /// Two days with something in each sealed table.
    private func fill(_ history: Fixture) throws {
        for start in [midnight, midnight + 86_400] {
            let samples = (0..<8).map {
                StepSample(start: start + $0 * 900, length: 900, steps: 100 + $0, distance: 0.5, utcOffset: 0)
            }
            let wrong = StepSample(start: start + 9000, length: 900, steps: 90_000, utcOffset: 0)
            _ = try history.database.merge(
                SampleBatch(
                    samples: samples + [wrong], coverage: [TimeSpan(start, start + 10_000)],
                    cursor: PedometerCursor(readThrough: start),
                    deviceTotal: DeviceTotal(day: Day(of: start, utcOffset: 0), at: start, total: 9, slots: 8)),
                sync: history.sync)
        }
        try history.database.setProfile(Profile(validFrom: day, height: 1.7, weight: 70), of: history.user.id)
        try history.database.setPlan(
            SportPlan(validFrom: day, goals: Array(repeating: 8000, count: 7)), of: history.user.id)
        try history.database.setCorrection(9000, of: history.user.id, on: day, at: noon)
        try history.database.exclude(
            Exclusion(TimeSpan(noon, noon + 60), utcOffset: 0, reason: "x"), of: history.user.id, at: noon)
    }

    private func open(_ history: Fixture) throws -> Int? {
        try history.database.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM seal WHERE sum IS NULL") }
    }

    private func broken(_ history: Fixture) throws -> [SealedGroup] {
        try history.database.queue.read { try Seals($0).broken() }
    }

    /// An import inserts without triggers.
    @Test func `an import leaves all sums known and right, where it adds, corrects and is taken back`() throws {
        try withFixture { history in
            let database = history.database
            func expectSums(_ what: Comment) throws {
                #expect(try open(history) == 0 && broken(history).isEmpty, what)
                #expect(try database.complaints().isEmpty, what)
            }
            try fill(history)
            let minutes: [Int] = (0..<3).flatMap { day in (0..<8).map { day * 1440 + 600 + $0 * 15 } }
            let quarters = minutes.map { slot($0, 50 + $0 % 7) }
            let first = try database.store(ImportTests.file(quarters), of: history.user, at: noon)
            try expectSums("added")
            let corrected = minutes.dropFirst(3).map { slot($0, 99) }
            let second = try database.store(
                ImportTests.file(corrected + [slot(4 * 1440, 7)]), of: history.user, at: noon)
            try expectSums("corrected")
            for changes in [first, second] {
                _ = try database.removeImport(try #require(changes.id), at: noon, isPreview: false)
                try expectSums("taken back")
            }
        }
    }

    @Test func `an import that fails leaves the triggers on`() throws {
        try withFixture { history in
            try fill(history)
            var file = ImportTests.file([slot(600, 50)])
            // A start before 1970, which no reader passes on.
            let before = Day(daysSince1970: -2)
            let wrong = StepSample(start: Timestamp(-100_000), length: 900, steps: 5, utcOffset: 0)
            file.tracks[0].parts.append((day: before, content: PackedDay(samples: [wrong]).bytes(of: before)))
            #expect(throws: HistoryError.self) { try history.database.store(file, of: history.user, at: noon) }
            try history.database.write {
                try $0.execute(
                    sql: "UPDATE sample SET steps = steps + 1 WHERE start = ?", arguments: [midnight.seconds])
            }
            #expect(try open(history) == 0 && broken(history).isEmpty)
        }
    }

    @Test func `every transaction leaves all sums known and right`() throws {
        try withFixture { history in
            try fill(history)
            func check(_ what: String) throws {
                #expect(try open(history) == 0, "\(what)")
                #expect(try broken(history) == [], "\(what)")
            }
            try check("filled")
            try history.merge(slot(0, 500), slot(15, 100), slot(500, 3, distance: -0.0))
            try check("more steps in a slot, and new slots")
            try history.database.setCorrection(9500, of: history.user.id, on: day, at: noon)
            try history.database.renamePedometer(history.pedometer.id, to: "other")
            try history.database.endSync(
                history.sync, at: noon, outcome: .complete, battery: 80, failure: nil, cause: nil)
            try check("changed")
            try history.database.setCorrection(nil as StepCorrection?, of: history.user.id, on: day, at: noon)
            try check("a group lost its last row")
            #expect(try history.strings("SELECT count(*) FROM seal WHERE kind = 'correction'") == ["0"])
            #expect(try history.strings("SELECT count(*) FROM sealing") == ["0"])
        }
    }

    private static let changes = [
        ("sample", "steps = steps + 1"), ("sample", "length = length + 1"), ("sample", "distance = NULL"),
        ("sample", "utc_offset = 1"),
        ("sample", "energy = 0"), ("implausible_sample", "steps = 90001"), ("coverage", "until = until + 1"),
        ("device_total", "total = 11"), ("correction", "steps = 9001"),
        ("excluded_time", "until = until + 1"), ("profile", "weight = 71"),
        ("plan", "sunday = 8001"),
        ("person", "name = 'Adb'"), ("pedometer", "model = 'colmj'"), ("pedometer", "cursor = '{}'"),
        ("sync", "battery = 1"),
    ]

    @Test(arguments: changes) func `a changed value is found, and named by a repair`(table: String, change: String)
        throws
    {
        try withFixture { history in
            try fill(history)
            try history.database.close()
            try changeUnnoticed(history.path, "UPDATE \(table) SET \(change)")
            let health = try StepDatabase.check(history.path)
            #expect(health.complaints == [], "PRAGMA integrity_check sees nothing")
            #expect(health.broken.allSatisfy { $0.contains("checksum") } && !health.broken.isEmpty, "\(health)")
            if table == "sample" {
                #expect(
                    health.broken
                        == ["20", "21"].map {
                            "the steps of \"ring\" around 2014-04-\($0) are not as they were stored (checksum)"
                        })
            }
            #expect(throws: HistoryError.self) { try StepDatabase.checkBeforeSync(history.path, at: noon) }
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.resets.contains { ($0.table, $0.column) == (table, "checksum") })
            #expect(report.contents.samples == 16)
            #expect(report.days.isEmpty == (table != "sample"))
            #expect(try StepDatabase.check(history.path).isSound)
        }
    }

    /// As a flipped bit does it: without the triggers.
    private func changeUnnoticed(_ path: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction {
            try $0.execute(
                sql:
                    "CREATE TEMP TABLE kept AS SELECT * FROM seal; \(sql); DELETE FROM seal; INSERT INTO seal SELECT * FROM kept"
            )
        }
        try queue.close()
    }

    /// The days are doubtful as in a file that has no other fault.
    @Test func `a changed value is named also where SQLite finds another fault`() throws {
        try withFixture { history in
            try fill(history)
            try history.database.close()
            try changeUnnoticed(
                history.path,
                "UPDATE sample SET steps = 7 WHERE start = \(midnight.seconds); UPDATE plan SET sunday = 8001")
            try SmallHistory.zeroRoot(of: "frame_by_sync", in: history.path)
            #expect(try !StepDatabase.check(history.path).complaints.isEmpty)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.resets.map(\.table) == ["plan", "sample"] && report.resets.allSatisfy { $0.rows == 1 })
            #expect(report.days == [.init(pedometer: "ring", first: day, last: day)])
        }
    }

    /// Of a group, the report says one thing.
    @Test func `a changed value is named beside a row of its table that a repair changes`() throws {
        try withFixture { history in
            try fill(history)
            let years = [day.advanced(by: -400), day]
            for year in years { try history.database.setCorrection(9000, of: history.user.id, on: year, at: noon) }
            try history.database.close()
            try changeUnnoticed(
                history.path,
                """
                PRAGMA ignore_check_constraints = ON;
                UPDATE correction SET entered_at = -9223372036854775807 WHERE day < '2014';
                UPDATE correction SET steps = 9001 WHERE day > '2014';
                UPDATE sample SET distance = -1 WHERE start = \(midnight.seconds)
                """)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(
                report.resets.map { "\($0.table) \($0.column) \($0.rows)" } == [
                    "sample distance 1", "correction checksum 1", "correction entered_at 1",
                ])
            #expect(report.days.isEmpty)
        }
    }

    /// The sample is as it was stored, and gets another sync.
    @Test func `a day is not doubtful because the sync of a sample is replaced`() throws {
        try withFixture { history in
            try fill(history)
            let other = try history.database.addPedometer(
                .ring(of: history.user, address: "30:34:42:00:00:02", name: "other"))
            _ = try history.database.beginSync(of: other.id, at: noon)
            let sync = try history.database.beginSync(of: history.pedometer.id, at: noon)
            let late = StepSample(
                start: midnight + 30 * 86_400, length: 900, steps: 100, distance: 0.5, utcOffset: 0)
            _ = try history.database.merge(SampleBatch(samples: [late]), sync: sync)
            try history.database.close()
            try changeUnnoticed(history.path, "UPDATE sync SET pedometer = \(other.id) WHERE id = \(sync)")
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.resets.map { "\($0.table) \($0.column)" } == ["sync checksum", "sample sync"])
            #expect(report.days.isEmpty)
        }
    }

    @Test func `samples that are lost are not named again as changed`() throws {
        try withFixture { history in
            try fill(history)
            try history.database.close()
            try SmallHistory.zeroRoot(of: "sample", in: history.path)
            let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)))
            #expect(report.tables.filter { !$0.isWhole }.map(\.name) == ["sample"] && report.resets.isEmpty)
            #expect(report.days == [.init(pedometer: "ring", first: day, last: day.advanced(by: 1))])
        }
    }

    @Test func `damaged checksums make no day doubtful`() throws {
        try withFixture { history in
            try fill(history)
            try history.database.close()
            let sound = try Data(contentsOf: URL(fileURLWithPath: history.path))
            func expectWhole(_ what: Comment) throws {
                let report = try #require(try StepDatabase.repair(history.path, at: noon, .fixed(0)), what)
                #expect(report.isWhole, what)
                #expect(try StepDatabase.check(history.path).isSound, what)
            }
            try SmallHistory.zeroRoot(of: "seal", in: history.path)
            try expectWhole("a page")
            // The number of the first day in its key: 16180.
            let key = Data(Array("sample".utf8) + [0x3f, 0x34])
            var bytes = sound
            let range = try #require(bytes.range(of: key))
            bytes[range.upperBound - 2] ^= 0x40
            try bytes.write(to: URL(fileURLWithPath: history.path))
            try expectWhole("a key")
        }
    }

    @Test(arguments: [Int64.max, Int64.min]) func `numbers of days that no calendar has do not end the process`(
        number: Int64
    ) throws {
        try withFixture { history in
            try fill(history)
            _ = try history.database.store(ImportTests.file([slot(600, 50)]), of: history.user, at: noon)
            try history.database.close()
            try changeUnnoticed(history.path, "UPDATE sample SET steps = 51 WHERE steps = 50")
            let queue = try DatabaseQueue(path: history.path)
            try queue.write {
                try $0.execute(
                    sql: """
                        UPDATE seal SET part = ? WHERE kind IN ('sample', 'implausible_sample') AND part = 16181
                            OR kind = 'sync'
                        """,
                    arguments: [number])
            }
            #expect(try !StepDatabase.check(history.path).isSound)
            try queue.write { try $0.execute(sql: "UPDATE import_content SET day = ?", arguments: [number]) }
            try queue.close()
            #expect(try !StepDatabase.check(history.path).isSound)
            #expect(try StepDatabase.repair(history.path, at: noon, .fixed(0)) != nil)
            #expect(try StepDatabase.check(history.path).isSound)
        }
    }

    @Test(arguments: [9, 12, Schema.current.version - 1])
    func `a changed value of an earlier version is named`(version: Int) throws {
        try withFixture { history in
            try fill(history)
            try history.database.close()
            let older = try OlderHistory.write(history.path, version: version)
            try changeUnnoticed(older, "UPDATE sample SET steps = 7 WHERE start = \(midnight.seconds)")
            #expect(try StepDatabase.check(older).isOlder)
            let report = try #require(try StepDatabase.repair(older, at: noon, .fixed(0)))
            #expect(report.resets.map(\.table) == ["sample"] && report.resets.map(\.column) == ["checksum"])
            #expect(report.days == [.init(pedometer: "ring", first: day, last: day)])
            #expect(try StepDatabase.check(older) == HistoryHealth(isOlder: false, complaints: [], orphans: []))
        }
    }

    @Test func `a change by another program is not damage, and is sealed with the next change`() throws {
        try withFixture { history in
            try fill(history)
            let other = try DatabaseQueue(path: history.path)
            try other.write { try $0.execute(sql: "UPDATE sample SET steps = 7 WHERE start = \(midnight.seconds)") }
            try other.close()
            #expect(try StepDatabase.check(history.path).isSound)
            #expect(try open(history) == 1)
            try history.merge(slot(700, 10))
            #expect(try open(history) == 0)
            #expect(try broken(history) == [])
        }
    }

    /// A history of the previous version is not checked against anything; its rows are sealed by the next change.
    @Test func `a history of the version before is sealed after its migration`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let index = try #require(Schema.current.migrations.firstIndex { $0.name == "seals" })
            let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada');
                        INSERT INTO pedometer VALUES (1, 1, 'colmi', '30:34:42:00:00:01', 'public', 'ring', 'ring', '{}', '{"settings":[]}', '{}', 0);
                        INSERT INTO sync (id, pedometer, started_at) VALUES (1, 1, 0);
                        INSERT INTO sample VALUES (1, \(midnight.seconds), 900, 10, 0.5, NULL, 0, 1), (1, \(noon.seconds), 900, 10, NULL, 1, 0, 1);
                        """)
            }
            try old.close()
            let database = try StepDatabase(path: path)
            let read = { (sql: String) in try database.queue.read { try Int.fetchOne($0, sql: sql) } }
            #expect(try read("SELECT count(*) FROM seal WHERE sum IS NULL") == 4)
            #expect(try StepDatabase.check(path).isSound)
            _ = try database.merge(SampleBatch(samples: [slot(15, 5)]), sync: 1)
            #expect(try read("SELECT count(*) FROM seal WHERE sum IS NULL") == 0)
            #expect(try database.queue.read { try Seals($0).broken() } == [])
        }
    }
}
