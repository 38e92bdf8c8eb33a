import HTTP
import Testing
import WebTestSupport

/// Random answers, made of pieces of valid ones: every exchange ends within the limits, and the transport continues to
/// work.
@Suite(.timeLimit(.minutes(5))) struct NonsenseTests {
    private static let pieces: [String] = [
        "HTTP/1.1 ", "HTTP/2 ", "200 ", "204 ", "304 ", "101 ", "100 ", "500 ", "OK", "\r\n", "\n", "\r", "\r\n\r\n",
        ":", " ", "\t", "\0",
        "Content-Length: ", "Transfer-Encoding: ", "chunked", "gzip", "identity", "5", "0", "-1", "ffffffffffffffff",
        "99999999999999999999",
        "5\r\nhello\r\n", "0\r\n\r\n", "Connection: ", "close", "keep-alive", "Retry-After: ", "Location: ",
        "http://127.0.0.1:1/", "x",
        "Content-Encoding: ", "Trailer: ", "Upgrade: h2c\r\n", "Content-Range: bytes 1-2/3\r\n", "X: y\r\n",
        "Set-Cookie: a=b\r\n",
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "\u{FEFF}", "é",
    ]

    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 32) | (state << 32)
        }
    }

    private static func nonsense(_ seed: Int) -> String {
        var dice = Dice(state: UInt64(seed))
        let start = Int.random(in: 0..<8, using: &dice) > 0 ? "HTTP/1.1 200 OK\r\n" : ""
        return start
            + (0..<Int.random(in: 1...40, using: &dice)).map { _ in pieces.randomElement(using: &dice)! }.joined()
    }

    @Test func `the transport continues to work after random answers`() async throws {
        let server = try LoopbackServer.start { request in
            request.method == "GET" ? .reply(body: "still there") : .raw(NonsenseTests.nonsense(request.number))
        }
        let transport = CurlTransport.forTests(), request = try server.put()
        var answered = 0
        for _ in 1...500 {
            do throws(TransportError) {
                let answer = try await transport.send(request)
                #expect(200...999 ~= answer.status)
                #expect(answer.body.count <= 256 * 1024)
                #expect(answer.words(hiding: []).count <= 200)
                answered += 1
            } catch {
                #expect(error.mayHaveArrived)
            }
        }
        // Otherwise the random answers would have tested only one of the two results.
        #expect(20...480 ~= answered, "\(answered)")
        #expect(try await transport.send(HTTPRequest(method: "GET", url: request.url)).text == "still there")
    }
}
