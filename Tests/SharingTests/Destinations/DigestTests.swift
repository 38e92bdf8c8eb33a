import HTTP
import StepDomain
import Testing
import WebTestSupport

/// Destinations with `auth = "digest"`.
@Suite(.timeLimit(.minutes(5))) struct DigestTests {
    private static let login = "auth = 'digest'\nusername = 'anna'\npassword_env = 'SECRET'"

    private func table(_ kind: String, _ url: String, _ more: String = "") -> String {
        "[share.garden]\nkind = '\(kind)'\nurl = '\(url)'\n\(more)\n\(Self.login)"
    }

    private func destination(_ url: String, _ more: String = "", password: String = "geheim") throws
        -> any ShareDestination
    {
        try Fixture.destination(table("rest", url, more), environment: ["SECRET": password])
    }

    private static let kinds = [
        ("rest", ""), ("rest", "method = 'POST'"), ("rest", "webdav = true"), ("soap", "namespace = 'urn:x'"),
        ("fhir", "subject = 'Patient/1'\nusers = ['Anna']"), ("influx", "database = 'health'"),
    ]

    @Test(arguments: kinds) func `every kind that takes a user and a password can use it`(
        _ kind: String, _ more: String
    )
        async throws
    {
        let transport = ScriptedTransport(.reply(401), .reply(401), .reply(401))
        let destination = try Fixture.destination(
            table(kind, "https://example.org/a", more), environment: ["SECRET": "geheim"], transport: { transport })
        #expect(try destination.preview([SharePayload(.easter())]).contains("Authorization: Digest •••••"))
        #expect(await destination.failure(delivering: SharePayload(.easter()))?.kind == .credentials)
        #expect(await destination.failureOfCheck()?.kind == .credentials)
        #expect(transport.requests.count >= 2)
        for request in transport.requests {
            #expect(request.usesDigest && request.headers.filter { $0.name == "Authorization" }.count == 1)
        }
    }

    @Test(arguments: [
        ("auth = 'digest'\nusername = 'anna'", "password_file"), ("auth = 'digest'\npassword_file = '/p'", "username"),
        ("auth = 'digest'\nusername = 'a:b'\npassword_file = '/p'", "without a colon"),
        ("auth = 'digest'\nusername = 'a'\npassword_file = '/p'\nheader_name = 'X'", "left out if `auth` is digest"),
        ("auth = 'Digest'\nusername = 'a'\npassword_file = '/p'", "digest"),
    ]) func `an invalid table is rejected with the reason`(_ keys: String, _ words: String) {
        let problems = Fixture.problems("[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\n\(keys)")
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }

    @Test(arguments: ["", "method = 'POST'"]) func `a day and a check are accepted`(_ more: String) async throws {
        let gate = DigestGate(user: "anna", password: "geheim")
        let server = try LoopbackServer.start { request in
            gate.admits(request, nonce: "n1")
                ? .reply(status: 204) : .reply(status: 401, headers: [gate.challenge(nonce: "n1")])
        }
        let destination = try destination(server.url, more)
        #expect(try await destination.deliver([SharePayload(.easter())]) == [ShareReceipt()])
        #expect(try await destination.check().hasPrefix("answers"))
        let refused = try self.destination(server.url, more, password: "wrong")
        let basic = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\n\(more)\nusername = 'a'\npassword_env = 'SECRET'",
            environment: ["SECRET": "p"],
            transport: {
                ScriptedTransport(
                    .success(HTTPResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])))
            })
        let failure = await refused.failure(delivering: SharePayload(.easter()))
        let expected = await basic.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .credentials && failure?.advice == expected?.advice)
        #expect(await refused.failureOfCheck()?.kind == .credentials)
    }

    @Test(arguments: [1, 2]) func `a day whose answer is lost may have arrived`(number: Int) async throws {
        let gate = DigestGate(user: "anna", password: "geheim")
        let server = try LoopbackServer.start { request in
            request.number == number
                ? .closeWithoutAnswer : .reply(status: 401, headers: [gate.challenge(nonce: "n1")])
        }
        let destination = try destination(server.url, "method = 'POST'")
        #expect(await destination.failure(delivering: SharePayload(.easter()))?.kind == .unanswered)
        #expect(server.requests.count == number)
    }

    @Test(arguments: [
        (["Basic realm=\"x\""], "auth = \"basic\""), (["Bearer"], "another kind"),
        (["Negotiate, Basic realm=\"a, Digest b\""], "auth = \"basic\""),
        (["Basic realm=\"x\", Digest realm=\"y\", nonce=\"z\""], "Renew"), ([], "Renew"),
        (["Digest realm=\"y\", nonce=\"z\", algorithm=SHA-512-256, qop=\"auth\""], "does not have"),
        (["Digest realm=\"y\", nonce=\"z\", qop=\"auth-int\""], "does not have"),
        (["Negotiate, Digest realm=\"y\", nonce=\"z\", qop=auth-int"], "does not have"),
        (["Basic realm=\"sha-512 \\\" , Digest algorithm=SHA-512\", Digest realm=\"y\", nonce=\"z\""], "Renew"),
        (["Digest realm=\"y\", nonce=\"z\", algorithm=SHA-256, qop=\"auth, auth-int\""], "Renew"),
    ]) func `a server without Digest is named with what to set`(_ challenges: [String], _ words: String) async throws {
        let answer = HTTPResponse(status: 401, headers: challenges.map { ("WWW-Authenticate", $0) })
        let destination = try Fixture.destination(
            table("rest", "https://example.org"), environment: ["SECRET": "geheim"],
            transport: { ScriptedTransport(.success(answer)) })
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .credentials)
        #expect(failure?.advice?.contains(words) == true, "\(failure?.advice ?? "")")
    }
}

/// Digest by Debian's lighttpd.
@Suite(.timeLimit(.minutes(5))) struct RealDigestTests {
    @Test(arguments: DigestGate.Algorithm.allCases)
    func `days arrive in folders of a WebDAV server that requires Digest`(_ algorithm: DigestGate.Algorithm)
        async throws
    {
        let server = try await RealWebDAV.start(digest: algorithm.rawValue)
        func destination(_ login: String, password: String = "geheim") throws -> any ShareDestination {
            try Fixture.destination(
                "[share.cloud]\nkind = 'rest'\nurl = '\(server.url)/{user}/{year}/{date}.json'\nusername = 'anna'\n\(login)",
                environment: ["PASSWORD": password])
        }
        let digest = try destination("auth = 'digest'\npassword_env = 'PASSWORD'")
        for (later, steps) in [(0, 8123), (0, 9000), (1, 9000)] {
            _ = try await digest.deliver([SharePayload(.easter(steps: steps, later: later))])
        }
        for day in ["2014-04-20", "2014-04-21"] {
            #expect(try await server.text("/Anna/2014/\(day).json")?.contains(#""steps":9000"#) == true)
        }
        #expect(try await digest.check() == "answers (WebDAV)")
        let stranger = try destination("auth = 'digest'\npassword_env = 'PASSWORD'", password: "wrong")
        #expect(await stranger.failure(delivering: SharePayload(.easter()))?.kind == .credentials)
        let basic = try await destination("password_env = 'PASSWORD'").failure(delivering: SharePayload(.easter()))
        #expect(basic?.kind == .credentials && basic?.advice?.contains("auth = \"digest\"") == true)
    }
}
