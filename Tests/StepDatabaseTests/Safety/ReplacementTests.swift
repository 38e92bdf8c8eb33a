import Foundation
import GRDB
import StepDomain
import Synchronization
import Testing

@testable import StepDatabase

/// What other programs do, and what fails, while a history is replaced.
@Suite(.timeLimit(.minutes(5))) struct ReplacementTests {
    private struct Failure: Error {}

    /// A copy of the history as it is now, which is about to replace it.
    private func copy(of history: Fixture) throws -> DatabaseCopy {
        let file = try DatabaseCopy(for: history.path, ofHistory: history.path)
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

    /// It waits for the lock of the process that replaces the file, and continues with the old one.
    @Test func `a write that waits while the history is replaced fails`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let file = try copy(of: history)
            let database = history.database, isWaiting = DispatchSemaphore(value: 0), result = Background<User>()
            database.queue.inDatabase {
                $0.trace { if "\($0)".hasPrefix("BEGIN IMMEDIATE") { isWaiting.signal() } }
            }
            let old = try Replacement.put(
                file, asHistory: history.path, keepingAs: "replaced", at: noon, .fixed(0),
                beforeRename: {
                    result.start { try database.addUser(named: "Ben") }
                    try #require(isWaiting.wait(timeout: .now() + 60) == .success)
                })
            expect(.replaced(path: history.path)) { _ = try result.get() }
            try database.close()
            for path in [history.path, try #require(old)] {
                #expect(try StepDatabase(path: path, for: .reading).users().map(\.name) == ["Ada"])
            }
        }
    }

    /// With a migration: it writes as soon as the file is open.
    @Test func `a history that is replaced while it is opened is opened again`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite",
                older = Schema(migrations: Array(Schema.current.migrations.dropLast()))
            try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: older).close()
            let file = try DatabaseCopy(for: path, ofHistory: path)
            let queue = try StepDatabase.openForReading(path, busyTimeout: 1)
            _ = try queue.writeWithoutTransaction { try file.copy($0, of: path, asHistory: true) }
            try queue.close()
            let result = Background<StepDatabase>()
            let old = try Replacement.put(
                file, asHistory: path, keepingAs: "replaced", isDamaged: true, at: noon, .fixed(0),
                beforeRename: {
                    let count = Self.descriptors(of: path)
                    result.start { try StepDatabase(path: path) }
                    let deadline = ContinuousClock.now + .seconds(60)
                    while Self.descriptors(of: path) == count, ContinuousClock.now < deadline { sched_yield() }
                    try #require(Self.descriptors(of: path) > count)
                })
            let opened = try result.get()
            #expect(opened.isFileInPlace)
            _ = try opened.addUser(named: "Cleo")
            try opened.close()
            #expect(try StepDatabase.check(path).isSound)
            #expect(try StepDatabase(path: path).users().map(\.name) == ["Cleo"])
            #expect(try StepDatabase.contents(of: try #require(old)).version == older.version)
        }
    }

    /// How many descriptors of this process lead to the file.
    private static func descriptors(of path: String) -> Int {
        let folder = "/proc/self/fd", file = FileIdentity(path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { FileIdentity(folder + "/" + $0) == file }
    }

    @Test(arguments: [false, true]) func `a move that fails leaves the history as it was, with its log`(isDamaged: Bool)
        throws
    {
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
                let file = try DatabaseCopy(for: path, ofHistory: path)
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
            let replaced = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            #expect(replaced.path == nil)
            #expect(
                try StepDatabase(path: history.path).dayData(of: history.user, on: day).tracks.first?.samples == [
                    slot(0, 10)
                ])
        }
    }
}

/// A call on a thread of its own.
private final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    func start(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
    }

    /// - Throws: what the call threw.
    func get() throws -> Value {
        try #require(isDone.wait(timeout: .now() + 60) == .success)
        return try #require(result.withLock { $0 }).get()
    }
}
