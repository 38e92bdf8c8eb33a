import HTTP
import StepDomain
import Synchronization
import TestSupport
import Testing
import WebTestSupport

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct MastodonTests {
    private func destination(_ url: String, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            "[share.garden]\nkind = 'mastodon'\nurl = '\(url)'\ntoken_env = '\(TestSecret.variable)'\n\(more)")
    }

    private func withServer(
        _ more: String = "", answers: @escaping @Sendable (ReceivedRequest) -> Answer,
        _ body: (any ShareDestination, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer.start(answers)
        defer { server.stop() }
        try await body(try destination(server.url, more), server)
    }

    /// Pixelfed: a server of pictures, and one that sends a stranger to its sign-in page.
    @Test(arguments: [
        (
            #"{"message":"The media ids field is required.","errors":{"media_ids":["The media ids field is required."]}}"#,
            "", true
        ),
        (#"{"error":"Validation failed: Text can't be blank"}"#, "", false),
    ]) func `a server that requires a picture is named as such`(body: String, more: String, isNamed: Bool) async throws
    {
        try await withServer(more) { _ in
            .json(body, status: 422)
        } _: { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect((failure?.advice?.contains("picture = true") == true) == isNamed, "\(String(describing: failure))")
        }
    }

    @Test func `a server that answers with its sign-in page does not accept the token`() async throws {
        try await withServer { _ in
            .reply(status: 302, headers: [("Location", "/login")])
        } _: { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .credentials && failure?.advice?.contains("write:statuses") == true)
            #expect(await destination.failureOfCheck()?.kind == .credentials)
        }
    }

    @Test func `a post is a form with an idempotency key`() throws {
        let payload = SharePayload(day: .easter(kilocalories: nil), key: "0123456789abcdef0123456789abcdef")
        #expect(
            try destination("https://example.social").preview([payload]) == """
                POST /api/v1/statuses HTTP/1.1
                Host: example.social
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/x-www-form-urlencoded
                Authorization: Bearer •••••
                Idempotency-Key: 0123456789abcdef0123456789abcdef
                Content-Length: 140

                status=Sunday%202014-04-20%3A%208%2C123%20steps%0A81%25%20of%20the%20goal%20of%2010%2C000%20%C2%B7%205.4%20km&visibility=private&language=en
                """)
    }

    @Test func `a correction edits the existing post`() throws {
        let payload = SharePayload(day: .easter(), key: "k", remoteID: "1087", isConfirmed: true)
        #expect(
            try destination("https://example.social/sub", "text = '{steps}'").preview([payload]) == """
                PUT /sub/api/v1/statuses/1087 HTTP/1.1
                Host: example.social
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/x-www-form-urlencoded
                Authorization: Bearer •••••
                Content-Length: 14

                status=8%2C123
                """)
    }

    /// If a kept connection turns out to be closed, the request is sent again, possibly while the server still
    /// processes the first one.
    @Test func `each post uses a separate connection`() async throws {
        try await withServer(answers: { _ in .json(#"{"id":"7","content":""}"#) }) { destination, server in
            for _ in 0..<2 { _ = try await destination.deliver([SharePayload(.easter())]) }
            #expect(server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func `the traits assume a server that ignores idempotency keys`() throws {
        #expect(
            try destination("https://example.social").traits
                == ShareTraits(
                    resending: .repeats, corrects: true, canFind: true, acceptsUnfinishedDays: false, isPersonal: true))
        let other = try destination("https://example.social", "edit = false\ntext = '{steps} steps'")
        #expect(!other.traits.corrects && !other.traits.canFind)
        #expect(other.problems().count == 1 && other.problems()[0].contains("{date}"))
    }

    @Test func `a day is rejected locally if all figures in the text are unknown`() async throws {
        let destination = try destination("https://127.0.0.1:1", "text = '{distance}'")
        let failure = await destination.failure(delivering: SharePayload(.easter(metres: nil)))
        #expect(failure?.kind == .rejected)
        #expect(failure?.reason == "all figures in `text` are unknown for 2014-04-20")
    }

    @Test func `status 404 means a wrong address for a new post, and a deleted post for an edit`() async throws {
        try await withServer(answers: { _ in .json(#"{"error":"Record not found"}"#, status: 404) }) { destination, _ in
            let post = await destination.failure(delivering: SharePayload(.easter()))
            #expect(post?.kind == .misconfigured && post?.advice?.contains("`url`") == true)
            let edit = await destination.failure(
                delivering: SharePayload(day: .easter(), key: "k", remoteID: "7", isConfirmed: true))
            #expect(edit?.kind == .rejected && edit?.advice?.contains("deleted") == true)
        }
    }

    @Test func `the rate limit header sets the delay until the next attempt`() async throws {
        let headers = [("Date", "Sat, 21 Nov 2026 14:00:00 GMT"), ("X-RateLimit-Reset", "2026-11-21T14:05:00.123456Z")]
        try await withServer(answers: { _ in .json("{}", status: 429, headers: headers) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .busy)
            #expect(failure?.retryAfter == 300)
        }
    }

    @Test(
        arguments: [
            ("2026-11-21T14:05:00Z", 1_795_269_900), ("2026-11-21T14:05:00.999Z", 1_795_269_900),
            ("2026-11-21T15:05:00+01:00", 1_795_269_900),
            ("2026-11-21T08:35:00.1-05:30", 1_795_269_900), ("1970-01-01T00:00:00Z", 0), ("2026-11-21T14:05:00", nil),
            ("2026-02-30T14:05:00Z", nil),
            ("2026-11-21T24:05:00Z", nil), ("2026-11-21", nil), ("", nil), ("now", nil), ("2026-11-21T14:05:00.Z", nil),
        ] as [(String, Int?)])
    func `valid time stamps of servers are parsed and others are rejected`(text: String, seconds: Int?) {
        #expect(RateLimit.moment(text) == seconds)
    }

    @Test(arguments: [
        #"{"content":"<p>x</p>"}"#, #"{"id":"","content":""}"#, #"{"id":7,"content":""}"#, #"{"id":"7"}"#,
        #"{"id":"../7","content":""}"#,
        #"[{"id":"7","content":""}]"#,
    ])
    func `an answer that is not a post confirms nothing`(body: String) async throws {
        try await withServer(answers: { _ in .json(body) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .unanswered)
        }
    }

    // MARK: Finding

    private static func post(
        _ id: Int, _ content: String, at moment: String = "2014-04-21T08:00:00.000Z", visibility: String = "private"
    ) -> String {
        #"{"id":"\#(id)","created_at":"\#(moment)","content":"\#(content)","visibility":"\#(visibility)"}"#
    }

    /// A server with pages of posts, newest first.
    private func withPosts(
        _ pages: [String]..., more: String = "", find body: (any ShareDestination, LoopbackServer) async throws -> Void
    ) async throws {
        try await withServer(
            more,
            answers: { request in
                if request.path == "/api/v1/accounts/verify_credentials" { return .json(#"{"id":"7","acct":"anna"}"#) }
                let page = request.query?.split(separator: "max_id=").dropFirst().first.flatMap { Int($0) } ?? 0
                return .json("[" + (page < pages.count ? pages[page] : []).joined(separator: ",") + "]")
            }, body)
    }

    @Test func `a post is found on a later page`() async throws {
        let own = "<p>Sunday 2014-04-20: 8,000 steps<br>80% of the goal of 10,000 · 5.4&nbsp;km</p>"
        try await withPosts([Self.post(9, "x"), Self.post(1, "y")], [Self.post(8, own), Self.post(2, "z")]) {
            destination, server in
            let finding = try await destination.find(SharePayload(.easter()))
            #expect(finding == .arrived(ShareReceipt(remoteID: "8")))
            #expect(
                server.requests.map(\.target) == [
                    "/api/v1/accounts/verify_credentials", "/api/v1/accounts/7/statuses?limit=20&exclude_reblogs=true",
                    "/api/v1/accounts/7/statuses?limit=20&exclude_reblogs=true&max_id=1",
                ])
        }
    }

    @Test func `the search ends at posts older than the day`() async throws {
        try await withPosts(
            [Self.post(9, "x"), Self.post(1, "y", at: "2014-04-18T23:59:59.000Z")], [Self.post(8, "z")]
        ) { destination, server in
            let finding = try await destination.find(SharePayload(.easter()))
            #expect(finding == .absent)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `an old post that is pinned on top does not end the search`() async throws {
        let own = "<p>Sunday 2014-04-20: 8,123 steps<br>81% of the goal of 10,000</p>"
        let pinned = Self.post(2, "my rules", at: "2013-01-01T00:00:00.000Z")
        try await withPosts([pinned, Self.post(9, "x"), Self.post(1, "y")], [Self.post(8, own)]) { destination, _ in
            let finding = try await destination.find(SharePayload(.easter()))
            #expect(finding == .arrived(ShareReceipt(remoteID: "8")))
        }
    }

    /// Pixelfed leaves direct posts out of its list.
    @Test(arguments: [("public", ShareFinding.unclear), ("direct", .absent)])
    func `a direct post is absent only from a list that shows direct posts`(visibility: String, finding: ShareFinding)
        async throws
    {
        try await withPosts([Self.post(9, "x", visibility: visibility)], more: "visibility = 'direct'") {
            destination, _ in
            let found = try await destination.find(SharePayload(.easter()))
            #expect(found == finding)
        }
    }

    @Test func `a search without an end stops with an unclear result`() async throws {
        try await withPosts([Self.post(0, "x")]) { destination, server in
            let finding = try await destination.find(SharePayload(.easter()))
            #expect(finding == .unclear)
            #expect(server.requests.count == 41)
        }
    }

    /// Each page comes within the limits of one request.
    @Test func `no page of posts is requested after two minutes`() async throws {
        let time = TestTime(Timestamp(1_398_024_000))
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'mastodon'\nurl = 'https://example.social'\ntoken_env = '\(TestSecret.variable)'",
            now: { time.now },
            transport: { SlowPosts(time: time) })
        // As without an end: the user decides, and the other days are not held up.
        let finding = try await destination.find(SharePayload(.easter()))
        #expect(finding == .unclear)
        #expect(time.now >= Timestamp(1_398_024_000) + 120 && time.now < Timestamp(1_398_024_000) + 240)
    }

    @Test func `another post with the date makes the result unclear`() async throws {
        try await withPosts([Self.post(9, "<p>@<span>bert</span> 2014-04-<b>20</b>: 8,123</p>")]) { destination, _ in
            let finding = try await destination.find(SharePayload(.easter()))
            #expect(finding == .unclear)
        }
    }

    @Test func `an edit is repeated without a search`() async throws {
        try await withPosts { destination, server in
            let finding = try await destination.find(
                SharePayload(day: .easter(), key: "k", remoteID: "7", isConfirmed: true))
            #expect(finding == .absent)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["{}", "null", #"[{"id":"1"}]"#, #"[{"id":"../x","content":""}]"#, "<html>"])
    func `a search fails if the answer is not a list of posts`(body: String) async throws {
        try await withServer(answers: {
            $0.path.hasSuffix("verify_credentials") ? .json(#"{"id":"7","acct":"anna"}"#) : .json(body)
        }) { destination, _ in
            #expect(await destination.failureToFind(SharePayload(.easter()))?.kind == .unanswered)
        }
    }

    // MARK: Checking

    @Test func `the account name is shown with escaped control characters`() async throws {
        let acct = #"a\u001b[31m\u202e"#
        try await withServer(answers: {
            $0.path.hasSuffix("instance") ? .reply(status: 404) : .json(#"{"id":"7","acct":"\#(acct)"}"#)
        }) { destination, _ in
            let words = try await destination.check()
            #expect(words == #"account "@a\u{1b}[31m\u{202e}@127.0.0.1""#)
        }
    }

    @Test func `a check reports a text that can exceed the limit`() async throws {
        try await withServer(answers: {
            .json(
                $0.path.hasSuffix("instance")
                    ? #"{"configuration":{"statuses":{"max_characters":50}}}"# : #"{"id":"7","acct":"anna"}"#)
        }) { destination, _ in
            let failure = await destination.failureOfCheck()
            #expect(failure?.kind == .misconfigured)
            #expect(failure?.reason.hasPrefix("127.0.0.1 takes posts of 50 characters") == true)
        }
    }
}

/// An account with posts without end. Each answer takes 50 seconds.
private struct SlowPosts: HTTPTransport {
    let time: TestTime

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        time.pass(50)
        let isAccount = request.url.path.hasSuffix("verify_credentials")
        let body = isAccount ? #"{"id":"7","acct":"anna"}"# : #"[{"id":"9","content":"x"}]"#
        return HTTPResponse(status: 200, body: Array(body.utf8))
    }
}
