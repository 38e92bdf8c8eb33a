import Foundation
import StepDatabase
import Testing

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
