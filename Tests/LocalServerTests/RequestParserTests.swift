import PageExchange
import Testing

@testable import LocalServer

/// Requests are read strictly and within limits.
@Suite(.timeLimit(.minutes(5))) struct RequestParserTests {
    private func parse(_ text: String, _ limits: ServerLimits = ServerLimits()) -> RequestParser.Result {
        var parser = RequestParser(limits: limits)
        return parser.parse(Array(text.utf8))
    }

    private static let plain = "GET /day?x=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nCookie: a=b; c=d\r\n\r\n"
    private static let form = "POST /plan HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nConnection: close\r\n\r\nkey=1"

    @Test func `a request in the form that browsers send is parsed`() {
        let expected = ServedRequest(
            method: "GET", target: "/day?x=1", headers: ["host": "127.0.0.1:1", "cookie": "a=b; c=d"])
        #expect(parse(Self.plain) == .request(expected, keepsAlive: true, length: Self.plain.utf8.count))
    }

    @Test func `a form is parsed up to its end, before the next request`() {
        guard case .request(let request, let keepsAlive, let length) = parse(Self.form + Self.plain) else {
            return #expect(Bool(false))
        }
        #expect(request.body == Array("key=1".utf8) && !keepsAlive && length == Self.form.utf8.count)
    }

    @Test(arguments: [plain, form]) func `a request that arrives byte by byte is parsed once it is complete`(
        _ text: String
    ) {
        var parser = RequestParser(limits: ServerLimits())
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(parser.parse(Array(bytes[..<count])) == .incomplete, "\(count)") }
        guard case .request = parser.parse(bytes) else { return #expect(Bool(false)) }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400),  // without a host
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / \r\nHost: h\r\n\r\n", 400),
        ("get / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nCookie: a\r\nCookie: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\n folded: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\u{0}\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n", 413),
    ]) func `an ambiguous or invalid request is rejected`(_ text: String, _ status: Int) {
        #expect(parse(text) == .failure(status))
    }

    @Test func `a header that is too long is refused before it ends`() {
        #expect(parse("GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "x", count: 20_000)) == .failure(431))
        #expect(
            parse("GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n")
                == .failure(431))
        #expect(parse("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n") == .failure(400))
    }

    @Test func `a request of an HTTP/1.0 client ends the connection`() {
        #expect(
            parse("GET / HTTP/1.0\r\n\r\n")
                == .request(ServedRequest(method: "GET", target: "/"), keepsAlive: false, length: 18))
    }

    /// Any bytes at all: no crash, and no request that a reader could see differently.
    @Test func `random bytes are no request`() {
        var state: UInt64 = 42
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        let original = Array(Self.form.utf8)
        for _ in 0..<20_000 {
            var bytes = original
            for _ in 0...next() % 3 { bytes[next() % bytes.count] = UInt8(next() % 256) }
            var parser = RequestParser(limits: ServerLimits())
            if case .request(let request, _, let length) = parser.parse(bytes) {
                #expect(
                    length <= bytes.count && request.target.hasPrefix("/")
                        && !request.headers.keys.contains { $0.contains(" ") })
            }
        }
    }

    @Test func `a value cannot begin another header field`() {
        let response = ServedResponse(status: 200, headers: [("Location", "/a\r\nSet-Cookie: x=y"), ("X", "y")])
        let head = String(decoding: response.head(keepsAlive: true), as: UTF8.self)
        #expect(!head.contains("Set-Cookie") && head.contains("X: y\r\n") && head.hasSuffix("\r\n\r\n"))
    }
}
