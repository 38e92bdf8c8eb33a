import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What a checkup learns about the file of a history.
@Suite(.timeLimit(.minutes(5))) struct HistoryFileProbeTests {
    private func withHistory(_ body: (HistoryFileProbe) async throws -> Void) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.database.close()
            try await body(HistoryFileProbe(path: history.path, freeSpace: { _ in 4096 }))
        }
    }

    @Test func `a sound history can be opened`() async throws {
        try await withHistory { probe in
            let condition = try await probe.condition()
            #expect(condition == .examined(damage: [], isOlder: false))
            let users = try await probe.open().users()
            #expect(users.map(\.name) == ["Ada"])
        }
    }

    /// `profile`, `plan` and `correct` wrote to a history that `istep doctor` had just reported.
    @Test func `nothing is written to a history that was found damaged`() async throws {
        try await withHistory { probe in
            let file = try DatabaseQueue(path: probe.path)
            try await file.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM person")
            }
            try file.close()
            guard case .examined(let damage, _) = try await probe.condition(), !damage.isEmpty else {
                Issue.record("no damage")
                return
            }
            let error = historyError { try StepDatabase(path: probe.path, for: .writing) }
            #expect(error?.isDamage(of: probe.path) == true, "\(String(describing: error))")
        }
    }

    @Test func `a missing, empty or damaged file and a directory are distinguished`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            let probe = HistoryFileProbe(path: path)
            #expect(try await probe.condition() == .missing)
            #expect(try await probe.storage() == nil)
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(try await probe.condition() == .empty(Problem(HistoryError.empty(path: path))))
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            await #expect(throws: HistoryError.self) { try await probe.condition() }
            let folder = HistoryFileProbe(path: directory)
            guard case .notAFile(let problem) = try await folder.condition() else {
                Issue.record("a directory is not a history")
                return
            }
            #expect(problem.category == .usage)
            #expect(try await folder.storage() == nil, "its permissions must not be changed")
        }
    }

    /// The version is in the file's header, big-endian (https://www.sqlite.org/fileformat2.html#user_version_number).
    @Test func `a history of a newer istep is an error`() async throws {
        try await withHistory { probe in
            let file = try #require(FileHandle(forUpdatingAtPath: probe.path))
            try file.seek(toOffset: 60)
            try file.write(contentsOf: Data([0, 0, 0, 99]))
            try file.close()
            do {
                _ = try await probe.condition()
                Issue.record("no error")
            } catch let error as HistoryError {
                #expect(error.category == .data && error.problem.contains("99"))
            }
        }
    }

    @Test func `the storage facts describe the file, its directory and the files beside it`() async throws {
        try await withHistory { probe in
            #expect(chmod(probe.path, 0o640) == 0)
            try Data().write(to: URL(fileURLWithPath: probe.path + ".lock"))
            let facts = try #require(try await probe.storage())
            #expect(
                facts.file.path == probe.path && facts.file.mode == 0o640 && facts.file.owner == geteuid()
                    && facts.file.isWritable)
            #expect(facts.companions.contains { $0.path == probe.path + ".lock" })
            #expect(facts.directory.path + "/history.sqlite" == probe.path)
            #expect(facts.free == 4096 && facts.user == geteuid())
        }
    }

    @Test func `work of another process is found and not disturbed`() async throws {
        try await withHistory { probe in
            #expect(try await probe.holder(of: .syncing) == nil)
            let own = HistoryHolder(process: getpid(), activity: .sync)
            try await HistoryLock.hold(ofDatabase: probe.path) {
                let holders = try await (probe.holder(of: .syncing), probe.holder(of: .sharing))
                #expect(holders.0 == own && holders.1 == nil)
                await #expect(throws: HistoryInUse(holder: own)) { try await probe.withoutSync {} }
            }
            try FileManager.default.removeItem(atPath: probe.path + ".lock")
            #expect(try await probe.withoutSync { 1 } == 1)
            #expect(!FileManager.default.fileExists(atPath: probe.path + ".lock"), "nothing is left")
        }
    }

    @Test func `if no lock file can be created, the body runs as without a sync`() async throws {
        #expect(try await HistoryFileProbe(path: "/proc/none/history.sqlite").withoutSync { 1 } == 1)
    }
}
