import Foundation
import Testing

@testable import StepDatabase

@Suite struct SyncLockTests {
    @Test func theSecondIsToldWhoHoldsIt() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try await SyncLock.hold(ofDatabase: path) {
                let error = await #expect(throws: SyncLockError.self) { try await SyncLock.hold(ofDatabase: path) {} }
                #expect(error == .held(.syncing, byProcess: getpid()))
                #expect(error?.category == .temporary)
            }
            try await SyncLock.hold(ofDatabase: path) {}
        }
    }

    @Test func anErrorLetsItGo() async throws {
        struct Failure: Error {}
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(throws: Failure.self) { try await SyncLock.hold(ofDatabase: path) { throw Failure() } }
            try await SyncLock.hold(ofDatabase: path) {}
        }
    }

    @Test func allNamesOfADatabaseHaveOneLock() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: path)
            try await SyncLock.hold(ofDatabase: path) {
                for other in [directory + "/link", directory + "/./history.sqlite", directory + "/../" + (directory as NSString).lastPathComponent + "/history.sqlite"] {
                    await #expect(throws: SyncLockError.self) { try await SyncLock.hold(ofDatabase: other) {} }
                }
                try await SyncLock.hold(ofDatabase: directory + "/other.sqlite") {}
            }
        }
    }

    @Test func itsFileIsPrivate() async throws {
        try await withDirectory { directory in
            try await SyncLock.hold(ofDatabase: directory + "/history.sqlite") {
                let mode = try mode(of: directory + "/history.sqlite.lock")
                #expect(mode == 0o600)
            }
        }
    }

    // MARK: Whose the file is

    /// Root's own would keep the history's owner out.
    @Test(.enabled(if: geteuid() == 0, "only root makes files for others"), arguments: SyncLock.Work.allCases)
    func whatRootMakesIsTheOwners(_ work: SyncLock.Work) async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try #require(chown(directory, 4711, 4712) == 0)
            try await SyncLock.hold(ofDatabase: path, for: work) {}
            #expect(try owner(of: SyncLock.path(ofDatabase: path, for: work)) == [4711, 4712], "as the directory, while there is no history")
            try #require(unlink(SyncLock.path(ofDatabase: path, for: work)) == 0)
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(chown(path, 4713, 4714) == 0)
            try await SyncLock.hold(ofDatabase: path, for: work) {}
            #expect(try owner(of: SyncLock.path(ofDatabase: path, for: work)) == [4713, 4714])
        }
    }

    /// In a child process, which gives up root's privileges.
    @Test func whatRootHasLockedItsOwnerCanLock() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            if geteuid() == 0 { for place in [directory, path] { try #require(chown(place, 65_534, 65_534) == 0) } }
            try await SyncLock.hold(ofDatabase: path) {}
            await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                try await SyncLock.hold(ofDatabase: path) {}
                exit(3)
            }
        }
    }

    private func owner(of path: String) throws -> [UInt32] {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return [status.st_uid, status.st_gid]
    }

    // MARK: Nothing is left behind

    @Test func whatWasMadeForALookGoes() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite", lock = path + ".lock"
            try await SyncLock.hold(ofDatabase: path, leavingNothing: true) {
                let error = await #expect(throws: SyncLockError.self) { try await SyncLock.hold(ofDatabase: path) {} }
                #expect(error == .held(.syncing, byProcess: getpid()))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            try await SyncLock.hold(ofDatabase: path) {}
            try await SyncLock.hold(ofDatabase: path, leavingNothing: true) {}
            #expect(FileManager.default.fileExists(atPath: lock), "it was there before")
        }
    }

    /// As one opens it that a doctor takes away just then: the next has made another.
    @Test func aFileThatWasTakenAwayIsNoLock() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite", lock = path + ".lock"
            var opened: Int32 = -1
            try await SyncLock.hold(ofDatabase: path, leavingNothing: true) {
                opened = try LockFile.open(lock, ofDatabase: path).file
                #expect(throws: SyncLockError.held(.syncing, byProcess: getpid())) { try LockFile.lock(opened, at: lock, .syncing) }
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

    @Test func aDirectoryThatIsNotThereIsSaid() async throws {
        await #expect(throws: SyncLockError.failed(path: "/nowhere/history.sqlite.lock", reason: "No such file or directory")) {
            try await SyncLock.hold(ofDatabase: "/nowhere/history.sqlite") {}
        }
    }

    @Test func anotherProcessIsKeptOut() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            let holder = getpid()
            try await SyncLock.hold(ofDatabase: path) {
                _ = await #expect(processExitsWith: .exitCode(3)) { [path = path as String, holder = holder as pid_t] in
                    do {
                        try await SyncLock.hold(ofDatabase: path) {}
                    } catch SyncLockError.held(.syncing, byProcess: holder) {
                        exit(3)
                    }
                }
            }
        }
    }

    @Test func theKernelLetsGoOfAKilledProcessesLock() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                try await SyncLock.hold(ofDatabase: path) { _ = kill(getpid(), SIGKILL) }
            }
            #expect(try String(contentsOfFile: path + ".lock", encoding: .utf8).isEmpty == false, "it held the lock")
            try await SyncLock.hold(ofDatabase: path) {}
        }
    }
}
