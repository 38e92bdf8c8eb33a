import Foundation
import HTTP
import StepDomain
import Support
import Synchronization
import TestSupport
import Testing

/// Posts on mastodon-mock, which has Mastodon's interface: one server, and a separate account for each test.
@Suite(.realServers, .serialized, .timeLimit(.minutes(5)))
struct RealMastodonTests {
    private struct Status: Decodable {
        var id: String
        var content: String
        var visibility: String
        var language: String?
    }

    private static let tokens = (0..<64).map { "\(TestSecret.text)\($0)" }
    /// Shared by all tests, because it takes seconds to start. It ends with this process.
    private static let server = Task {
        try await PythonServer.start("mastodon_server", by: PythonServer.withMastodon, tokens)
    }
    private static let next = Mutex(0)

    private let token: String
    private let headers: [HTTPRequest.Header]

    init() {
        let number = Self.next.withLock { next in
            next += 1
            return next - 1
        }
        token = Self.tokens[number % Self.tokens.count]
        headers = [.bearer(Secret(token))]
    }

    private func withServer(_ more: String = "", _ body: (any ShareDestination, String) async throws -> Void)
        async throws
    {
        let url = try await Self.server.value.url
        try await body(try destination(url, more), url)
    }

    private func destination(_ url: String, _ more: String = "", token: String? = nil) throws -> any ShareDestination {
        try Fixture.destination(
            "[share.garden]\nkind = 'mastodon'\nurl = '\(url)'\ntoken_env = 'TOKEN'\n\(more)",
            environment: ["TOKEN": token ?? self.token])
    }

    private func read<Value: Decodable>(_ url: String, as type: Value.Type) async throws -> Value {
        let response = try await PythonServer.ask("GET", url, headers: headers)
        return try JSONDecoder().decode(type, from: Data(response.body))
    }

    private func posts(_ url: String) async throws -> [Status] {
        struct Account: Decodable { var id: String }
        let account = try await read(url + "/api/v1/accounts/verify_credentials", as: Account.self)
        return try await read(url + "/api/v1/accounts/\(account.id)/statuses?limit=40", as: [Status].self)
    }

    private func write(_ text: String, _ url: String, visibility: String = "public") async throws {
        let statuses = try WebAddress(url + "/api/v1/statuses")
        let form = HTTPRequest.form(
            [.init("status", text), .init("visibility", visibility)], to: statuses, headers: headers)
        #expect(try await CurlTransport(userAgent: "istep/test").send(form).status == 200)
    }

    @Test func `a post contains the figures of the day`() async throws {
        try await withServer { destination, url in
            let receipts = try await destination.deliver([SharePayload(.easter())])
            let posts = try await posts(url)
            #expect(posts.count == 1)
            #expect(receipts.map(\.remoteID) == posts.map(\.id))
            #expect(posts.first?.visibility == "private")
            #expect(posts.first?.language == "en")
            #expect(
                posts.first?.content
                    == "<p>Sunday 2014-04-20: 8,123 steps<br />81% of the goal of 10,000 · 5.4 km · 232 kcal</p>")
        }
    }

    @Test func `a repeated attempt creates no second post`() async throws {
        try await withServer("visibility = 'direct'\ntext = 'On {date} & then <{steps}>'") { destination, url in
            let first = try await destination.deliver([SharePayload(.easter())])
            let second = try await destination.deliver([SharePayload(.easter())])
            #expect(first == second)
            let posts = try await posts(url)
            #expect(posts.map(\.content) == ["<p>On 2014-04-20 &amp; then &lt;8,123&gt;</p>"])
            #expect(posts.first?.visibility == "direct")
        }
    }

    @Test func `corrected figures edit the post`() async throws {
        try await withServer { destination, url in
            let receipts = try await destination.deliver([SharePayload(.easter())])
            let later = SharedDay.easter(steps: 9000)
            let again = try await destination.deliver([SharePayload(later).corrected(to: later, receipts.first)])
            #expect(receipts == again)
            let posts = try await posts(url)
            #expect(posts.count == 1)
            #expect(posts.first?.content.hasPrefix("<p>Sunday 2014-04-20: 9,000 steps<br />") == true)
        }
    }

    @Test func `a post is found again among many posts`() async throws {
        try await withServer { destination, url in
            let receipts = try await destination.deliver([SharePayload(.easter())])
            for number in 0..<45 { try await write("Post \(number)", url) }
            // Found by the part that all texts of the day have in common, even if the figures have changed.
            let finding = try await destination.find(SharePayload(.easter(steps: 9000, goal: nil)))
            #expect(finding == .arrived(ShareReceipt(remoteID: receipts[0].remoteID)))
            #expect(try await destination.find(SharePayload(.easter(later: 1))) == .absent)
        }
    }

    @Test func `another post of the same date makes the result unclear`() async throws {
        try await withServer { destination, url in
            try await write("Happy Easter, 2014-04-20!", url)
            #expect(try await destination.find(SharePayload(.easter())) == .unclear)
        }
    }

    @Test func `a rate limit is reported with the time to wait`() async throws {
        try await withServer { destination, url in
            let fault =
                #"{"match":{"methods":["POST"],"path":"/api/v1/statuses"},"effect":{"type":"ratelimit"},"count":1}"#
            let made = try await PythonServer.ask(
                "POST", url + "/api/v1/_mock/faults", headers: headers + [.init("Content-Type", "application/json")],
                body: fault)
            #expect(made.status == 200, "\(made.text)")
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .busy)
            #expect((1...3600).contains(failure?.retryAfter ?? 0))
            #expect(try await posts(url).isEmpty)
            _ = try await destination.deliver([SharePayload(.easter())])
        }
    }

    @Test func `an error of the server is reported with its message`() async throws {
        try await withServer { _, url in
            let long = try destination(url, "text = '''{date} {steps}\(String(repeating: " and so on", count: 60))'''")
            let refused = await long.failure(delivering: SharePayload(.easter()))
            #expect(refused?.kind == .rejected)
            #expect(refused?.reason.contains("maximum is 500 characters") == true)
            let tooLong = await long.failureOfCheck()
            #expect(tooLong?.kind == .misconfigured)

            let stranger = try destination(url, token: "nonsense")
            let unknown = await stranger.failure(delivering: SharePayload(.easter()))
            #expect(unknown?.kind == .credentials)

            let payload = SharePayload(day: .easter(), key: "k", remoteID: "12345", isConfirmed: true)
            let gone = try await destination(url).failure(delivering: payload)
            #expect(gone?.kind == .rejected)
            #expect(gone?.advice?.contains("deleted") == true)
        }
    }

    @Test func `a check reports the name of the account`() async throws {
        try await withServer { destination, _ in
            let words = try await destination.check()
            #expect(words.wholeMatch(of: /account @walker[0-9]+@127\.0\.0\.1, posts of up to 500 characters/) != nil)
        }
    }
}
