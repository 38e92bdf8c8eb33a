import HTTP
import Testing
import WebTestSupport

/// The server received the request and does not answer correctly: in every case the request may have arrived.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: Answer
        /// The expected reason; `…` stands for the server's URL.
        let words: String

        init(_ name: String, _ answer: Answer, _ words: String) {
            (testDescription, self.answer, self.words) = (name, answer, words)
        }
    }

    private static let good = Answer.reply(body: "a body of some length")
    private static let noHTTP = "the answer of … is not HTTP; check the address"

    static let faults = [
        Fault("closes", .closeWithoutAnswer, "… closed the connection without an answer"),
        Fault("resets", .reset, "the connection to … was lost: Connection reset by peer"),
        Fault(
            "closes in the body", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
            "… closed the connection in the middle of its answer"
        ),
        Fault(
            "closes in a chunk", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
            "… closed the connection in the middle of its answer"),
        Fault("closes in the headers", .closeInTheMiddle(of: .reply(body: "")), "… sent no final answer"),
        Fault(
            "closes after an interim answer", .raw("HTTP/1.1 103 Early Hints\r\n\r\n"),
            "… closed the connection without an answer"),
        Fault(
            "switches protocols", .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
            "… closed the connection without an answer"),
        Fault("garbage", .raw([UInt8](repeating: 0xFF, count: 500)), noHTTP),
        Fault("another protocol", .raw("SSH-2.0-OpenSSH_9.2\r\n"), noHTTP),
        Fault("HTTP/0.9", .raw("<html>hello</html>"), noHTTP),
        Fault("HTTP of the future", .raw("HTTP/7.0 200 OK\r\n\r\n"), noHTTP),
        Fault("a status of two digits", .raw("HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"), noHTTP),
        Fault("a status of five digits", .raw("HTTP/1.1 20000 OK\r\nContent-Length: 0\r\n\r\n"), noHTTP),
        Fault("a negative length", .raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), noHTTP),
        Fault("a length that is no number", .raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello"), noHTTP),
        Fault(
            "chunks of no size", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            "the answer of … could not be read to its end"),
        Fault("a NUL in a header", .raw("HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n"), noHTTP),
        Fault("a body without end", .endlessBody(), "… answered with more than 256 KiB; check the address"),
        Fault(
            "an error without end", .endlessBody(status: 500), "… answered with more than 256 KiB; check the address"),
        Fault("headers without end", .endlessHeaders, "… answered with headers of more than 64 KiB; check the address"),
        Fault(
            "interim answers without end", .endlessInterim,
            "… answered with headers of more than 64 KiB; check the address"),
        Fault(
            "a header without end", .raw("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 300_000)),
            "… answered with a header that is too long; check the address"),
    ]

    @Test(arguments: faults) func `an invalid answer is reported as unanswered`(fault: Fault) async throws {
        let server = try LoopbackServer.start { _ in fault.answer }
        for request in [try server.put(), try server.post()] {
            let error = await failure(CurlTransport.forTests(), request)
            #expect(error == .unanswered(reason: fault.words.replacing("…", with: server.url)))
        }
        #expect(server.requests.count == 2)
    }

    struct SilentAnswer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: Answer
    }

    static let silentAnswers = [
        SilentAnswer(testDescription: "no answer", answer: .stall),
        SilentAnswer(testDescription: "half of the headers", answer: .stallInTheMiddle(of: .reply())),
        SilentAnswer(
            testDescription: "half of the body",
            answer: .stallInTheMiddle(of: .reply(body: String(repeating: "x", count: 500)))),
    ]

    @Test(arguments: silentAnswers) func `a request ends at the limit for silence of the server`(_ silent: SilentAnswer)
        async throws
    {
        let server = try LoopbackServer.start { _ in silent.answer }
        let error = await failure(CurlTransport.forTests(silence: .milliseconds(150)), try server.put())
        #expect(error == .unanswered(reason: "\(server.url) was silent for 150 ms"))
        await server.wait { $0.hangups == 1 }
    }

    /// Each byte restarts the limit for silence, but not the limit for the whole exchange.
    @Test func `a slow answer ends at the limit for the whole exchange`() async throws {
        let answer = Answer.reply(body: String(repeating: "x", count: 10_000))
        let server = try LoopbackServer.start { _ in .drip(answer, every: .milliseconds(5)) }
        let error = await failure(CurlTransport.forTests(whole: .seconds(8)), try server.put())
        #expect(error == .unanswered(reason: "no whole answer from \(server.url) within 8 s"))
        await server.wait { $0.hangups == 1 }
    }

    @Test func `a slow answer within the limits is read`() async throws {
        let server = try LoopbackServer.start { _ in .drip(.reply(status: 202, body: "slow"), every: .milliseconds(1)) }
        let answer = try await CurlTransport.forTests().send(server.put())
        #expect((answer.status, answer.text) == (202, "slow"))
    }

    /// The request is so large that it does not fit into any buffer on the way.
    @Test func `a request times out if the server does not read it`() async throws {
        let server = try LoopbackServer.start(arrival: { _ in .ignore }) { _ in .reply() }
        let request = HTTPRequest(
            method: "PUT", url: try server.address(), body: [UInt8](repeating: 1, count: 30_000_000))
        let error = await failure(CurlTransport.forTests(silence: .milliseconds(200)), request)
        #expect(error == .unanswered(reason: "\(server.url) was silent for 200 ms"))
    }

    @Test(arguments: [Arrival.close, .closeAfter(bytes: 1), .closeAfter(bytes: 200), .closeAfter(bytes: 100_000)])
    func `a request may have arrived if the server closes early`(arrival: Arrival) async throws {
        let server = try LoopbackServer.start(arrival: { _ in arrival }) { _ in .reply() }
        let request = HTTPRequest(
            method: "PUT", url: try server.address(), body: [UInt8](repeating: 1, count: 3_000_000))
        let error = try #require(await failure(CurlTransport.forTests(), request))
        #expect(error.mayHaveArrived, "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test func `the limits for headers and body are exact`() async throws {
        let body = String(repeating: "x", count: 1000)
        let server = try LoopbackServer.start { _ in .raw("HTTP/1.1 200 OK\r\n\r\n" + body) }
        #expect(try await CurlTransport.forTests(body: 1000, head: 19).send(server.put()).text == body)
        #expect(await failure(CurlTransport.forTests(body: 999), try server.put()) != nil)
        #expect(await failure(CurlTransport.forTests(head: 18), try server.put()) != nil)
    }

    /// The bomb is 100 MB of zeroes in gzip. The client did not request compression, so it does not decompress the
    /// body.
    @Test func `a compressed body is not decompressed`() async throws {
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]
        let head = "HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n"
        let server = try LoopbackServer.start { _ in .raw(Array(head.utf8) + bytes) }
        let answer = try await CurlTransport.forTests().send(server.put())
        #expect(answer.body == bytes)
        #expect(answer.words(hiding: []) == "")
        #expect(server.requests[0].header("Accept-Encoding") == "identity")
        #expect(server.requests[0].header("TE") == nil)
    }
}
