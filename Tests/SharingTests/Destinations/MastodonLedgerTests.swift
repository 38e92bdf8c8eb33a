import StepDomain
import Synchronization
import TestSupport
import Testing
import WebStage

/// A post and the ledger: whatever becomes of an answer, a day is posted once.
@Suite(.timeLimit(.minutes(1))) struct MastodonLedgerTests {
    private let history = InMemoryHistory()
    private let server = PostServer()
    private let clock = Clock()
    private let easter = SharedDay.easter().day

    private final class Clock: Sendable {
        private let seconds = Mutex(LocalTime.berlin.at("2014-04-22", 3).seconds)

        var now: Timestamp { Timestamp(seconds.withLock(\.self)) }
        func pass(_ seconds: Int) { self.seconds.withLock { $0 += seconds } }
    }

    private func withAccount(_ body: (WebVenue, () async throws -> ShareReport?) async throws -> Void) async throws {
        let venue = try WebVenue(server) { url in "url = '\(url)'\ntoken_env = '\(TestSecret.variable)'\nsince = 2014-04-01" }
        defer { venue.close() }
        let destination = try Fixture.destination("[share.garden]\nkind = 'mastodon'\n\(venue.keys)")
        let clock = clock
        let service = StepDataService(history: history, ledger: history, localTime: .berlin, now: { clock.now })
        history.setCorrection(8123, of: history.addUser(named: "Anna").id, on: easter, at: clock.now)
        try await body(venue) {
            try await service.shareStepData(.due, to: [destination], users: history.users()).first
        }
    }

    private func correct(_ steps: Int) { history.setCorrection(steps, of: history.users()[0].id, on: easter, at: clock.now) }

    private func posts(_ venue: WebVenue) -> Int { venue.server.requests.count { $0.method == "POST" } }

    @Test func aLostAnswerIsAskedForByTheSameKeyForHalfAnHour() async throws {
        try await withAccount { venue, share in
            server.loseAnswers(true)
            let lost = try await share()
            #expect(lost?.failure?.kind == .unanswered)
            server.loseAnswers(false)
            clock.pass(1500)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.sent])
            #expect(posts(venue) == 2)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    @Test func laterThePostIsFoundAndMadeNoSecondTime() async throws {
        try await withAccount { venue, share in
            server.loseAnswers(true)
            _ = try await share()
            server.loseAnswers(false)
            server.forgetKeys()
            clock.pass(7200)
            let report = try await share()
            #expect(report?.failure == nil)
            #expect(posts(venue) == 1)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    @Test func whatDidNotArriveIsPostedWhenItWasLookedFor() async throws {
        try await withAccount { venue, share in
            venue.answerDeliveries(.closeWithoutAnswer)
            _ = try await share()
            venue.answerDeliveries(nil)
            server.forgetKeys()
            clock.pass(7200)
            let report = try await share()
            #expect(report?.events.map(\.outcome) == [.sent])
            #expect(posts(venue) == 2)
            #expect(venue.held().map(\.steps) == [8123])
        }
    }

    @Test func stepsThatCameMeanwhileEditThePostThatWasFound() async throws {
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

    @Test func anEditWhoseAnswerGotLostIsMadeAgain() async throws {
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
