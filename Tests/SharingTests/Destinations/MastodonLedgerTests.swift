import StepDomain
import StepServices
import TestSupport
import Testing
import WebTestSupport

/// A post and the ledger: whatever happens to an answer, a day is posted once.
@Suite(.timeLimit(.minutes(5))) struct MastodonLedgerTests {
    private let history = InMemoryHistory()
    private let server = PostServer()
    private let clock = TestTime(LocalTime.berlin.at("2014-04-22", 3))
    private let easter = SharedDay.easter().day

    private func withAccount(
        _ more: String = "", _ body: (WebVenue, () async throws -> ShareReport?) async throws -> Void
    ) async throws {
        let venue = try WebVenue(server) { url in
            "url = '\(url)'\ntoken_env = '\(TestSecret.variable)'\nsince = 2014-04-01"
        }
        defer { venue.close() }
        let destination = try Fixture.destination("[share.garden]\nkind = 'mastodon'\n\(venue.keys)\n\(more)")
        let clock = clock
        let service = Outbox(history: history, ledger: history, localTime: .berlin, now: { clock.now })
        history.setCorrection(8123, of: history.addUser(named: "Anna").id, on: easter, at: clock.now)
        try await body(venue) {
            try await service.share(.due, to: [destination], users: history.users()).first
        }
    }

    private func correct(_ steps: Int) {
        history.setCorrection(StepCorrection(steps: steps), of: history.users()[0].id, on: easter, at: clock.now)
    }

    private func posts(_ venue: WebVenue) -> Int { venue.server.requests.count { $0.method == "POST" } }

    @Test(arguments: [60, 1500, 7200])
    func `after a lost answer the post is found, and no second one is made`(seconds: Int) async throws {
        server.ignoreKeys()
        try await withAccount { venue, share in
            server.loseAnswers(true)
            let lost = try await share()
            #expect(lost?.failure?.kind == .unanswered)
            server.loseAnswers(false)
            clock.pass(seconds)
            let report = try await share()
            #expect(report?.failure == nil)
            #expect(report?.events.map(\.outcome) == [.unchanged])
            #expect(posts(venue) == 1)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    @Test func `a post that appears late is not made twice`() async throws {
        server.ignoreKeys()
        try await withAccount { venue, share in
            server.slowDown()
            _ = try await share()
            clock.pass(60)
            let early = try await share()
            #expect(early?.failure?.kind == .busy)
            #expect(early?.failure?.reason.contains("2014-04-20 is not there yet") == true)
            server.publish()
            clock.pass(120)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.unchanged])
            #expect(posts(venue) == 1)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    /// As Varnish, Fastly and Heroku answer when the server behind them takes too long.
    @Test func `a post that a proxy answers with 503 is searched before it is sent again`() async throws {
        server.ignoreKeys()
        try await withAccount { venue, share in
            server.slowDown()
            venue.answerDeliveries(.json(#"{"error":"backend fetch failed"}"#, status: 503))
            let lost = try await share()
            #expect(lost?.failure?.kind == .unanswered)
            venue.answerDeliveries(nil)
            server.publish()
            clock.pass(7200)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.sent])
            #expect(venue.server.requests.map(\.method) == ["POST", "GET", "GET", "POST"])
        }
    }

    @Test func `a post that did not arrive is sent after a search`() async throws {
        server.ignoreKeys()
        try await withAccount { venue, share in
            venue.answerDeliveries(.closeWithoutAnswer)
            _ = try await share()
            venue.answerDeliveries(nil)
            clock.pass(7200)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.sent])
            #expect(posts(venue) == 2)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    @Test func `a post without a date whose answer was lost is left to the user`() async throws {
        server.ignoreKeys()
        try await withAccount("text = '{steps} steps'\nlanguage = 'en'") { venue, share in
            server.loseAnswers(true)
            let report = try await share()
            guard case .doubtful = report?.events.first?.outcome else {
                Issue.record("\(String(describing: report))")
                return
            }
            server.loseAnswers(false)
            clock.pass(60)
            let later = try await share()
            #expect(later?.events.isEmpty == true)
            #expect(posts(venue) == 1)
        }
    }

    @Test func `new steps edit the post that was found`() async throws {
        try await withAccount { venue, share in
            server.loseAnswers(true)
            _ = try await share()
            server.loseAnswers(false)
            correct(9000)
            clock.pass(7200)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.corrected])
            #expect(venue.server.requests.map(\.method) == ["POST", "GET", "GET", "PUT"])
            #expect(venue.held().map(\.steps) == [9000])
        }
    }

    @Test func `an edit is repeated after its answer was lost`() async throws {
        try await withAccount { venue, share in
            _ = try await share()
            correct(9000)
            clock.pass(60)
            server.loseAnswers(true)
            let lost = try await share()
            #expect(lost?.failure?.kind == .unanswered)
            server.loseAnswers(false)
            clock.pass(7200)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.corrected])
            #expect(venue.server.requests.map(\.method) == ["POST", "PUT", "PUT"])
            #expect(venue.held().map(\.steps) == [9000])
        }
    }
}
