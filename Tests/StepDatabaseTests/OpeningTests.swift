import Foundation
import GRDB
import GRDBSQLite
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    @Test func `a new history is readable only by its owner`() throws {
        try withDirectory { directory in
            let path = directory + "/share/istep/history.sqlite"
            let database = try StepDatabase(path: path)
            _ = try database.addUser(named: "Ada")
            for file in ["", "-wal", "-shm"] { #expect(try mode(of: path + file) == 0o600) }
            #expect(try mode(of: directory + "/share") == 0o700)
            #expect(try mode(of: directory + "/share/istep") == 0o700)
            try database.close()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory + "/share/istep") == ["history.sqlite"])
        }
    }

    @Test func `stored samples are available after the database is reopened`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.database.close()
            for access in [StepDatabase.Access.reading, .writing] {
                let again = try StepDatabase(path: history.path, for: access)
                let data = try again.dayData(of: history.user, on: day)
                #expect(data.tracks.first?.samples == [slot(0, 10)])
            }
        }
    }

    @Test func `the database uses WAL, full synchronization and foreign keys`() throws {
        try withFixture { history in
            let sql = """
                SELECT journal_mode || ' ' || synchronous || ' ' || foreign_keys
                FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys
                """
            #expect(try history.strings(sql) == ["wal 2 1"], "synchronous is FULL")
            try history.database.close()
            let again = try StepDatabase(path: history.path).queue.read { try String.fetchAll($0, sql: sql) }
            #expect(again == ["wal 2 1"], "and so it is on a file that is there already")
        }
    }

    /// In a process of its own, where no other test has a history open.
    @Test func `the end of a program waits for a history that is still referenced`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(processExitsWith: .success) { [path = path as String] in
                let (releases, release) = AsyncStream<Void>.makeStream()
                var history: StepDatabase? = try StepDatabase(path: path, isUsedByTasks: true)
                _ = try history?.addUser(named: "Ada")
                // The reference of a task that ends when the program does.
                Task.detached { [history] in
                    for await _ in releases {}
                    _ = history?.path
                }
                history = nil
                await StepDatabase.untilClosed(limit: .zero)
                let isOpen = FileManager.default.fileExists(atPath: path + "-wal")
                release.finish()
                await StepDatabase.untilClosed(limit: .seconds(60))
                _exit(isOpen ? 0 : 1)
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files == ["history.sqlite"])
        }
    }

    @Test func `a history whose last reference a task releases is closed on another thread`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            let (closings, closing) = AsyncStream<Bool>.makeStream()
            let report = Report { closing.yield(withUnsafeCurrentTask { $0 != nil }) }
            do {
                let history = try StepDatabase(path: path, isUsedByTasks: true)
                callAtClosing(history, report)
            }
            let isClosedInTask = await closings.first { _ in true }
            #expect(isClosedInTask == false)
            while FileManager.default.fileExists(atPath: path + "-wal") { try await letOthersRun() }
            withExtendedLifetime(report) {}
        }
    }

    private final class Report: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    /// SQLite calls the trace at the beginning of `sqlite3_close`, on the same thread.
    private func callAtClosing(_ history: StepDatabase, _ report: Report) {
        history.queue.unsafeRead { database in
            _ = sqlite3_trace_v2(
                database.sqliteConnection, UInt32(SQLITE_TRACE_CLOSE),
                { _, context, _, _ in
                    if let context { Unmanaged<Report>.fromOpaque(context).takeUnretainedValue().call() }
                    return 0
                }, Unmanaged.passUnretained(report).toOpaque())
        }
    }

    @Test func `opening for reading creates no files`() throws {
        try withDirectory { directory in
            let path = directory + "/istep/history.sqlite"
            expect(.missing(path: path)) { try StepDatabase(path: path, for: .reading) }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files.isEmpty)
        }
    }

    @Test func `opening for reading changes no files`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.database.close()
            let directory = (history.path as NSString).deletingLastPathComponent
            let before = try Data(contentsOf: URL(fileURLWithPath: history.path))
            let database = try StepDatabase(path: history.path, for: .reading)
            _ = try database.dayData(of: history.user, on: day)
            guard case .readOnly = historyError({ try database.addUser(named: "Ben") }) else {
                Issue.record("written")
                return
            }
            try database.close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: history.path)) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["history.sqlite"])
        }
    }

    @Test func `a relative path refers to the working directory`() {
        let error = historyError { try StepDatabase(path: "no/such file?mode=memory", for: .reading) }
        #expect(error == .missing(path: FileManager.default.currentDirectoryPath + "/no/such file?mode=memory"))
    }

    /// Its path is empty. Nothing is written here, also if this fails.
    @Test func `a relative path in a deleted working directory is an error and not a file in the root directory`()
        async throws
    {
        try await withDirectory { directory in
            let deleted = directory + "/deleted"
            try #require(mkdir(deleted, 0o700) == 0)
            await #expect(processExitsWith: .success) { [deleted = deleted as String] in
                try #require(chdir(deleted) == 0 && rmdir(deleted) == 0)
                let name = "no-such-file-\(UUID().uuidString).sqlite"
                let error = HistoryError.cannotOpen(path: name, reason: "the working directory does not exist")
                guard historyError({ try StepDatabase(path: name, for: .reading) }) == error,
                    historyError({ try absolute(name, as: .target) }) == .of(.target, error),
                    historyError({ try AutomaticBackups.directory(of: name) }) == error,
                    try absolute("/" + name) == "/" + name
                else { exit(1) }
            }
        }
    }

    /// The abilities of a file system are tried on a file beside the history.
    @Test func `a relative path is tried in the working directory`() async throws {
        try await withDirectory { directory in
            chmod(directory, 0o777)
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try #require(chdir(directory) == 0)
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                guard let file = FileSystemSupport.temporaryFile(besides: "history.sqlite") else { exit(1) }
                close(file)
            }
        }
    }

    @Test func `a file name that resembles a URI is not interpreted`() throws {
        try withDirectory { directory in
            let path = directory + "/file:history?mode=memory#1.sqlite"
            _ = try StepDatabase(path: path).addUser(named: "Ada")
            #expect(try StepDatabase(path: path, for: .reading).users().count == 1)
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    /// Repeated, because a fault there shows in one run of ten.
    @Test(arguments: 0..<25) func `concurrent connections create one database and one user`(_ time: Int) async throws {
        try await withDirectory { directory in
            let path = directory + "/new/history.sqlite"
            try await withThrowingTaskGroup(of: User.self) { group in
                for _ in 0..<8 { group.addTask { try StepDatabase(path: path).addUser(named: "Ada") } }
                let users = try await group.reduce(into: Set()) { $0.insert($1) }
                #expect(users.count == 1)
            }
        }
    }
}
