import Foundation
import HTTP
import Testing
import WebStage

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test func beforeItBeginsNothingIsSent() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let transport = CurlTransport.forTests(), request = try server.put()
        let task = Task {
            // Until it is cancelled.
            for await _ in AsyncStream<Void>(unfolding: { Task.isCancelled ? nil : await Task.yield() }) {}
            return await failure(transport, request)
        }
        task.cancel()
        #expect(await task.value == .cancelled(wasSent: false))
        #expect(server.log.connections == 0)
    }

    @Test(arguments: [Answer.stall, .stallInTheMiddle(of: .reply(body: "some")), .endlessBody(), .drip(.reply(), every: .seconds(1))])
    func inTheMiddleItEndsAtOnceAndSaysSo(answer: Answer) async throws {
        let server = try LoopbackServer.start { _ in answer }
        let transport = CurlTransport.forTests(body: .max), request = try server.put()
        let task = Task { await failure(transport, request) }
        await server.wait { $0.requests.count == 1 }
        task.cancel()
        let error = await task.value
        #expect(error == .cancelled(wasSent: true))
        await server.wait { $0.hangups == 1 }
    }

    @Test func whileConnectingNothingWasSent() async throws {
        let port = try UnansweredPort.deaf()
        let transport = CurlTransport.forTests(), request = HTTPRequest(method: "PUT", url: try WebAddress(port.url))
        let task = Task { await failure(transport, request) }
        // Connecting has begun as soon as it has a socket; where it has not, nothing was sent either.
        await Task.yield()
        task.cancel()
        #expect(await task.value == .cancelled(wasSent: false))
    }

    /// One that waits for its turn does not wait for that to be cancelled.
    @Test func inTheQueueNothingWasSent() async throws {
        let server = try LoopbackServer.start { $0.path == "/stall" ? .stall : .reply() }
        let transport = CurlTransport.forTests()
        let first = try server.put("", "/stall"), second = try server.put("", "/second"), third = try server.put("", "/third")
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

    /// Whenever it comes, the sender is told once, and the truth: what a server never saw is never doubted to be unsent.
    @Test func atAnyMomentItIsToldTruly() async throws {
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

    /// A client that is killed while it waits: the server has its request, whole.
    @Test func aKilledClientHasSentWhatItSent() async throws {
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
