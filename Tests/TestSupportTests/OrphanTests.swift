import Foundation
import TestSupport
import Testing

/// What a test has started ends with the test program, also if that is killed.
@Suite(.timeLimit(.minutes(5))) struct OrphanTests {
    /// A FIFO whose writing ends only the processes have that are to end: its reader sees when the last of them has
    /// ended.
    private final class Fifo {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-fifo-\(UUID().uuidString)")
            .path
        let path: String
        private let reader: Int32

        init() throws {
            path = folder + "/fifo"
            try #require(mkdir(folder, 0o700) == 0 && mkfifo(path, 0o600) == 0)
            reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            try #require(reader >= 0)
        }

        deinit {
            close(reader)
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// What was written until the last writer has ended; nil if one still runs after a minute.
        func readAll() -> String? {
            var text: [UInt8] = []
            while true {
                var state = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
                guard poll(&state, 1, 60_000) > 0 else { return nil }
                var bytes = [UInt8](repeating: 0, count: 100)
                let count = read(reader, &bytes, bytes.count)
                guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                text += bytes.prefix(count)
            }
        }
    }

    /// - Parameter script: writes a line to the FIFO, one to its standard output, and goes on.
    private static func runAndDie(_ script: String, _ path: String) throws {
        let child = ChildProcess()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", script]
        let pipe = Pipe()
        child.pipe = pipe
        child.environment = ["FIFO": path, "PATH": "/usr/bin:/bin", "HOME": "/tmp/istep-test-\(OrphanGuard.run)-1"]
        try child.run()
        // It has opened the FIFO.
        _ = try pipe.fileHandleForReading.read(upToCount: 1)
        kill(getpid(), SIGKILL)
    }

    @Test func `a child ends with a test program that is killed`() async throws {
        let fifo = try Fifo()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = fifo.path as String] in
            try Self.runAndDie("exec 3>$FIFO; echo child >&3; echo ready; exec sleep 1000", path)
        }
        #expect(fifo.readAll() == "child\n")
    }

    @Test func `a daemon with another environment but the test's HOME ends with a killed test program`() async throws {
        let fifo = try Fifo()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = fifo.path as String] in
            try Self.runAndDie("exec 3>$FIFO; echo daemon >&3; echo ready; exec env -i HOME=$HOME sleep 1000", path)
        }
        #expect(fifo.readAll() == "daemon\n")
    }

    @Test func `a process outside the child's group and session ends with a killed test program`() async throws {
        let fifo = try Fifo()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = fifo.path as String] in
            try Self.runAndDie(
                "setsid sh -c 'exec 3>$FIFO; trap \"\" HUP TERM; echo daemon >&3; echo ready; sleep 1000; sleep 1000' & wait",
                path)
        }
        #expect(fifo.readAll() == "daemon\n")
    }
}
