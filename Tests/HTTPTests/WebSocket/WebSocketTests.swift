import Foundation
import Testing
import WebTestSupport

@testable import HTTP

/// The handshake, and conversations with servers on loopback.
@Suite(.timeLimit(.minutes(5))) struct WebSocketTests {
    // MARK: Handshake

    /// RFC 3174, section 7.3.
    @Test func `digests are those of the standard`() {
        let digests: [(String, String)] = [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
        ]
        for (text, digest) in digests {
            let hex = SHA1.digest(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
            #expect(hex == digest)
        }
    }

    /// RFC 6455, section 1.3.
    @Test func `the answer to a WebSocket key matches the example of the standard`() {
        #expect(WebSocketHandshake.answer(to: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    private func handshake() throws -> WebSocketHandshake {
        WebSocketHandshake(
            to: try WebAddress("https://example.org:8123/api/websocket"), userAgent: "istep/test",
            key: Array("the sample nonce".utf8), limits: HTTPLimits(body: 1000, head: 1000))
    }

    @Test func `the handshake request has the expected text`() throws {
        #expect(
            String(decoding: try handshake().request, as: UTF8.self) == """
                GET /api/websocket HTTP/1.1\r
                Host: example.org:8123\r
                User-Agent: istep/test\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                \r\n
                """)
    }

    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    private static let good =
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"

    @Test func `bytes after the handshake are passed on as frames`() throws {
        var handshake = try handshake()
        let bytes = Array((Self.good + "Sec-WebSocket-Accept: \(Self.accept)\r\n\r\n").utf8) + [0x81, 0]
        for byte in bytes.dropLast(3) { #expect(try handshake.take([byte], isEnd: false) == .incomplete) }
        #expect(try handshake.take(Array(bytes.suffix(3)), isEnd: false) == .accepted(rest: [0x81, 0]))
    }

    @Test(arguments: [
        good + "\r\n", good + "Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        good + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        good + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: chat\r\n\r\n",
        "HTTP/1.1 101 OK\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 1e2 X\r\n\r\n", "\r\n\r\n",
        "HTTP/1.1 101 X\r\nX: " + String(repeating: "x", count: 1001),
    ]) func `a server that does not confirm the WebSocket protocol is refused`(_ answer: String) throws {
        var handshake = try handshake()
        #expect(throws: WebSocketFrames.Violation.self) { try handshake.take(Array(answer.utf8), isEnd: false) }
    }

    @Test func `another response to the handshake is returned with status, headers and text`() throws {
        var handshake = try handshake()
        let head = "HTTP/1.1 403 Forbidden\r\nContent-Length: 14\r\nRetry-After: 7\r\n\r\n"
        #expect(try handshake.take(Array((head + "403:").utf8), isEnd: false) == .incomplete)
        guard case .refused(let response) = try handshake.take(Array(" Forbidden".utf8), isEnd: false) else {
            Issue.record("not refused")
            return
        }
        #expect(response.status == 403 && response.retryAfter == 7 && response.text == "403: Forbidden")
    }

    // MARK: Conversations

    private let transport = CurlTransport(
        userAgent: "istep/test", limits: HTTPLimits(connect: .seconds(60), silence: .seconds(60), whole: .seconds(120)))

    private func withServer(
        _ answer: @escaping @Sendable (ReceivedRequest) -> Answer,
        _ body: (WebAddress, LoopbackServer) async throws -> Void
    )
        async throws
    {
        let server = try LoopbackServer.start(answer)
        defer { server.stop() }
        try await body(try WebAddress(server.url + "/api/websocket"), server)
    }

    private static func accept(_ request: ReceivedRequest) -> String {
        WebSocketHandshake.answer(to: request.header("Sec-WebSocket-Key") ?? "")
    }

    /// A conversation in which the server sends these bytes as soon as it is open.
    private static func sending(_ bytes: [UInt8], thenCloses: Bool = false) -> @Sendable (ReceivedRequest) -> Answer {
        { .raw(WebSocketPeer.head(accept: accept($0)) + bytes, thenCloses: thenCloses) }
    }

    @Test func `texts are sent and received`() async throws {
        try await withServer({
            .conversation(WebSocketPeer(accept: Self.accept($0), greeting: ["hello"], reply: { [$0, $0] }))
        }) {
            url, server in
            let socket = try await transport.open(url)
            #expect(try await socket.receive() == "hello")
            for text in ["", "ä👣", String(repeating: "x", count: 200_000)] {
                try await socket.send(text)
                for _ in 0..<2 { #expect(try await socket.receive() == text) }
            }
            await socket.close()
            await server.wait { $0.closedConnections == 1 }
            #expect(server.log.violations.isEmpty)
        }
    }

    @Test func `each connection has a key of its own`() async throws {
        try await withServer({ .conversation(WebSocketPeer(accept: Self.accept($0), reply: { _ in [] })) }) {
            url, server in
            for _ in 0..<2 { await (try transport.open(url)).close() }
            #expect(Set(server.requests.compactMap { $0.header("Sec-WebSocket-Key") }).count == 2)
        }
    }

    /// Sends a ping, and answers the client's pong with the payload of the pong.
    private struct Pinger: Conversation {
        let accept: String
        mutating func begin() -> [UInt8] { WebSocketPeer.head(accept: accept) + WebSocketPeer.frame(9, [1, 2, 3]) }
        mutating func answer(_ bytes: [UInt8]) -> [UInt8]? {
            guard bytes.count == 9, bytes[0] == 0x8a, bytes[1] == 0x83 else { return nil }
            return WebSocketPeer.text((0..<3).map { "\(bytes[6 + $0] ^ bytes[2 + $0])" }.joined())
        }
    }

    @Test func `a ping is answered with its own bytes`() async throws {
        try await withServer({ .conversation(Pinger(accept: Self.accept($0))) }) { url, _ in
            let socket = try await transport.open(url)
            #expect(try await socket.receive() == "123")
        }
    }

    @Test func `a refused WebSocket handshake returns the response of the server`() async throws {
        try await withServer({ _ in .json(#"{"message":"no"}"#, status: 403) }) { url, _ in
            let error = await #expect(throws: WebSocketError.self) { try await transport.open(url) }
            guard case .refused(let response) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(response.status == 403 && response.words(hiding: []) == "no")
        }
    }

    @Test func `after a protocol violation no more messages are received`() async throws {
        try await withServer(Self.sending([0x81, 0x81, 0, 0, 0, 0, 65] + WebSocketPeer.text("later"))) { url, _ in
            let socket = try await transport.open(url)
            for _ in 0..<2 {
                let error = await #expect(throws: WebSocketError.self) { try await socket.receive() }
                guard case .violation(let words) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(words.contains("masked"))
            }
        }
    }

    @Test func `a close is reported with its reason, on one line`() async throws {
        try await withServer(Self.sending(WebSocketPeer.frame(8, [0x03, 0xf3] + Array("bad\n\u{1b}[2J".utf8)))) {
            url, _ in
            let socket = try await transport.open(url)
            let error = await #expect(throws: WebSocketError.self) { try await socket.receive() }
            guard case .closed(let words) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(words.contains("with 1011: bad ") && !words.unicodeScalars.contains { $0.value < 32 })
        }
    }

    @Test func `a connection that ends is reported`() async throws {
        try await withServer(Self.sending([0x81, 5, 65], thenCloses: true)) { url, _ in
            let socket = try await transport.open(url)
            let error = await #expect(throws: WebSocketError.self) { try await socket.receive() }
            guard case .failed(.unanswered) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a silent server is disconnected after the time limit`() async throws {
        let hasty = CurlTransport(userAgent: "istep/test", limits: HTTPLimits(silence: .milliseconds(200)))
        for answer in [Answer.stall, .raw("HTTP/1.1 101", thenCloses: false)] {
            try await withServer({ _ in answer }) { url, _ in
                let error = await #expect(throws: WebSocketError.self) { try await hasty.open(url) }
                #expect("\(String(describing: error))".contains("silent"))
            }
        }
    }

    /// Nothing but pongs, many at a time, so that there is always something to read.
    private static func flood(_ request: ReceivedRequest) -> Answer {
        .endless(
            after: WebSocketPeer.head(accept: accept(request)), (0..<4096).flatMap { _ in WebSocketPeer.frame(10, []) })
    }

    @Test func `a server that floods pongs is disconnected after the time limit`() async throws {
        let hasty = CurlTransport(
            userAgent: "istep/test", limits: HTTPLimits(silence: .seconds(60), whole: .milliseconds(500)))
        try await withServer({ Self.flood($0) }) { url, _ in
            let error = await #expect(throws: WebSocketError.self) { try await hasty.open(url).receive() }
            #expect("\(String(describing: error))".contains("no whole answer"))
        }
    }

    @Test func `a caller that is cancelled while the server floods pongs returns`() async throws {
        try await withServer({ Self.flood($0) }) { url, _ in
            let socket = try await transport.open(url)
            let receiving = Task { try await socket.receive() }
            receiving.cancel()
            let error = await #expect(throws: WebSocketError.self) { try await receiving.value }
            #expect(error == .failed(.cancelled(wasSent: true)))
        }
    }

    @Test func `a cancelled caller returns at once`() async throws {
        try await withServer({ _ in .stall }) { url, server in
            let opening = Task { try await transport.open(url) }
            await server.wait { $0.requests.count == 1 }
            opening.cancel()
            let error = await #expect(throws: WebSocketError.self) { try await opening.value }
            #expect(error == .failed(.cancelled(wasSent: true)))
        }
    }

    @Test func `without a server nothing is sent`() async throws {
        let nobody = try UnansweredPort.refusing()
        defer { withExtendedLifetime(nobody) {} }
        let url = try WebAddress(nobody.url)
        let error = await #expect(throws: WebSocketError.self) { try await transport.open(url) }
        guard case .failed(.notSent) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the certificate is verified, and the WebSocket handshake is sent over TLS`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1")
            let server = try await TLSServer.start(certificate)
            let url = try WebAddress(server.url)
            let error = await #expect(throws: WebSocketError.self) { try await transport.open(url) }
            #expect("\(String(describing: error))".contains("not trusted"))

            // This server answers every accepted client with a page.
            let trusting = CurlTransport.forTests(authorities: certificate.path)
            let answer = await #expect(throws: WebSocketError.self) { try await trusting.open(url) }
            guard case .refused(let response) = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(response.status == 200)
        }
    }
}
