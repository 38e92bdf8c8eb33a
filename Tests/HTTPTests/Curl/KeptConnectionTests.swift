import HTTP
import Testing
import WebTestSupport

/// The server can close a kept connection at any moment, also during the next request.
@Suite(.timeLimit(.minutes(5))) struct KeptConnectionTests {
    @Test func `repeatable requests share one connection`() async throws {
        let server = try LoopbackServer.start { .reply(body: "\($0.number)") }
        let transport = CurlTransport.forTests()
        for number in 1...50 { #expect(try await transport.send(server.put()).text == "\(number)") }
        #expect(server.log.connections == 1)
    }

    @Test func `a request that must not repeat gets its own connection`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let transport = CurlTransport.forTests()
        _ = try await transport.send(server.put())
        _ = try await transport.send(server.post())
        _ = try await transport.send(server.post())
        _ = try await transport.send(server.put())
        #expect(server.requests.map(\.connection) == [1, 2, 3, 1])
        // They are not kept, because no later request would use them.
        await server.wait { $0.closedConnections == 2 }
    }

    /// The flag decides, not the method.
    @Test func `a POST request marked as repeatable shares the connection`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let transport = CurlTransport.forTests()
        var request = try server.post()
        request.isRepeatable = true
        for _ in 1...3 { _ = try await transport.send(request) }
        #expect(server.log.connections == 1)
    }

    @Test func `a connection that the server closed is replaced`() async throws {
        let server = try LoopbackServer.start { .unannouncedClose(after: .reply(body: "\($0.number)")) }
        let transport = CurlTransport.forTests()
        for number in 1...20 {
            #expect(try await transport.send(server.put()).text == "\(number)")
            await server.wait { $0.closedConnections == number }
        }
        #expect(server.requests.count == 20)
    }

    /// libcurl sends it again by itself; the ledger has nothing to decide.
    @Test func `a repeatable request is sent again if the connection closes`() async throws {
        let server = try LoopbackServer.start { $0.number == 2 ? .closeWithoutAnswer : .reply(body: "\($0.number)") }
        let transport = CurlTransport.forTests()
        #expect(try await transport.send(server.put()).text == "1")
        #expect(try await transport.send(server.put()).text == "3")
    }

    @Test(arguments: [Answer.closeWithoutAnswer, .reset]) func `a request that must not repeat is sent only once`(
        answer: Answer
    ) async throws {
        let server = try LoopbackServer.start { $0.method == "POST" ? answer : .reply() }
        let transport = CurlTransport.forTests()
        for _ in 1...5 {
            _ = try await transport.send(server.put())
            let error = try #require(await failure(transport, try server.post()))
            #expect(error.mayHaveArrived)
        }
        #expect(server.requests.filter { $0.method == "POST" }.count == 5)
    }

    /// Each answer is followed by an unrequested one, which must not be taken for the answer to the next request.
    @Test(arguments: [200, 204]) func `an unrequested answer is not used for the next request`(status: Int) async throws
    {
        let server = try LoopbackServer.start { request in
            let lengths = status == 204 ? "" : "Content-Length: 0\r\n"
            let real = "HTTP/1.1 \(status) OK\r\nX-Number: \(request.number)\r\n\(lengths)\r\n"
            return .raw(real + "HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n", thenCloses: false)
        }
        let transport = CurlTransport.forTests()
        for number in 1...20 {
            let answer = try await transport.send(server.put())
            #expect((answer.status, answer.header("X-Number")) == (status, "\(number)"))
        }
    }

    @Test func `trailers do not change the answer`() async throws {
        let server = try LoopbackServer.start { _ in
            .raw(
                """
                HTTP/1.1 200 OK\r
                Transfer-Encoding: chunked\r
                X-One: true\r
                \r
                3\r
                abc\r
                0\r
                X-One: false\r
                X-Two: forged\r
                \r

                """, thenCloses: false)
        }
        let transport = CurlTransport.forTests()
        for _ in 1...2 {
            let answer = try await transport.send(server.put())
            #expect(
                (answer.status, answer.text, answer.header("X-One"), answer.header("X-Two")) == (
                    200, "abc", "true", nil
                ))
        }
    }

    @Test func `interim answers are skipped`() async throws {
        let server = try LoopbackServer.start { _ in
            .raw(
                "HTTP/1.1 103 Early Hints\r\nX-One: hint\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi",
                thenCloses: false)
        }
        let answer = try await CurlTransport.forTests().send(server.put())
        #expect(answer == HTTPResponse(status: 201, headers: [("Content-Length", "2")], body: Array("hi".utf8)))
    }

    /// A header line that begins with a blank continues the previous line, which here belongs to the previous answer
    /// (libcurl 7.88 wrote into its freed memory: curl's commit cd1c611b24).
    @Test func `a folded line without a previous header does no harm`() async throws {
        let server = try LoopbackServer.start { request in
            let fold = request.number % 2 == 1 ? "" : " " + String(repeating: "x", count: 5000) + "\r\n"
            return .raw("HTTP/1.1 200 OK\r\n\(fold)X-One: 1\r\nContent-Length: 0\r\n\r\n", thenCloses: false)
        }
        let transport = CurlTransport.forTests()
        for _ in 1...20 { _ = await failure(transport, try server.put()) }
        #expect(try await transport.send(server.put()).header("X-One") == "1")
    }

    /// The transport's thread ends with the transport, and releases everything.
    @Test func `the connection is closed with the transport`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        for number in 1...10 {
            _ = try await CurlTransport.forTests().send(server.put())
            await server.wait { $0.closedConnections == number }
        }
        #expect(server.log.connections == 10)
    }
}
