import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What other programs do, and what fails, while a history is replaced.
@Suite(.timeLimit(.minutes(5))) struct ReplacementTests {
    private struct Failure: Error {}

    /// A copy of the history as it is now, which is about to replace it.
    private func copy(of history: Fixture) throws -> BackupFile {
        let file = try BackupFile(for: history.path, ofHistory: history.path)
        let queue = try StepDatabase.openForReading(history.path, busyTimeout: 1)
        _ = try queue.writeWithoutTransaction { try file.copy($0, of: history.path, asHistory: true) }
        try queue.close()
        return file
    }

    @Test func `a program that opens the history while it is replaced does not damage the new one`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let file = try copy(of: history)
            try history.merge(slot(15, 20))
            var other: StepDatabase?
            let old = try Replacement.put(
                file, asHistory: history.path, keepingAs: "replaced", at: noon, .fixed(0),
                beforeRename: {
                    other = try StepDatabase(path: history.path)
                    _ = try other?.users()
                })
            #expect(!FileManager.default.fileExists(atPath: history.path + "-wal"), "the log of the old file")
            let new = try StepDatabase(path: history.path)
            #expect(try new.dayData(of: history.user, on: day).tracks.first?.samples == [slot(0, 10)])
            let opened = try #require(other)
            expect(.replaced(path: history.path)) { try opened.addUser(named: "Ben") }
            try opened.close()
            try history.database.close()
            _ = try new.addUser(named: "Cleo")
            try new.close()
            #expect(try StepDatabase.check(history.path).isSound)
            #expect(try StepDatabase(path: history.path).users().map(\.name) == ["Ada", "Cleo"])
            #expect(try StepDatabase.contents(of: try #require(old)).samples == 2)
        }
    }

    @Test(arguments: [false, true]) func `a move that fails leaves the history as it was, with its log`(isDamaged: Bool) throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let file = try copy(of: history)
            try history.merge(slot(15, 20))
            #expect(throws: Failure.self) {
                try Replacement.put(
                    file, asHistory: history.path, keepingAs: "replaced", isDamaged: isDamaged, at: noon, .fixed(0),
                    beforeRename: { throw Failure() })
            }
            file.remove()
            try history.merge(slot(30, 30))
            let another = try StepDatabase(path: history.path, for: .reading)
            #expect(try another.dayData(of: history.user, on: day).tracks.first?.samples.count == 3)
            try another.close()
            try history.database.close()
            #expect(try StepDatabase.check(history.path).isSound)
            let directory = (history.path as NSString).deletingLastPathComponent
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["history.sqlite"])
        }
    }

    @Test func `a process that is killed while it replaces the history leaves the old one complete`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.merge(slot(0, 10))
            let backup = directory + "/copy.sqlite"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.merge(slot(15, 20))
            try history.database.close()
            let path = history.path
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, backup = backup as String] in
                // Its log is not empty, as a program leaves it that does not close the history.
                let open = try StepDatabase(path: path)
                _ = try open.addUser(named: "Ben")
                let file = try BackupFile(for: path, ofHistory: path)
                let queue = try StepDatabase.openForReading(backup, busyTimeout: 1)
                _ = try queue.writeWithoutTransaction { try file.copy($0, of: backup, asHistory: true) }
                _ = try Replacement.put(
                    file, asHistory: path, keepingAs: "replaced", at: noon, .fixed(0),
                    beforeRename: {
                        _ = try open.users()
                        kill(getpid(), SIGKILL)
                    })
            }
            let after = try StepDatabase(path: path)
            #expect(try after.users().map(\.name) == ["Ada", "Ben"])
            #expect(try after.dayData(of: history.user, on: day).tracks.first?.samples == [slot(0, 10), slot(15, 20)])
        }
    }

    @Test func `a log without its history is not replayed into the restored one`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let backup = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.merge(slot(15, 20))
            let log = try Data(contentsOf: URL(fileURLWithPath: history.path + "-wal"))
            #expect(!log.isEmpty)
            try history.database.close()
            try FileManager.default.removeItem(atPath: history.path)
            try log.write(to: URL(fileURLWithPath: history.path + "-wal"))
            let replaced = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0)).replaced
            #expect(replaced.path == nil)
            #expect(try StepDatabase(path: history.path).dayData(of: history.user, on: day).tracks.first?.samples == [slot(0, 10)])
        }
    }
}
