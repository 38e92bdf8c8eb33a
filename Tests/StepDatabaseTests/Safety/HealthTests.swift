import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// The examination of a history that may be damaged: it reports, and changes nothing.
@Suite(.timeLimit(.minutes(5))) struct HealthTests {
    private func withHistory(_ body: (String) async throws -> Void) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            for index in 0..<500 { try history.merge(slot(index, 10)) }
            try history.database.close()
            try await body(history.path)
        }
    }

    private func contents(_ path: String) throws -> [String: Data] {
        let directory = (path as NSString).deletingLastPathComponent
        return try FileManager.default.contentsOfDirectory(atPath: directory).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + $1))
        }
    }

    private func execute(_ sql: String, _ path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `a valid history has no complaints and stays unchanged`() async throws {
        try await withHistory { path in
            let before = try contents(path)
            let health = try await StepDatabase.examine(path)
            #expect(health == HistoryHealth(isOlder: false, complaints: [], orphans: []))
            #expect(try contents(path) == before)
        }
    }

    /// No constraint of the schema can express these.
    @Test(arguments: [
        ("INSERT INTO coverage VALUES (1, 100, 300, 0), (1, 200, 400, 0)", "coverage overlap"),
        (
            "INSERT INTO excluded_time VALUES (1, 100, 300, 0, 500, NULL), (1, 200, 400, 0, 500, NULL)",
            "excluded time overlap"
        ),
    ])
    func `spans that overlap are a complaint`(sql: String, complaint: String) async throws {
        try await withHistory { path in
            try execute(sql, path)
            let health = try await StepDatabase.examine(path)
            #expect(health.broken.contains { $0.contains(complaint) }, "\(health)")
        }
    }

    @Test func `a missing history is reported and not created`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(throws: HistoryError.missing(path: path)) { try await StepDatabase.examine(path) }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a history of an earlier version is reported and not migrated`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try StepDatabase(path: path, for: .writing, busyTimeout: 1, schema: Schema(migrations: [.history])).close()
            let before = try contents(path)
            #expect(try await StepDatabase.examine(path).isOlder)
            #expect(try contents(path) == before)
        }
    }

    @Test func `a history of a later version is reported as an error`() async throws {
        try await withHistory { path in
            try execute("CREATE TABLE later (a); PRAGMA user_version = 99", path)
            let known = Schema.current.version
            await #expect(throws: HistoryError.newerVersion(path: path, found: 99, supported: known)) {
                try await StepDatabase.examine(path)
            }
        }
    }

    @Test func `a database of another program is reported as foreign`() async throws {
        try await withDirectory { directory in
            let path = directory + "/other.sqlite"
            try execute("CREATE TABLE mine (a)", path)
            await #expect(throws: HistoryError.foreign(path: path)) { try await StepDatabase.examine(path) }
        }
    }

    /// Pages in the middle overwritten, as a failing disk or a cut copy leaves them.
    @Test func `damaged pages are reported`() async throws {
        try await withHistory { path in
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            let size = try file.seekToEnd()
            let start = size / 2 / 4096 * 4096
            try file.seek(toOffset: start)
            try file.write(contentsOf: Data(repeating: 0xa5, count: Int(size - start)))
            try file.close()
            do {
                #expect(!(try await StepDatabase.examine(path).complaints.isEmpty))
            } catch let error as HistoryError {
                guard case .damaged = error else { throw error }
            }
        }
    }

    @Test func `rows with missing references are reported as orphans`() async throws {
        try await withHistory { path in
            try execute("DELETE FROM pedometer", path)
            let health = try await StepDatabase.examine(path)
            #expect(health.complaints.isEmpty && !health.isSound)
            #expect(health.orphans.contains("sample") && health.orphans.count == Set(health.orphans).count)
        }
    }

    // MARK: The lock

    @Test func `the holder of the lock is reported`() async throws {
        try await withHistory { path in
            #expect(HistoryLock.holder(ofDatabase: path) == nil)
            #expect(!FileManager.default.fileExists(atPath: path + ".lock"), "nothing is made by looking")
            try await HistoryLock.hold(ofDatabase: path) {
                #expect(HistoryLock.holder(ofDatabase: path)?.process == getpid())
                #expect(HistoryLock.holder(ofDatabase: path, for: .sharing) == nil)
            }
            #expect(HistoryLock.holder(ofDatabase: path) == nil)
        }
    }

    @Test func `the lock file of a killed process has no holder`() async throws {
        try await withHistory { path in
            try Data("\(getpid())\n".utf8).write(to: URL(fileURLWithPath: path + ".lock"))
            #expect(HistoryLock.holder(ofDatabase: path) == nil)
            try await HistoryLock.hold(ofDatabase: path) {}
        }
    }
}
