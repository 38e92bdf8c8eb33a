import PageExchange
import CAccept
import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import LocalServer

/// What clients may do to the server, and what it does then.
@Suite(.timeLimit(.minutes(5))) struct LocalServerTests {
    private static let request = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A server that answers with the target, or as `handler` does.
    private func serving(
        _ limits: ServerLimits = ServerLimits(),
        _ handler: @escaping LocalServer.Handler = { ServedResponse(status: 200, body: .bytes(Array($0.target.utf8))) },
        _ body: @Sendable @escaping (UInt16) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, _) = socket.address else { return #expect(Bool(false)) }
        let server = try LocalServer([socket], limits: limits, handler: handler)
        let task = Task { await server.run() }
        do { try await body(port) } catch { Issue.record(error) }
        task.cancel()
        await task.value
    }

    /// Runs what blocks outside of Swift's threads.
    private func client<R: Sendable>(_ port: UInt16, _ body: @escaping @Sendable (LoopbackClient) throws -> R)
        async throws -> R
    {
        try await blocking { try body(LoopbackClient(port: port)) }
    }

    @Test func `several requests on one connection are answered, also if they are sent at once`() async throws {
        try await serving { port in
            let answers = try await client(port) { client in
                var answers: [String] = []
                for _ in 0..<3 {
                    client.send(Self.request)
                    answers.append(client.receiveResponse())
                }
                client.send(Self.request + "GET /two HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                return answers + [client.receiveAll()]
            }
            #expect(answers[..<3].allSatisfy { $0.hasPrefix("HTTP/1.1 200 OK\r\n") && $0.hasSuffix("\r\n\r\n/hello") })
            #expect(answers[3].contains("/helloHTTP/1.1 200") && answers[3].hasSuffix("Connection: close\r\n\r\n/two"))
        }
    }

    @Test func `the response to HEAD has no body`() async throws {
        try await serving { port in
            let answer = try await client(port) { client in
                client.send("HEAD /hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                return client.receiveAll()
            }
            #expect(answer.contains("Content-Length: 6\r\n") && answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `a header of a megabyte is refused, and the next client is served`() async throws {
        try await serving { port in
            let answer = try await client(port) { client in
                client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "x", count: 1 << 20))
                return client.receiveAll()
            }
            #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer.prefix(80))")
            let next = try await client(port) { client in
                client.send(Self.request)
                return client.receiveResponse()
            }
            #expect(next.hasSuffix("/hello"))
        }
    }

    @Test(arguments: [
        "", "G", "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nkey",
    ])
    func `a client that does not finish its request gets status 408`(_ beginning: String) async throws {
        var limits = ServerLimits()
        limits.request = .seconds(3)
        try await serving(limits) { port in
            let answer = try await client(port) { client in
                client.send(beginning)
                return client.receiveAll()
            }
            #expect(beginning.isEmpty ? answer.isEmpty : answer.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `sending single bytes slowly does not extend the time limit of a request`() async throws {
        var limits = ServerLimits()
        limits.request = .seconds(2)
        try await serving(limits) { port in
            // Without a limit for the whole request, this would go on for the 16 KB of a header.
            let sent = try await client(port) { client in
                var sent = 0
                while !client.isClosed, client.send("G"), sent < 10_000 {
                    sent += 1
                    usleep(20_000)
                }
                return sent
            }
            #expect(sent < 10_000)
        }
    }

    @Test func `an idle connection is closed`() async throws {
        var limits = ServerLimits()
        limits.idle = .milliseconds(100)
        try await serving(limits) { port in
            let answer = try await client(port) { client in
                client.send(Self.request)
                return client.receiveAll()
            }
            #expect(answer.hasSuffix("/hello"))
        }
    }

    @Test func `with a thousand open connections other clients are served, and some connections are closed`()
        async throws
    {
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = files.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        let limits = ServerLimits()
        try await serving(limits) { port in
            let (kept, answers) = try await blocking { () -> (Int, [String]) in
                let flood = try (0..<1000).map { _ in try LoopbackClient(port: port) }
                let answers = try (0..<20).map { _ -> String in
                    let client = try LoopbackClient(port: port)
                    client.send(Self.request)
                    return client.receiveResponse()
                }
                // Not at once: a child that another test starts at this moment has all connections until it executes
                // its program.
                var open = flood.filter { !$0.isClosed }
                while open.count > limits.connections, LoopbackClient.waitForEvent(among: open) {
                    open.removeAll(where: \.isClosed)
                }
                return (open.count, answers)
            }
            #expect(answers.allSatisfy { $0.hasSuffix("/hello") })
            #expect(kept <= limits.connections, "\(kept) are still open")
        }
    }

    /// The time between the attempts is a lower bound: a server that polled on would accept again at once.
    @Test func `without a free descriptor the server pauses, and then accepts`() async throws {
        let socket = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, _) = socket.address else { return #expect(Bool(false)) }
        let attempts = Mutex<[ContinuousClock.Instant]>([]), flags = Mutex<[Int32]>([])
        let accept: LocalServer.Accept = { (listener: Int32) -> Int32 in
            let attempt = attempts.withLock { (attempts: inout [ContinuousClock.Instant]) -> Int in
                attempts.append(.now)
                return attempts.count
            }
            if attempt <= 2 {
                errno = EMFILE
                return -1
            }
            let number = accept_private(listener)
            if number >= 0 { flags.withLock { $0 = [fcntl(number, F_GETFD), fcntl(number, F_GETFL) & O_NONBLOCK] } }
            return number
        }
        let server = try LocalServer(
            [socket], limits: ServerLimits(), idleTime: nil, isBusy: { false }, accept: accept,
            handler: { ServedResponse(status: 200, body: .bytes(Array($0.target.utf8))) })
        let task = Task { await server.run() }
        let answer = try await client(port) { client in
            client.send(Self.request)
            return client.receiveResponse()
        }
        task.cancel()
        await task.value
        #expect(answer.hasSuffix("/hello"))
        let times = attempts.withLock { $0 }
        #expect(times.count >= 3 && times[2] - times[0] >= .milliseconds(200))
        #expect(flags.withLock { $0 } == [FD_CLOEXEC, O_NONBLOCK])
    }

    @Test func `a request being answered is not dropped when many connections are opened`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        var limits = ServerLimits()
        limits.connections = 8
        try await serving(
            limits,
            { _ in
                begin.yield()
                for await _ in gate { break }
                return ServedResponse(status: 200, body: .bytes(Array("late".utf8)))
            }
        ) { port in
            let slow = try LoopbackClient(port: port)
            slow.send(Self.request)
            for await _ in begun { break }
            let flood = try await blocking { try (0..<100).map { _ in try LoopbackClient(port: port) } }
            open.finish()
            let answer = try await blocking { slow.receiveResponse() }
            #expect(answer.hasSuffix("late") && flood.count == 100)
        }
    }

    @Test func `a stream arrives in order, and ends with its client`() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await serving(
            ServerLimits(),
            { request in
                let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
                for number in 1...3 { continuation.yield(Array("data: \(number)\n\n".utf8)) }
                if request.target == "/ends" { continuation.finish() }
                continuation.onTermination = { _ in end.yield() }
                return ServedResponse(
                    status: 200, headers: [("Content-Type", "text/event-stream")], body: .stream(stream))
            }
        ) { port in
            let whole = try await client(port) { client in
                client.send("GET /ends HTTP/1.1\r\nHost: h\r\n\r\n")
                return client.receiveAll()
            }
            #expect(whole.hasSuffix("\r\n\r\ndata: 1\n\ndata: 2\n\ndata: 3\n\n") && whole.contains("Connection: close"))
            let start = try await client(port) { client in
                client.send("GET /goes-on HTTP/1.1\r\nHost: h\r\n\r\n")
                return client.receive()
            }
            #expect(!start.isEmpty)
            // The client has gone: the handler's stream is ended, else this waits for ever.
            for await _ in ended { break }
        }
    }

    @Test func `a client that does not read its stream is dropped`() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await serving(
            ServerLimits(),
            { _ in
                let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
                for _ in 0..<300 { continuation.yield([UInt8](repeating: 0x61, count: 65_536)) }
                continuation.onTermination = { _ in end.yield() }
                return ServedResponse(status: 200, body: .stream(stream))
            }
        ) { port in
            let client = try LoopbackClient(port: port)
            client.send(Self.request)
            for await _ in ended { break }
            #expect(client.send("x") || client.isClosed)
        }
    }

    @Test func `the server ends after a time without requests`() async throws {
        let server = try LocalServer([.loopback(port: 0)], idleTime: .milliseconds(50)) { _ in
            ServedResponse(status: 200)
        }
        await server.run()
    }

    @Test func `the server does not end while something goes on that requests have begun`() async throws {
        let questions = Mutex(0)
        let isBusy: @Sendable () -> Bool = {
            questions.withLock { count in
                count += 1
                return count < 3
            }
        }
        let server = try LocalServer([.loopback(port: 0)], idleTime: .milliseconds(20), isBusy: isBusy) { _ in
            ServedResponse(status: 200)
        }
        await server.run()
        #expect(questions.withLock { $0 } == 3)
    }

    /// All of it is there before the server reads: requests and the end come in the same read.
    @Test(arguments: ["", "GET /cut HTTP/1.1\r\n"]) func `a client that sends nothing more gets its responses`(
        _ rest: String
    ) async throws {
        let socket = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, _) = socket.address else { return #expect(Bool(false)) }
        let client = try LoopbackClient(port: port)
        client.send(Self.request + "GET /two HTTP/1.1\r\nHost: h\r\n\r\n" + rest)
        client.endSending()
        let server = try LocalServer([socket]) { ServedResponse(status: 200, body: .bytes(Array($0.target.utf8))) }
        let task = Task { await server.run() }
        let answer = try await blocking { client.receiveAll() }
        #expect(answer.contains("/helloHTTP/1.1 200") && answer.hasSuffix("\r\n\r\n/two"))
        task.cancel()
        await task.value
    }
}
