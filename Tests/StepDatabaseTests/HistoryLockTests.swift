import Foundation
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct HistoryLockTests {
    @Test func `a second attempt to lock reports the holder`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try await HistoryLock.hold(ofDatabase: path) {
                let error = await #expect(throws: HistoryLockError.self) {
                    try await HistoryLock.hold(ofDatabase: path) {}
                }
                #expect(error == .held(.syncing, by: HistoryHolder(process: getpid(), activity: .sync)))
                #expect(error?.category == .temporary)
            }
            try await HistoryLock.hold(ofDatabase: path) {}
        }
    }

    @Test func `an error releases the lock`() async throws {
        struct Failure: Error {}
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(throws: Failure.self) { try await HistoryLock.hold(ofDatabase: path) { throw Failure() } }
            try await HistoryLock.hold(ofDatabase: path) {}
        }
    }

    @Test func `all names of a database share one lock`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: path)
            try await HistoryLock.hold(ofDatabase: path) {
                for other in [
                    directory + "/link", directory + "/./history.sqlite",
                    directory + "/../" + (directory as NSString).lastPathComponent + "/history.sqlite",
                ] {
                    await #expect(throws: HistoryLockError.self) { try await HistoryLock.hold(ofDatabase: other) {} }
                }
                try await HistoryLock.hold(ofDatabase: directory + "/other.sqlite") {}
            }
        }
    }

    @Test func `the lock file has mode 0600`() async throws {
        try await withDirectory { directory in
            try await HistoryLock.hold(ofDatabase: directory + "/history.sqlite") {
                let mode = try mode(of: directory + "/history.sqlite.lock")
                #expect(mode == 0o600)
            }
        }
    }

    // MARK: File ownership

    /// A lock file owned by root would lock out the owner of the history.
    @Test(.enabled(if: geteuid() == 0, "only root makes files for others"), arguments: HistoryWork.allCases)
    func `a lock file created by root belongs to the owner`(_ work: HistoryWork) async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try #require(chown(directory, 4711, 4712) == 0)
            try await HistoryLock.hold(ofDatabase: path, for: work) {}
            #expect(
                try owner(of: HistoryLock.path(ofDatabase: path, for: work)) == [4711, 4712],
                "as the directory, while there is no history")
            try #require(unlink(HistoryLock.path(ofDatabase: path, for: work)) == 0)
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(chown(path, 4713, 4714) == 0)
            try await HistoryLock.hold(ofDatabase: path, for: work) {}
            #expect(try owner(of: HistoryLock.path(ofDatabase: path, for: work)) == [4713, 4714])
        }
    }

    /// In a child process, which gives up root's privileges.
    @Test func `an owner can lock a database that root has locked before`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            if geteuid() == 0 { for file in [directory, path] { try #require(chown(file, 65_534, 65_534) == 0) } }
            try await HistoryLock.hold(ofDatabase: path) {}
            await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                try await HistoryLock.hold(ofDatabase: path) {}
                exit(3)
            }
        }
    }

    private func owner(of path: String) throws -> [UInt32] {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return [status.st_uid, status.st_gid]
    }

    // MARK: Removal of lock files

    @Test func `a lock that leaves no file removes only its own lock file`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite", lock = path + ".lock"
            try await HistoryLock.hold(ofDatabase: path, removesFile: true) {
                let error = await #expect(throws: HistoryLockError.self) {
                    try await HistoryLock.hold(ofDatabase: path) {}
                }
                #expect(error == .held(.syncing, by: HistoryHolder(process: getpid(), activity: .sync)))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            try await HistoryLock.hold(ofDatabase: path) {}
            try await HistoryLock.hold(ofDatabase: path, removesFile: true) {}
            #expect(FileManager.default.fileExists(atPath: lock), "it was there before")
        }
    }

    /// A process opens the lock file just before `istep doctor` removes it; the next process creates another.
    @Test func `a removed lock file cannot be locked`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite", lock = path + ".lock"
            var opened: Int32 = -1
            try await HistoryLock.hold(ofDatabase: path, removesFile: true) {
                opened = try LockFile.open(lock, ofDatabase: path).file
                #expect(throws: HistoryLockError.held(.syncing, by: HistoryHolder(process: getpid(), activity: .sync)))
                {
                    try LockFile.lock(opened, at: lock, .syncing)
                }
            }
            defer { close(opened) }
            #expect(try !LockFile.lock(opened, at: lock, .syncing))
            let (next, isNew) = try LockFile.open(lock, ofDatabase: path)
            defer { close(next) }
            #expect(isNew)
            #expect(try LockFile.lock(next, at: lock, .syncing))
            #expect(try !LockFile.lock(opened, at: lock, .syncing))
        }
    }

    @Test func `a second process is given the activity of the first`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try await HistoryLock.hold(ofDatabase: path, as: .repair) {
                let error = await #expect(throws: HistoryLockError.self) {
                    try await HistoryLock.hold(ofDatabase: path) {}
                }
                #expect(
                    error?.description.contains("another repair of this history is running (process \(getpid()))")
                        == true)
                #expect(HistoryLock.holder(ofDatabase: path) == HistoryHolder(process: getpid(), activity: .repair))
                // The format of an earlier istep.
                try Data("\(getpid())\n".utf8).write(to: URL(fileURLWithPath: path + ".lock"))
                #expect(HistoryLock.holder(ofDatabase: path) == HistoryHolder(process: getpid(), activity: .sync))
            }
        }
    }

    @Test func `a missing directory is reported`() async throws {
        await #expect(
            throws: HistoryLockError.failed(path: "/nowhere/history.sqlite.lock", reason: "No such file or directory")
        ) {
            try await HistoryLock.hold(ofDatabase: "/nowhere/history.sqlite") {}
        }
    }

    @Test func `another process cannot acquire the lock`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            let holder = getpid()
            try await HistoryLock.hold(ofDatabase: path) {
                _ = await #expect(processExitsWith: .exitCode(3)) { [path = path as String, holder = holder as pid_t] in
                    do {
                        try await HistoryLock.hold(ofDatabase: path) {}
                    } catch HistoryLockError.held(.syncing, by: HistoryHolder(process: holder, activity: .sync)) {
                        exit(3)
                    }
                }
            }
        }
    }

    @Test func `the kernel releases the lock of a killed process`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                try await HistoryLock.hold(ofDatabase: path) { _ = kill(getpid(), SIGKILL) }
            }
            #expect(try String(contentsOfFile: path + ".lock", encoding: .utf8).isEmpty == false, "it held the lock")
            try await HistoryLock.hold(ofDatabase: path) {}
        }
    }
}
