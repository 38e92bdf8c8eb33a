import Support
import Testing
import WebTestSupport

@testable import HTTP

/// Digest authentication (RFC 7616): libcurl calculates, the transport keeps the two answers apart.
@Suite(.timeLimit(.minutes(5))) struct DigestTests {
    private let gate = DigestGate(user: "anna", password: "geheim")

    private func request(
        _ server: LoopbackServer, _ method: String = "PUT", password: String = "geheim", user: String = "anna"
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: method, url: try server.address("/steps/2014-04-20?user=Zo%C3%AB"),
            headers: [.digest(user: user, password: Secret(password))], body: Array("{\"steps\":8123}".utf8))
    }

    /// Asks for credentials, and answers 201 to the right ones.
    private func server(
        _ gate: DigestGate, more: [(String, String)] = [], refusal: String = "who are you?", stored: String = "stored"
    ) throws -> LoopbackServer {
        try LoopbackServer.start { request in
            gate.admits(request, nonce: "n1")
                ? .reply(status: 201, body: stored)
                : .reply(status: 401, headers: more + [gate.challenge(nonce: "n1")], body: refusal)
        }
    }

    /// Section 3.9.1: what the tests of this suite trust.
    @Test(arguments: [
        (DigestGate.Algorithm.md5, "8ca523f5e9506fed4657c9700eebdbec"),
        (.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ]) func `the server of the tests calculates the example of the standard`(
        _ algorithm: DigestGate.Algorithm, _ response: String
    ) {
        let gate = DigestGate(
            user: "Mufasa", password: "Circle of Life", realm: "http-auth@example.org", algorithm: algorithm)
        #expect(
            gate.response(
                method: "GET", target: "/dir/index.html", nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
                count: "00000001", clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ") == response)
    }

    @Test(arguments: DigestGate.Algorithm.allCases, ["PUT", "POST", "MKCOL"])
    func `a request is sent as a whole, and again with the answer to the challenge`(
        _ algorithm: DigestGate.Algorithm, _ method: String
    ) async throws {
        let names: [(String, String)] = [("anna", "geheim"), ("An\"na \\", "ge:heim \"\\ü"), ("Zoë", "p")]
        for (user, password) in names {
            let server = try server(
                DigestGate(user: user, password: password, algorithm: algorithm), more: [("X-First", "1")])
            let answer = try await CurlTransport.forTests().send(
                request(server, method, password: password, user: user))
            #expect((answer.status, answer.text) == (201, "stored"), "\(user)")
            // Nothing of the first answer is left in it.
            #expect(answer.header("X-First") == nil && answer.header("WWW-Authenticate") == nil)
            #expect(server.requests.map(\.text) == ["{\"steps\":8123}", "{\"steps\":8123}"])
            #expect(server.requests[0].header("Authorization") == nil)
            #expect(server.log.violations == [])
        }
    }

    @Test func `a server that asks for nothing gets the request once`() async throws {
        for status in [200, 204, 302, 404, 409, 500] {
            let server = try LoopbackServer.start { _ in .reply(status: status) }
            #expect(try await CurlTransport.forTests().send(request(server, "POST")).status == status)
            #expect(server.requests.map(\.text) == ["{\"steps\":8123}"])
        }
    }

    /// The server has asked for credentials, and done nothing.
    @Test func `a challenge that does not end leaves no doubt whether the request arrived`() async throws {
        let challenges = [2_000, 100_000].map { length in
            Answer.reply(
                status: 401, headers: [gate.challenge(nonce: "n1")], body: String(repeating: "x", count: length))
        }
        let stalling = try LoopbackServer.start { _ in .stallInTheMiddle(of: challenges[0]) }
        let silent = await failure(
            CurlTransport.forTests(silence: .milliseconds(150)), try request(stalling, "POST"))
        #expect(silent == .notSent(reason: "\(stalling.url) was silent for 150 ms"))
        let dripping = try LoopbackServer.start { _ in .drip(challenges[1], every: .milliseconds(1)) }
        let slow = await failure(CurlTransport.forTests(whole: .seconds(3)), try request(dripping, "POST"))
        #expect(slow == .notSent(reason: "no whole answer from \(dripping.url) within 3 s"))
    }

    @Test func `a wrong password gets the second answer, and no third request`() async throws {
        for method in ["PUT", "POST"] {
            let server = try server(gate)
            let answer = try await CurlTransport.forTests().send(request(server, method, password: "wrong"))
            #expect((answer.status, answer.text) == (401, "who are you?"))
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a stale nonce is replaced by the new one`() async throws {
        for method in ["PUT", "POST"] {
            let server = try LoopbackServer.start { [gate] request in
                if gate.admits(request, nonce: "new") { return .reply(body: "stored") }
                let isStale = gate.admits(request, nonce: "old")
                return .reply(
                    status: 401, headers: [gate.challenge(nonce: isStale ? "new" : "old", isStale: isStale)])
            }
            #expect(try await CurlTransport.forTests().send(request(server, method)).text == "stored")
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a server that calls every nonce stale is given up`() async throws {
        let server = try LoopbackServer.start { [gate] request in
            .reply(status: 401, headers: [gate.challenge(nonce: "n\(request.number)", isStale: true)])
        }
        #expect(try await CurlTransport.forTests().send(request(server)).status == 401)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [
        ["Basic realm=\"steps\""], ["Bearer", "Basic realm=\"Digest\""], ["Negotiate"], [],
    ]) func `the password does not go to a server without Digest`(_ challenges: [String]) async throws {
        let server = try LoopbackServer.start { _ in
            .reply(status: 401, headers: challenges.map { ("WWW-Authenticate", $0) }, body: "no")
        }
        let answer = try await CurlTransport.forTests().send(request(server))
        #expect((answer.status, answer.text) == (401, "no"))
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
    }

    @Test func `of Basic and Digest, only Digest is used`() async throws {
        let server = try server(gate, more: [("WWW-Authenticate", "Basic realm=\"steps\"")])
        #expect(try await CurlTransport.forTests().send(request(server)).status == 201)
        #expect(server.requests.last?.header("Authorization")?.hasPrefix("Digest ") == true)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        "Digest", "Digest nonce", "Digest realm=\"x\"", "Digest nonce=\"a\", realm=\"x\", algorithm=SHA-1",
        "Digest nonce=\"\(String(repeating: "n", count: 20_000))\", realm=\"x\"", "Digest nonce=\"a, realm=\"",
        "Digest realm=\"a\\\"\r\n\tb\", nonce=\"\\\\\"", "Digest nonce=\"a\", realm=\"x\", qop=\"auth-int\"",
    ]) func `a challenge that makes no sense ends with the server's answer`(_ challenge: String) async throws {
        let server = try LoopbackServer.start { _ in .reply(status: 401, headers: [("WWW-Authenticate", challenge)]) }
        #expect(try await CurlTransport.forTests().send(request(server)).status == 401)
        #expect(server.requests.count <= 2)
        #expect(server.log.violations == [])
    }

    @Test func `limits of size hold for each answer`() async throws {
        let many = String(repeating: "x", count: 3000)
        let server = try server(gate, more: [("X-Filler", many)], refusal: many, stored: many)
        let transport = CurlTransport.forTests(body: 4096, head: 4096)
        #expect(try await transport.send(request(server)).text == many)
        let error = try #require(
            await failure(CurlTransport.forTests(body: 4096, head: 2048), request(server)))
        #expect("\(error)".contains("headers of more than 2 KiB"))
    }

    @Test(arguments: [1, 2]) func `a request that must not repeat is not sent again without an answer`(number: Int)
        async throws
    {
        let server = try LoopbackServer.start { [gate] request in
            request.number == number
                ? .closeWithoutAnswer : .reply(status: 401, headers: [gate.challenge(nonce: "n1")])
        }
        let error = try #require(await failure(CurlTransport.forTests(), request(server, "POST")))
        #expect(error.mayHaveArrived)
        #expect(server.requests.count == number)
    }

    /// The server has only asked: the day is not among those that may have arrived.
    @Test func `what fails after a challenge, before it is sent again, has not arrived`() throws {
        let address = try WebAddress("https://a.example")
        let requests = [
            HTTPRequest(method: "POST", url: address, headers: [.digest(user: "anna", password: Secret("p"))]),
            HTTPRequest(method: "POST", url: address, headers: [.basic(user: "anna", password: Secret("p"))]),
        ]
        for (request, mayHaveArrived) in zip(requests, [false, true]) {
            let transfer = Transfer(request, HTTPLimits())
            #expect(transfer.shouldSend())
            for line in ["HTTP/1.1 401 Unauthorized\r\n", "\r\n"] {
                #expect(Array(line.utf8).withUnsafeBytes { transfer.take(line: $0) })
            }
            #expect(transfer.mayHaveArrived == mayHaveArrived)
            #expect(transfer.shouldSend() == !mayHaveArrived)
            #expect(transfer.mayHaveArrived)
        }
    }

    @Test func `the password is shown nowhere`() async throws {
        let server = try server(gate)
        let request = try request(server)
        _ = try await CurlTransport.forTests().send(request)
        #expect(request.preview.contains("\nAuthorization: Digest \(Secret.bullets)\n"))
        #expect(request.secrets == [Secret("geheim")])
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(dumped) \(server.requests.map(\.description))".contains("geheim"))
    }

    @Test func `a user with a colon is refused before anything is sent`() async throws {
        let server = try server(gate)
        let error = try #require(await failure(CurlTransport.forTests(), request(server, user: "an:na")))
        #expect(!error.mayHaveArrived && "\(error)".contains("colon"))
        #expect(server.requests.isEmpty)
    }
}
