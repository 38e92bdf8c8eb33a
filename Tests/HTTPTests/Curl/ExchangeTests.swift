import HTTP
import Support
import Testing
import WebTestSupport

/// What is sent and received if no error occurs.
@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    @Test func `an answer is returned with status, headers and body`() async throws {
        let server = try LoopbackServer.start { _ in
            .reply(
                status: 201, headers: [("X-One", "  first \t"), ("x-one", "second"), ("Empty", "")], body: "Grüße\0")
        }
        let answer = try await CurlTransport.forTests().send(server.put())
        #expect(answer.status == 201)
        #expect(answer.header("X-ONE") == "first")
        #expect(answer.header("Empty") == "")
        #expect(answer.header("One") == nil)
        #expect(answer.body == Array("Grüße\0".utf8))
        #expect(server.log.violations == [])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "DELETE", "PUT", "POST", "PATCH", "MKCALENDAR"], [nil, "", "{}"])
    func `every method is sent as the preview shows`(method: String, body: String?) async throws {
        if method == "HEAD", body != nil { return }
        let server = try LoopbackServer.start { _ in .reply(body: "good") }
        var request = HTTPRequest(
            method: method, url: try server.address("/a/../b%20c?x=1&y").appending(path: ["ü/ü", ".."]),
            headers: [.init("X-Empty", ""), .init("X-One", "a; b"), .init("Accept", "text/plain")],
            body: body.map { Array($0.utf8) })
        let transport = CurlTransport.forTests()
        try await expectPreview(request, transport, server)
        request.headers = []
        try await expectPreview(request, transport, server)
        #expect(server.log.violations == [])
    }

    @Test func `a form is sent as the preview shows`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let fields = [HTTPRequest.Field("steps & more", "8 123=ü"), HTTPRequest.Field("", "")]
        try await expectPreview(.form(fields, to: try server.address()), .forTests(), server)
        #expect(server.requests[0].text == "steps%20%26%20more=8%20123%3D%C3%BC&=")
    }

    private func expectPreview(_ request: HTTPRequest, _ transport: CurlTransport, _ server: LoopbackServer)
        async throws
    {
        _ = try await transport.send(request)
        let received = try #require(server.requests.last).description
        // libcurl decides the order of the headers.
        let agent: [Substring] = ["User-Agent: istep-tests/1"]
        #expect(received.split(separator: "\n").sorted() == (request.preview.split(separator: "\n") + agent).sorted())
    }

    @Test func `secrets are sent but never shown`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let secret = Secret("t0ps3cret&more")
        let request = HTTPRequest.form(
            [.init("auth_token", .secret(secret)), .init("value", "3")], to: try server.address(),
            headers: [
                .bearer(secret), .init("X-Key", .secret(prefix: "key=", secret)),
                .basic(user: "anna", password: secret),
            ])
        _ = try await CurlTransport.forTests().send(request)
        let received = server.requests[0]
        #expect(received.text == "auth_token=t0ps3cret%26more&value=3")
        #expect(
            received.headers.filter { $0.name == "Authorization" }.map(\.value) == [
                "Bearer t0ps3cret&more", "Basic YW5uYTp0MHBzM2NyZXQmbW9yZQ==",
            ])
        #expect(received.header("X-Key") == "key=t0ps3cret&more")
        #expect(
            request.preview == """
                POST / HTTP/1.1
                Host: 127.0.0.1:\(server.port)
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/x-www-form-urlencoded
                Authorization: Bearer \(secret)
                X-Key: key=\(secret)
                Authorization: Basic \(secret)
                Content-Length: \(secret)

                auth_token=\(secret)&value=3
                """)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(String(reflecting: request)) \(dumped)".contains("t0ps"))
        #expect(request.secrets == [secret, secret, secret, secret])
    }

    @Test func `a large body is sent completely`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        _ = try await CurlTransport.forTests().send(HTTPRequest(method: "POST", url: try server.address(), body: body))
        #expect(server.requests.map(\.body) == [body])
        #expect(server.requests[0].header("Expect") == nil)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "istep.localhost"])
    func `loopback is reached by each of its names`(host: String) async throws {
        let server = try LoopbackServer.start { _ in .reply(status: 204) }
        let address = try WebAddress("http://\(host):\(server.port)/")
        #expect(try await CurlTransport.forTests().send(HTTPRequest(method: "GET", url: address)).status == 204)
        #expect(server.requests[0].header("Host") == "\(host):\(server.port)")
    }

    @Test(.enabled(if: LoopbackAddress.ipv6.exists))
    func `loopback is reached by IPv6`() async throws {
        let server = try LoopbackServer.start(on: .ipv6) { _ in .reply(status: 204) }
        #expect(try await CurlTransport.forTests().send(server.put()).status == 204)
        #expect(server.requests[0].header("Host") == "[::1]:\(server.port)")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is returned and not followed`(status: Int) async throws {
        let elsewhere = try LoopbackServer.start { _ in .reply() }
        let server = try LoopbackServer.start { _ in
            .reply(status: status, headers: [("Location", elsewhere.url + "/trap")])
        }
        var request = try server.put()
        request.headers = [.bearer(Secret("token"))]
        let answer = try await CurlTransport.forTests().send(request)
        #expect(answer.status == status)
        #expect(answer.header("Location") == elsewhere.url + "/trap")
        #expect(elsewhere.log.connections == 0)
        #expect(server.requests.count == 1)
    }

    /// A server may set cookies; the client does not send them back.
    @Test func `cookies of an answer are not sent with the next request`() async throws {
        let server = try LoopbackServer.start { _ in
            .reply(
                status: 401, headers: [("Set-Cookie", "a=b"), ("WWW-Authenticate", "Basic"), ("Alt-Svc", "h2=\":1\"")])
        }
        let transport = CurlTransport.forTests()
        for _ in 1...2 { #expect(try await transport.send(server.put()).status == 401) }
        #expect(server.requests.count == 2)
        #expect(server.requests[0].headers.map(\.name) == server.requests[1].headers.map(\.name))
        #expect(server.requests[1].header("Cookie") == nil)
    }
}
