import Foundation
import HTTP
import Testing
import WebTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    @Test func `concurrent requests share one connection and get their own answers`() async throws {
        let server = try LoopbackServer.start { .reply(body: $0.path) }
        let transport = CurlTransport.forTests()
        try await withThrowingTaskGroup { group in
            for number in 1...200 {
                let request = try server.put("", "/\(number)")
                group.addTask {
                    let answer = try await transport.send(request)
                    #expect(answer.text == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.log.connections == 1)
        #expect(server.requests.count == 200)
    }

    @Test func `concurrent transports do not affect each other`() async throws {
        let servers = try (0..<3).map { server in try LoopbackServer.start { .reply(body: "\(server)\($0.path)") } }
        try await withThrowingTaskGroup { group in
            for number in 1...60 {
                group.addTask {
                    let transport = CurlTransport.forTests(), server = servers[number % 3]
                    for turn in 1...5 {
                        let request = try server.put("", "/\(number)/\(turn)")
                        let answer = try await transport.send(request)
                        #expect(answer.text == "\(number % 3)/\(number)/\(turn)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A slow server delays only its own clients.
    @Test func `a stalled server does not block other transports`() async throws {
        let stalling = try LoopbackServer.start { _ in .stall }, server = try LoopbackServer.start { _ in .reply() }
        let transport = CurlTransport.forTests(), request = try stalling.put()
        let stalled = Task { await failure(transport, request) }
        await stalling.wait { $0.requests.count == 1 }
        #expect(try await CurlTransport.forTests().send(server.put()).status == 200)
        stalling.stop()
        #expect(await stalled.value == .unanswered(reason: "\(stalling.url) closed the connection without an answer"))
    }

    /// Nothing is left open, however a request ends. Runs in its own process, because other tests open files too.
    @Test func `no file descriptors or threads are leaked`() async {
        await #expect(processExitsWith: .success) {
            func count(_ directory: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory).count
            }
            func round() async throws {
                let server = try LoopbackServer.start { $0.number % 2 == 0 ? .reset : .reply(body: "good") }
                let port = try UnansweredPort.refusing()
                let transport = CurlTransport.forTests()
                for _ in 1...4 { _ = await failure(transport, try server.post()) }
                _ = await failure(transport, HTTPRequest(method: "PUT", url: try WebAddress(port.url)))
                server.stop()
            }
            try await round()
            let files = try count("/proc/self/fd"), threads = try count("/proc/self/task")
            for _ in 1...100 { try await round() }
            // Threads of transports may still be ending.
            let deadline = ContinuousClock.now + .seconds(20)
            while try count("/proc/self/fd") > files + 4 || count("/proc/self/task") > threads + 4, .now < deadline {
                await Task.yield()
            }
            #expect(try count("/proc/self/fd") <= files + 4)
            #expect(try count("/proc/self/task") <= threads + 4)
        }
    }
}
