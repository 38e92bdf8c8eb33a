import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// Databases that are damaged, locked, full or not writable.
@Suite(.timeLimit(.minutes(5))) struct BadStateTests {
    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a file that is not a database is reported as damaged`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data(repeating: UInt8(ascii: "x"), count: 8192).write(to: URL(fileURLWithPath: path))
            let error = historyError { try StepDatabase(path: path, for: access) }
            #expect(error == .damaged(path: path, reason: "file is not a database"))
            #expect(error?.category == .data)
            #expect(error?.description.contains("istep doctor --repair --db \(path)") == true)
            #expect(error?.description.contains(".recover") == false)
            // It may be any file that --db names.
            #expect(error?.description.contains("is not a database, or its beginning is damaged") == true)
        }
    }

    @Test func `malformed pages are reported as damage`() throws {
        try withFixture { history in
            for minute in 0..<500 { try history.merge(slot(minute, 1, length: 60)) }
            try history.database.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: history.path))
            let size = try file.seekToEnd()
            try file.seek(toOffset: 4096)
            try file.write(contentsOf: Data(repeating: 0xFF, count: Int(size) - 4096))
            try file.close()
            for access in [StepDatabase.Access.reading, .writing] {
                let error = historyError {
                    try StepDatabase(path: history.path, for: access)
                        .dayData(of: history.user, on: day)
                }
                #expect(error == .damaged(path: history.path, reason: "database disk image is malformed"))
            }
        }
    }

    @Test func `a truncated file is reported as damaged`() throws {
        try withFixture { history in
            try history.database.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: history.path))
            try file.truncate(atOffset: 4096 + 100)
            try file.close()
            guard case .damaged = historyError({ try StepDatabase(path: history.path).users() }) else {
                Issue.record("taken")
                return
            }
        }
    }

    @Test func `a row with invalid content is reported as damage`() throws {
        try withFixture { history in
            try history.database.queue.write { try $0.execute(sql: "UPDATE pedometer SET clock = '[1]'") }
            guard case .damaged = historyError({ try history.database.pedometers() }) else {
                Issue.record("taken")
                return
            }
        }
    }

    @Test func `a directory is rejected as a database`() throws {
        try withDirectory { directory in
            for access in [StepDatabase.Access.reading, .writing] {
                expect(.cannotOpen(path: directory, reason: "it is a directory")) {
                    try StepDatabase(path: directory, for: access)
                }
            }
            try Data().write(to: URL(fileURLWithPath: directory + "/file"))
            let path = directory + "/file/history.sqlite"
            for access in [StepDatabase.Access.reading, .writing] {
                expect(.cannotOpen(path: path, reason: "Not a directory")) { try StepDatabase(path: path, for: access) }
            }
        }
    }

    @Test func `an unusable path is rejected with advice`() throws {
        try withDirectory { directory in
            let pipe = directory + "/pipe", loop = directory + "/loop", dangling = directory + "/dangling"
            let target = directory + "/target.sqlite"
            try #require(mkfifo(pipe, 0o600) == 0)
            try #require(symlink("loop", loop) == 0)
            try #require(symlink("target.sqlite", dangling) == 0)
            let refused = [
                (pipe, "it is not a regular file"), ("/dev/null", "it is not a regular file"),
                (loop, "Too many levels of symbolic links"),
                (dangling, "it is a symbolic link to a file that does not exist"),
                (directory + "/.", "it is a directory"),
            ]
            for (path, reason) in refused {
                for access in [StepDatabase.Access.reading, .writing] {
                    let error = historyError { try StepDatabase(path: path, for: access) }
                    #expect(error == .cannotOpen(path: path, reason: reason))
                    #expect(error?.category == .usage)
                    #expect(error?.description.contains("--db") == true)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: target))
            // A link to a history works like the history itself.
            _ = try StepDatabase(path: target).addUser(named: "Ada")
            #expect(try StepDatabase(path: dangling, for: .reading).users().count == 1)
        }
    }

    @Test func `a locked database is reported as locked`() throws {
        try withFixture { history in
            let other = try DatabaseQueue(path: history.path)
            let impatient = try StepDatabase(path: history.path, busyTimeout: 0.01)
            try other.write { _ in
                let error = historyError { try impatient.addUser(named: "Ben") }
                #expect(error == .locked(path: history.path))
                #expect(error?.category == .temporary)
                let users = try impatient.users()
                #expect(users.count == 1, "readers do not wait for writers")
            }
            #expect(try impatient.addUser(named: "Ben").name == "Ben")
        }
    }

    @Test func `a full disk causes no loss of data`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let pages = try history.database.queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            try history.database.queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            let batch = SampleBatch(
                samples: (1...2000).map { slot($0, 1, length: 60) }, cursor: PedometerCursor(readThrough: noon))
            let error = historyError { try history.database.merge(batch, sync: history.sync) }
            #expect(error == .noSpace(path: history.path))
            #expect(error?.category == .temporary)
            #expect(try history.samples() == [slot(0, 10)])
            #expect(try history.database.pedometers().first?.cursor == PedometerCursor())
            // It works again once there is space.
            try history.database.queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA max_page_count = 1000000")
            }
            #expect(try history.database.merge(batch, sync: history.sync).added == 2000)
        }
    }

    /// In a child process, which gives up root's privileges: to root nothing is read-only.
    @Test func `a history in a read-only directory can be read`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.merge(slot(0, 10))
            try history.database.close()
            let path = history.path, user = history.user
            chmod(path, 0o444)
            chmod(directory, 0o555)
            await #expect(processExitsWith: .success) { [path = path as String, user = user as User] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                let database = try StepDatabase(path: path, for: .reading)
                let data = try database.dayData(of: user, on: day)
                try #require(data.tracks.first?.samples == [slot(0, 10)])
                let error = historyError { try StepDatabase(path: path).addUser(named: "Ben") }
                guard case .readOnly = error else {
                    Issue.record("gave \(String(describing: error))")
                    exit(1)
                }
                try #require(error?.category == .permission)
            }
            chmod(directory, 0o755)
        }
    }

    /// The case after root has copied a log back from a backup. In a child process, which gives up root's privileges.
    @Test(
        .enabled(if: geteuid() == 0, "only root has files that are not ours"), arguments: ["-wal", "-shm"],
        [0o600, 0o644] as [mode_t])
    func `a log file of another user is a permission error`(_ suffix: String, _ mode: mode_t) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.database.close()
            let path = history.path
            for file in [directory, path] { try #require(chown(file, 65_534, 65_534) == 0) }
            try Data().write(to: URL(fileURLWithPath: path + suffix))
            chmod(path + suffix, mode)
            await #expect(processExitsWith: .success) { [path = path as String, suffix = suffix as String] in
                try #require(setuid(65_534) == 0)
                let error = historyError { try StepDatabase(path: path).addUser(named: "Ben") }
                guard error == .closedLog(path: path, file: path + suffix, reason: "Permission denied") else {
                    Issue.record("gave \(String(describing: error))")
                    exit(1)
                }
            }
        }
    }

    @Test func `an unreadable database is a permission error`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.database.close()
            let path = history.path
            chmod(path, 0)
            await #expect(processExitsWith: .success) { [path = path as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                for access in [StepDatabase.Access.reading, .writing] {
                    let error = historyError { try StepDatabase(path: path, for: access) }
                    guard error == .readOnly(path: path, reason: "Permission denied") else { exit(1) }
                }
            }
        }
    }

    @Test func `a history that cannot be created is named, with the directory that lacks the permission`() async throws
    {
        try await withDirectory { directory in
            let closed = directory + "/closed"
            try StepDatabase.createDirectory(closed)
            chmod(directory, 0o755)
            chmod(closed, 0o555)
            await #expect(processExitsWith: .success) { [closed = closed as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                for (below, made) in [("/history.sqlite", "no file"), ("/a/b/history.sqlite", "no directory")] {
                    let path = closed + below
                    let reason = "\(made) can be created in \"\(closed)\": Permission denied"
                    guard historyError({ try StepDatabase(path: path) }) == .readOnly(path: path, reason: reason) else {
                        exit(1)
                    }
                }
                let path = closed + "/a/history.sqlite"
                guard case .readOnly(path, _) = historyError({ try StepDatabase.prepareDirectory(of: path) }) else {
                    exit(1)
                }
            }
            chmod(closed, 0o755)
        }
    }
}
