import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// A history that is known to be damaged is not written to.
@Suite(.timeLimit(.minutes(5))) struct CheckTests {
    private func damage(_ path: String, from offset: Int, count: Int) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: 0xA5, count: count))
        try file.close()
    }

    /// 60,000 old samples and some recent ones, so that the file is too large to be checked before each sync.
    private func withLargeHistory(_ body: (Fixture) async throws -> Void) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try await history.database.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO sample WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999)
                        SELECT ?, i * 900, 900, 7, 1.5, 2.5, 0, ? FROM n
                        """,
                    arguments: [history.pedometer.id, history.sync])
            }
            try history.database.close()
            try await body(history)
        }
    }

    @Test func `damage far from what a sync touches is found by the weekly check, and then remembered`() async throws {
        try await withLargeHistory { history in
            let path = history.path
            let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            #expect(size > 2_000_000)
            try StepDatabase.checkBeforeSync(path, at: noon)
            #expect(CheckRecord.read(ofDatabase: path) == nil, "a short check says nothing of the whole")
            try damage(path, from: size / 4 / 4096 * 4096, count: 4096)
            try StepDatabase.checkBeforeSync(path, at: noon)
            await #expect(throws: HistoryError.self) { try await StepDatabase.checkAndRemember(path, at: noon) }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            guard case .damaged = historyError({ try StepDatabase(path: path) }) else {
                Issue.record("opened for writing")
                return
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            _ = try StepDatabase(path: path, for: .reading).users()
            // After the repair the file in its place is another one.
            let report = try #require(try StepDatabase.repair(path, at: noon, .fixed(0)))
            #expect(report.contents.samples > 59_000)
            _ = try StepDatabase(path: path).users()
        }
    }

    @Test func `damage to the newest samples is found before a sync`() async throws {
        try await withLargeHistory { history in
            let size = try #require(FileManager.default.attributesOfItem(atPath: history.path)[.size] as? Int)
            try damage(history.path, from: size - 3 * 4096, count: 2 * 4096)
            let error = historyError { try StepDatabase.checkBeforeSync(history.path, at: noon) }
            guard case .damaged = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(CheckRecord.read(ofDatabase: history.path)?.complaints.isEmpty == false)
        }
    }

    /// The pages with the roots of all tables but the two large ones, by table.
    private func rootPages(_ path: String) throws -> [String: Int] {
        let queue = try DatabaseQueue(path: path)
        let rows = try queue.read { database in
            try Row.fetchAll(
                database,
                sql:
                    "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('sample', 'frame', 'sqlite_sequence')"
            )
        }
        try queue.close()
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["rootpage"]) })
    }

    private func isDamaged(_ body: () throws -> Void) -> Bool {
        if case .damaged = historyError(body) { true } else { false }
    }

    /// Otherwise a sync stores its steps and meets the damage after that.
    @Test func `damage to any table is found before a sync, also in a large history`() async throws {
        try await withLargeHistory { history in
            let sound = try Data(contentsOf: URL(fileURLWithPath: history.path))
            let pages = try rootPages(history.path)
            #expect(pages["share"] != nil && pages["correction"] != nil)
            for (table, page) in pages {
                try sound.write(to: URL(fileURLWithPath: history.path))
                try damage(history.path, from: (page - 1) * 4096, count: 4096)
                #expect(isDamaged { try StepDatabase.checkBeforeSync(history.path, at: noon) }, "\(table)")
                #expect(isDamaged { _ = try StepDatabase(path: history.path) }, "\(table)")
            }
        }
    }

    @Test func `damage found by a read is recorded, and the history is no longer opened for writing`() async throws {
        try await withLargeHistory { history in
            let page = try #require(try rootPages(history.path)["correction"])
            try damage(history.path, from: (page - 1) * 4096, count: 4096)
            let reader = try StepDatabase(path: history.path, for: .reading)
            #expect(isDamaged { _ = try reader.dayData(of: history.user, on: day) })
            try reader.close()
            #expect(isDamaged { _ = try StepDatabase(path: history.path) })
        }
    }

    /// Damage that `quick_check` does not find.
    @Test func `an index that does not match its table is damage`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try await history.database.queue.writeWithoutTransaction { database in
                try database.execute(
                    sql:
                        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(pedometer, started_at)', '(pedometer, ended_at)') WHERE name = 'sync_by_start'; PRAGMA writable_schema = OFF"
                )
            }
            try history.database.close()
            let health = try await StepDatabase.examine(history.path)
            #expect(!health.isSound)
        }
    }

    @Test func `read-only log files do not prevent the owner from writing`() throws {
        try withFixture { history in
            try history.database.close()
            for suffix in ["-wal", "-shm"] {
                try Data().write(to: URL(fileURLWithPath: history.path + suffix))
                chmod(history.path + suffix, 0o400)
            }
            let database = try StepDatabase(path: history.path)
            _ = try database.addUser(named: "Ben")
            for suffix in ["-wal", "-shm"] { #expect(try mode(of: history.path + suffix) == 0o600) }
        }
    }
}
