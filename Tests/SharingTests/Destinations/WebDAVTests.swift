import HTTP
import StepDomain
import Synchronization
import TestSupport
import Testing

/// Folders of a WebDAV server, depending on its answers.
@Suite(.timeLimit(.minutes(5))) struct WebDAVTests {
    private func destination(_ transport: any HTTPTransport, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            "[share.cloud]\nkind = 'rest'\nurl = 'https://example.org/dav/anna/{year}/{month}/{date}.json?k=v'\n\(more)",
            transport: { transport })
    }

    private func sent(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { "\($0.method) \($0.url.path)" }
    }

    private static let day = "/dav/anna/2014/04/2014-04-20.json"

    @Test(arguments: [404, 409])
    func `missing folders are made from the outermost in, and the day is sent again`(status: Int) async throws {
        let transport = ScriptedTransport(
            .reply(status), .reply(404), .reply(404), .reply(404), .reply(207), .reply(status), .reply(status),
            .reply(201), .reply(201),
            .reply(201), .reply(201))
        let receipts = try await destination(transport).deliver([SharePayload(.easter())])
        #expect(receipts == [ShareReceipt()])
        #expect(
            sent(transport) == [
                "PUT \(Self.day)", "PROPFIND /dav/anna/2014/04/", "PROPFIND /dav/anna/2014/", "PROPFIND /dav/anna/",
                "PROPFIND /dav/",
                "MKCOL /dav/anna/2014/04/", "MKCOL /dav/anna/2014/", "MKCOL /dav/anna/",
                "MKCOL /dav/anna/2014/", "MKCOL /dav/anna/2014/04/", "PUT \(Self.day)",
            ])
        // The server may require a key in the query.
        #expect(transport.requests.allSatisfy { $0.url.query == "k=v" && $0.isRepeatable })
    }

    /// nginx answers 500 to a PUT into a missing folder, and knows PROPFIND only with a further module.
    @Test(arguments: ["", "webdav = true"], [500, 404, 409])
    func `folders are made on a server that does not know PROPFIND`(more: String, status: Int) async throws {
        let question: [Result<HTTPResponse, TransportError>] = more.isEmpty ? [.reply(405)] : []
        let transport = ScriptedTransport(
            [.reply(status)] + question + [.reply(409), .reply(405), .reply(201), .reply(201)])
        _ = try await destination(transport, more).deliver([SharePayload(.easter())])
        let asked = more.isEmpty ? ["PROPFIND /dav/anna/2014/04/"] : []
        #expect(
            sent(transport) == ["PUT \(Self.day)"] + asked + [
                "MKCOL /dav/anna/2014/04/", "MKCOL /dav/anna/2014/", "MKCOL /dav/anna/2014/04/", "PUT \(Self.day)",
            ])
    }

    /// It answers 405 to every other method, so that a folder seems to exist.
    @Test(arguments: [(500, ShareFailure.Kind.unanswered), (409, .rejected)])
    func `the failure of a server without WebDAV stays as it is`(status: Int, kind: ShareFailure.Kind) async throws {
        for (creation, count) in [(405, 4), (400, 3), (403, 3), (501, 3)] {
            let transport = ScriptedTransport(
                .reply(status, "taken"), .reply(405), .reply(creation), .reply(status, "taken"))
            let failure = try await destination(transport).failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == kind && failure?.reason == "example.org answered \(status): taken")
            #expect(transport.requests.count == count)
        }
    }

    /// A service that would have the day twice got it twice.
    @Test func `after a 500, a day is sent again only where that replaces it`() async throws {
        let transport = ScriptedTransport(.reply(500), .reply(405), .reply(405), .reply(204))
        let failure = try await destination(transport, "idempotent = false").failure(
            delivering: SharePayload(.easter()))
        #expect(failure?.kind == .unanswered && transport.requests.count == 1)
    }

    @Test func `a folder that exists already is not a failure`() async throws {
        let transport = ScriptedTransport(.reply(409), .reply(405), .reply(204))
        _ = try await destination(transport, "webdav = true").deliver([SharePayload(.easter())])
        #expect(sent(transport) == ["PUT \(Self.day)", "MKCOL /dav/anna/2014/04/", "PUT \(Self.day)"])
    }

    private func html(
        _ status: Int, _ body: String, type: String = "text/html; charset=UTF-8"
    ) -> Result<HTTPResponse, TransportError> {
        .success(HTTPResponse(status: status, headers: [("Content-Type", type)], body: Array(body.utf8)))
    }

    /// Apache describes a new file in HTML, and PHP calls every answer HTML.
    @Test(arguments: [
        (201, ""), (201, "<!DOCTYPE HTML><title>201 Created</title>"), (204, ""), (200, ""), (200, "\r\nOK"),
    ])
    func `an answer of type HTML that cannot be a sign-in page confirms a day`(status: Int, body: String) async throws {
        let receipts = try await destination(ScriptedTransport(html(status, body))).deliver([SharePayload(.easter())])
        #expect(receipts == [ShareReceipt()])
    }

    @Test(arguments: [("", 200), ("method = 'POST'", 200), ("method = 'POST'", 201)])
    func `a sign-in page confirms nothing`(more: String, status: Int) async throws {
        for (body, type) in [
            ("<html>Sign in", "text/html"), ("\u{feff}\r\n <!DOCTYPE html>", "Text/HTML ;charset=UTF-8"),
            ("<i>Sign in</i>", "text/html"),
            ("<!-- hotel\n-->\n<HTML lang=en>", "text/plain"), (" <!doctype html>", "application/octet-stream"),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html><html/>", "application/xml"),
            ("<script>location='/login'</script>", ""),
            ("<!-- only a part", ""),
        ] {
            let transport = ScriptedTransport(html(status, body, type: type))
            let failure = try await destination(transport, more).failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .unanswered)
        }
    }

    @Test(arguments: ["gzip", "br", "GZIP, deflate"]) func `a compressed answer confirms nothing`(coding: String)
        async throws
    {
        for (more, status) in [("", 200), ("method = 'POST'", 200), ("method = 'POST'", 201)] {
            let answer = HTTPResponse(
                status: status, headers: [("Content-Encoding", coding)], body: [0x1f, 0x8b, 8, 0])
            let failure = try await destination(ScriptedTransport(.success(answer)), more).failure(
                delivering: SharePayload(.easter()))
            #expect(failure?.kind == .unanswered && failure?.reason.contains("compressed") == true)
        }
        // A file that was stored, and an answer without a body.
        for (status, body) in [(201, [UInt8(0x1f)]), (200, [])] {
            let answer = HTTPResponse(status: status, headers: [("Content-Encoding", coding)], body: body)
            #expect(
                try await destination(ScriptedTransport(.success(answer))).failure(delivering: SharePayload(.easter()))
                    == nil)
        }
    }

    @Test(arguments: [
        (["Digest realm=\"dav\", nonce=\"x\""], true), (["Negotiate", "digest realm=\"dav\""], true),
        (["Digest realm=\"dav\"", "Basic realm=\"dav\""], false), (["Basic realm=\"Digest\""], false), ([], false),
        (["Digest realm=\"dav\", nonce=\"x\", Basic realm=\"dav\""], false),
        (["Negotiate, Digest realm=\"dav, Basic x\""], true),
    ]) func `a server that requires Digest authentication is reported as such`(challenges: [String], isNamed: Bool)
        async throws
    {
        let answer = HTTPResponse(status: 401, headers: challenges.map { ("WWW-Authenticate", $0) })
        let failure = try await destination(ScriptedTransport(.success(answer))).failure(
            delivering: SharePayload(.easter()))
        #expect(failure?.kind == .credentials)
        #expect(failure?.advice?.contains("Digest") == isNamed, "\(failure?.advice ?? "")")
    }

    @Test(arguments: [
        ("/login", true), ("/auth/sign_in?next=/x", true), ("https://example.org/users/SignIn", true),
        ("https://hotel.example/login", false),
        ("//hotel.example/login", false), ("/steps/2014-04-20", false), ("/logins", false),
    ]) func `a redirection to the service's sign-in page means that the credentials are refused`(
        location: String, isRefused: Bool
    ) async throws {
        for (more, status) in [("", 302), ("method = 'POST'", 302), ("method = 'POST'", 303)] {
            let answer = HTTPResponse(status: status, headers: [("Location", location)])
            let failure = try await destination(ScriptedTransport(.success(answer)), more).failure(
                delivering: SharePayload(.easter()))
            #expect((failure?.kind == .credentials) == isRefused, "\(String(describing: failure))")
        }
    }

    @Test func `no folder is created on a server without WebDAV`() async throws {
        for (more, count) in [("", 2), ("webdav = false", 1), ("method = 'POST'", 1)] {
            let transport = ScriptedTransport(.reply(409, "taken"), .reply(400))
            let failure = try await destination(transport, more).failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(failure?.reason == "example.org answered 409: taken")
            #expect((failure?.advice?.contains("webdav = true") == true) == more.isEmpty)
            #expect(transport.requests.count == count)
        }
    }

    @Test func `a day that is refused after its folder was created is rejected`() async throws {
        let transport = ScriptedTransport(.reply(409), .reply(201), .reply(409, "still no"))
        let failure = try await destination(transport, "webdav = true").failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .rejected && failure?.reason.contains("still no") == true)
    }

    @Test(arguments: [
        (401, ShareFailure.Kind.credentials), (403, .credentials), (415, .rejected), (500, .unanswered), (503, .busy),
        (507, .unanswered),
    ]) func `the error for a folder that cannot be made has its reason`(status: Int, kind: ShareFailure.Kind)
        async throws
    {
        let transport = ScriptedTransport(.reply(409), .reply(status, "no room"))
        let failure = try await destination(transport, "webdav = true").failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == kind)
        #expect(failure?.reason.contains("no room") == true)
    }

    @Test func `the creation of folders ends if the server refuses all of them`() async throws {
        let short = ScriptedTransport(.reply(409), .reply(409), .reply(409), .reply(409), .reply(409, "never"))
        let failure = try await destination(short, "webdav = true").failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .rejected && failure?.advice?.contains("make it there") == true)
        #expect(sent(short).last == "MKCOL /dav/")

        let deep = AlwaysConflict()
        let path = String(repeating: "a/", count: 100)
        let far = try Fixture.destination(
            "[share.cloud]\nkind = 'rest'\nurl = 'https://example.org/\(path){date}'\nwebdav = true",
            transport: { deep })
        #expect(await far.failure(delivering: SharePayload(.easter()))?.kind == .rejected)
    }

    /// Each of them is answered within its own limit.
    @Test func `no request for folders is sent after two minutes`() async throws {
        let server = SlowConflict()
        let path = String(repeating: "a/", count: 30)
        let destination = try Fixture.destination(
            "[share.cloud]\nkind = 'rest'\nurl = 'https://example.org/\(path){date}'\nwebdav = true",
            now: { server.time.now },
            transport: { server })
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .unreachable && failure?.reason == "example.org took more than 120 s")
        let requests = server.requests.load(ordering: .relaxed)
        #expect(requests == 4, "the day, and three requests of 50 s")
    }

    @Test func `a failed folder check is not reported as a rejection of the day`() async throws {
        let transport = ScriptedTransport(.reply(409), .failure(.unanswered(reason: "gone")))
        #expect(try await destination(transport).failure(delivering: SharePayload(.easter()))?.kind == .unanswered)
    }

    @Test(arguments: [
        (207, "answers (WebDAV)"), (404, "answers (WebDAV); its folder is created with the first day"),
    ]) func `a check asks for the folder`(status: Int, words: String) async throws {
        let transport = status == 207 ? ScriptedTransport(.reply(207)) : ScriptedTransport(.reply(404), .reply(207))
        #expect(try await destination(transport).check() == words)
        #expect(sent(transport) == ["PROPFIND /dav/anna/"] + (status == 207 ? [] : ["PROPFIND /dav/"]))
        #expect(transport.requests.last?.preview.contains("\nDepth: 0\n") == true)
    }

    @Test func `a check fails if the WebDAV server refuses it or answers wrongly`() async throws {
        for (status, kind) in [
            (401, ShareFailure.Kind.credentials), (403, .credentials), (500, .unanswered), (200, .unanswered),
        ] {
            let transport = ScriptedTransport(.reply(status))
            #expect(try await destination(transport, "webdav = true").failureOfCheck()?.kind == kind)
        }
    }

    @Test func `webdav = true is allowed with PUT only`() {
        let problems = Fixture.problems(
            "[share.a]\nkind = 'rest'\nurl = 'https://example.org'\nmethod = 'POST'\nwebdav = true")
        #expect(problems.count == 1 && problems[0].contains("left out, or false"), "\(problems)")
    }
}

