import Foundation
import HTTP
import Testing
import WebTestSupport

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test func `a request cancelled before its start is not sent`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let transport = CurlTransport.forTests(), request = try server.put()
        let task = Task {
            // Waits until the task is cancelled.
            for await _ in AsyncStream<Void>(unfolding: { Task.isCancelled ? nil : await Task.yield() }) {}
            return await failure(transport, request)
        }
        task.cancel()
        #expect(await task.value == .cancelled(wasSent: false))
        #expect(server.log.connections == 0)
    }

    @Test(arguments: [
        Answer.stall, .stallInTheMiddle(of: .reply(body: "some")), .endlessBody(), .drip(.reply(), every: .seconds(1)),
    ])
    func `cancellation during an exchange ends it and reports it as sent`(answer: Answer) async throws {
        let server = try LoopbackServer.start { _ in answer }
        let transport = CurlTransport.forTests(body: .max), request = try server.put()
        let task = Task { await failure(transport, request) }
        await server.wait { $0.requests.count == 1 }
        task.cancel()
        let error = await task.value
        #expect(error == .cancelled(wasSent: true))
        await server.wait { $0.hangups == 1 }
    }

    @Test func `a request cancelled while connecting is reported as not sent`() async throws {
        let port = try UnansweredPort.notAccepting()
        let transport = CurlTransport.forTests(), request = HTTPRequest(method: "PUT", url: try WebAddress(port.url))
        let task = Task { await failure(transport, request) }
        // Connecting begins when the transport has a socket; if it has none yet, nothing was sent either.
        await Task.yield()
        task.cancel()
        #expect(await task.value == .cancelled(wasSent: false))
    }

    /// A request that waits in the queue is cancelled at once, not when its turn comes.
    @Test func `a request cancelled in the queue is not sent`() async throws {
        let server = try LoopbackServer.start { $0.path == "/stall" ? .stall : .reply() }
        let transport = CurlTransport.forTests()
        let first = try server.put("", "/stall"), second = try server.put("", "/second"),
            third = try server.put("", "/third")
        let stalled = Task { await failure(transport, first) }
        await server.wait { $0.requests.count == 1 }
        let waiting = Task { await failure(transport, second) }
        let last = Task { await failure(transport, third) }
        waiting.cancel()
        #expect(await waiting.value == .cancelled(wasSent: false))
        stalled.cancel()
        #expect(await stalled.value == .cancelled(wasSent: true))
        #expect(await last.value == nil)
        #expect(server.requests.map(\.path) == ["/stall", "/third"])
    }

    /// Whenever the cancellation comes, the caller gets one true result: a request reported as not sent never reached
    /// the server.
    @Test func `a request reported as not sent never reaches the server`() async throws {
        let server = try LoopbackServer.start { _ in .reply(status: 204) }
        let transport = CurlTransport.forTests()
        for number in 1...300 {
            let request = try server.post("", "/\(number)")
            let task = Task { await failure(transport, request) }
            for _ in 0..<(number % 30) { await Task.yield() }
            task.cancel()
            let error = await task.value
            let arrived = server.requests.contains { $0.path == "/\(number)" }
            switch error {
            case nil: #expect(arrived)
            case .cancelled(wasSent: false): #expect(!arrived)
            case .cancelled(wasSent: true): break
            default: Issue.record("\(error!)")
            }
        }
    }

    /// A client is killed while it waits for the answer: the server has its whole request.
    @Test func `the server receives the whole request of a killed client`() async throws {
        let server = try LoopbackServer.start { request in
            kill(pid_t(request.text)!, SIGKILL)
            return .stall
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [url = server.url as String] in
            let request = HTTPRequest(method: "PUT", url: try WebAddress(url), body: Array("\(getpid())".utf8))
            _ = try await CurlTransport.forTests().send(request)
        }
        await server.wait { $0.hangups == 1 }
        #expect(server.requests.count == 1)
    }
}
