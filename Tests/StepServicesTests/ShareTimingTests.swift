import StepDomain
import StepServices
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct ShareTimingTests {
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, takesUnfinishedDays: false), terms: always)

    @Test func `a day in progress is held until it is complete`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = OutboxFixture(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        let midnight = LocalTime.berlin.at("2014-04-21", 0)
        #expect(try await outbox.share(to: post).first?.outcomes == [.held(until: midnight)])
        #expect(try await outbox.share(to: post).first?.events.isEmpty == true)

        outbox.set(midnight + 60)
        // The evening has not been read yet: a sync at night may still read it.
        #expect(try await outbox.share(to: post).first?.outcomes == [.held(until: midnight + 36 * 3600)])
        outbox.pass(3600)
        try outbox.walk(4400, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.steps(april20) == 4400)
    }

    @Test func `an incomplete day is sent as it is after the wait`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = OutboxFixture(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        try await outbox.share(to: post)
        outbox.set(LocalTime.berlin.at("2014-04-22", 13))
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
    }

    @Test func `a day in progress is sent on request and corrected after its end`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = OutboxFixture(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: post).first?.outcomes == [.sent])
        outbox.pass(3600)
        try outbox.walk(4400, on: april20, until: noon + 3600)
        guard case .held = try await outbox.share(to: post).first?.outcomes.first else {
            Issue.record("a correction of a day in progress went out")
            return
        }
        outbox.set(LocalTime.berlin.at("2014-04-21", 1))
        try outbox.walk(4800, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.corrected])
        #expect(post.steps(april20) == 4800)
    }

    @Test func `a replacing destination receives a day in progress and later its final state`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = OutboxFixture(now: noon)
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        outbox.set(LocalTime.berlin.at("2014-04-21", 0) + 1)
        // No sync in between: only time has passed, and the day is no longer running.
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
    }

    @Test func `the terms of the user override the traits of the destination`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = OutboxFixture(now: noon)
        let eager = ScriptedDestination(
            "eager", ShareTraits(resending: .repeats, corrects: true, takesUnfinishedDays: false),
            terms: ShareTerms(since: april20, takesUnfinishedDays: true))
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(to: eager).first?.outcomes == [.sent])
    }

    @Test func `no delivery begins after the deadline`() async throws {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        let report = try #require(try await outbox.share(to: garden, deadline: outbox.now).first)
        #expect(garden.deliveries.isEmpty)
        #expect(report.waiting == 1)
    }
}