/// Refuses every request, each time after 50 seconds.
private final class SlowConflict: HTTPTransport {
    let time = TestTime(Timestamp(1_398_024_000))
    let requests = Atomic(0)

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        requests.add(1, ordering: .relaxed)
        time.pass(50)
        return HTTPResponse(status: 409)
    }
}

/// Refuses every request, and fails the test if the requests do not end.
private struct AlwaysConflict: HTTPTransport {
    private final class Count: Sendable {
        let requests = Mutex(0)
    }

    private let count = Count()

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let number = count.requests.withLock { count in
            count += 1
            return count
        }
        if number > 200 {
            Issue.record("request \(number)")
            throw .notSent(reason: "enough")
        }
        return HTTPResponse(status: 409)
    }
}

/// Folders on Debian's lighttpd.
@Suite(.timeLimit(.minutes(5))) struct RealWebDAVTests {
    private func destination(_ url: String, password: String = "geheim", _ more: String = "") throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.cloud]\nkind = 'rest'\nurl = '\(url)'\nusername = 'anna'\npassword_env = 'PASSWORD'\n\(more)",
            environment: ["PASSWORD": password])
    }

    @Test(arguments: ["", "webdav = true"])
    func `days arrive in folders that did not exist before`(more: String) async throws {
        let server = try await RealWebDAV.start()
        let destination = try destination(server.url + "/health/{user}/{year}/{month}/steps-{date}.json", more)
        // Without a slash: this server treats %2F as a slash.
        let name = "Zoë & O'Neill"
        for later in [0, 1, 20] {
            for steps in [8123, 9000] {
                _ = try await destination.deliver([
                    SharePayload(.easter(of: User(id: 1, name: name), steps: steps, later: later))
                ])
            }
        }
        for (month, day) in [("04", "2014-04-20"), ("04", "2014-04-21"), ("05", "2014-05-10")] {
            let text = try await server.text("/health/Zo%C3%AB%20%26%20O%27Neill/2014/\(month)/steps-\(day).json")
            #expect(text?.contains(#""steps":9000"#) == true, "\(day)")
        }
    }

    @Test func `days sent at the same time all arrive in the folders that any of them creates`() async throws {
        let server = try await RealWebDAV.start()
        let destination = try destination(server.url + "/a/b/c/{date}")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for later in 0..<8 {
                group.addTask { _ = try await destination.deliver([SharePayload(.easter(later: later))]) }
            }
            try await group.waitForAll()
        }
        for day in 20...27 { #expect(try await server.text("/a/b/c/2014-04-\(day)") != nil) }
    }

    @Test func `with webdav = false a day without a folder is rejected`() async throws {
        let server = try await RealWebDAV.start()
        let failure = try await destination(server.url + "/a/{date}", "webdav = false").failure(
            delivering: SharePayload(.easter()))
        #expect(failure?.kind == .rejected && failure?.reason.contains("409") == true)
    }

    @Test func `a check reports the state of the server`() async throws {
        let server = try await RealWebDAV.start()
        let there = try destination(server.url + "/{date}.json")
        #expect(try await there.check() == "answers (WebDAV)")
        let missing = try destination(server.url + "/steps/{year}/{date}.json")
        #expect(try await missing.check() == "answers (WebDAV); its folder is created with the first day")
        _ = try await missing.deliver([SharePayload(.easter())])
        #expect(try await missing.check() == "answers (WebDAV)")
        let stranger = try destination(server.url + "/{date}.json", password: "wrong", "webdav = true")
        #expect(await stranger.failureOfCheck()?.kind == .credentials)
        #expect(await stranger.failure(delivering: SharePayload(.easter()))?.kind == .credentials)
    }

    @Test func `a folder that the server refuses to create is reported to the user`() async throws {
        let server = try await RealWebDAV.start()
        let failure = try await destination(server.url + "/closed/a/{date}").failure(
            delivering: SharePayload(.easter()))
        #expect([.credentials, .rejected].contains(failure?.kind), "\(String(describing: failure))")
        #expect(try await server.text("/closed/a/2014-04-20") == nil)
    }
}

