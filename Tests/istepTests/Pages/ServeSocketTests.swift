import Foundation
import Support
import TestSupport
import Testing

/// `istep serve` at a socket file, and at the sockets of systemd.
@Suite(.timeLimit(.minutes(5))) struct ServeSocketTests {
    @Test func `a socket file is served, too`() async throws {
        let folder = try Folder(), path = folder.path + "/istep.sock"
        let istep = Command(folder: folder)
        let running = try istep.start(["serve", "--socket", path])
        try await running.until { $0.contains("Ctrl-C") }
        let token = try #require(running.outputSoFar.firstMatch(of: /\/open\/[0-9a-f]{64}/)).0
        let answers = try await blocking {
            try ["GET /day", "GET \(token)"].map { line in
                let client = try LoopbackClient(path: path)
                client.send("\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return client.receiveAll()
            }
        }
        #expect(answers[0].hasPrefix("HTTP/1.1 403 ") && answers[1].contains("Set-Cookie: istep-80="))
        running.send(SIGTERM)
        #expect(await running.result.status == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Opens a socket and starts the program with it, as systemd does.
    private func activated(_ istep: Command, address: String) throws -> Running {
        let script = """
            import os, socket, sys
            s = socket.socket()
            s.bind((sys.argv[1], 0))
            s.listen()
            print("port", s.getsockname()[1], flush=True)
            os.dup2(s.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
            os.execv(sys.argv[2], ["istep", "serve"])
            """
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, address, try Command.program.path]
        process.environment = istep.environment
        return try Running(process)
    }

    @Test func `systemd's socket is used, and no token is written to its log`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let running = try activated(istep, address: "127.0.0.1")
        try await running.until { $0.hasSuffix("\n") }
        let port = try #require(running.outputSoFar.firstMatch(of: /port ([0-9]+)/)?.1)
        // The port is announced before the program starts: this request waits for its answer.
        let first = try LoopbackClient(port: try #require(UInt16(port)))
        first.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        #expect(first.receiveAll().hasPrefix("HTTP/1.1 "))
        // What 'istep serve --open' does while systemd has the port.
        let address = try #require(try await istep("serve", "--port", "\(port)", "--json").json["address"] as? String)
        let visitor = try await PageVisitor.open(address)
        #expect(try await visitor.get("/plan").status == 200)
        running.send(SIGTERM)
        let result = await running.result
        #expect(result.status == 0 && result.output == "port \(port)\n" && result.error.isEmpty, "\(result)")
    }

    /// It failed for each connection, until systemd gave the socket up.
    @Test func `an error of the configuration does not end the server that systemd starts`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        try folder.configure("timeout = \"abc\"\n")
        let running = try activated(istep, address: "127.0.0.1")
        try await running.until { $0.hasSuffix("\n") }
        let port = try #require(running.outputSoFar.firstMatch(of: /port ([0-9]+)/)?.1)
        let first = try LoopbackClient(port: try #require(UInt16(port)))
        first.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        #expect(first.receiveAll().hasPrefix("HTTP/1.1 "))
        #expect(try await istep("serve").status == 78)
        running.send(SIGTERM)
        #expect(await running.result.status == 0)
    }

    @Test func `a socket that other machines reach is refused`() async throws {
        let folder = try Folder()
        let running = try activated(Command(folder: folder), address: "0.0.0.0")
        let result = await running.result
        #expect(
            result.status == 78 && result.error.contains("reachable from other machines")
                && result.error.contains("127.0.0.1:7837"), "\(result)"
        )
    }
}