/// Folders on Debian's nginx, which answers 500 to a file of a missing folder.
@Suite(.realServers, .timeLimit(.minutes(5))) struct RealNginxTests {
    private func destination(_ url: String, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            "[share.cloud]\nkind = 'rest'\nurl = '\(url)'\nusername = 'anna'\npassword_env = 'PASSWORD'\n\(more)",
            environment: ["PASSWORD": "geheim"])
    }

    @Test(arguments: ["", "webdav = true"], [false, true])
    func `days arrive in folders that did not exist before`(more: String, answersQuestions: Bool) async throws {
        let server = try await RealWebDAV.startNginx(answersQuestions: answersQuestions)
        let destination = try destination(server.url + "/health/{user}/{year}/{month}/{date}.json", more)
        for later in [0, 1, 20] {
            for steps in [8123, 9000] {
                _ = try await destination.deliver([SharePayload(.easter(steps: steps, later: later))])
            }
        }
        for (month, day) in [("04", "2014-04-20"), ("04", "2014-04-21"), ("05", "2014-05-10")] {
            #expect(
                try await server.text("/health/Anna/2014/\(month)/\(day).json")?.contains(#""steps":9000"#) == true,
                "\(day)")
        }
    }

    @Test func `days sent at the same time all arrive in the folders that any of them creates`() async throws {
        let server = try await RealWebDAV.startNginx(answersQuestions: false)
        let destination = try destination(server.url + "/a/b/c/{date}")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for later in 0..<8 {
                group.addTask { _ = try await destination.deliver([SharePayload(.easter(later: later))]) }
            }
            try await group.waitForAll()
        }
        for day in 20...27 { #expect(try await server.text("/a/b/c/2014-04-\(day)") != nil) }
    }

    @Test func `with webdav = false the failure is that of the server`() async throws {
        let server = try await RealWebDAV.startNginx(answersQuestions: false)
        let failure = try await destination(server.url + "/a/{date}", "webdav = false").failure(
            delivering: SharePayload(.easter()))
        #expect(failure?.kind == .unanswered && failure?.reason.contains("500") == true)
    }
}
