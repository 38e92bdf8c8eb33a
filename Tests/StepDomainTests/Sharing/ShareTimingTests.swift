import StepDomain
import Testing
import TestSupport

@Suite struct ShareTimingTests {
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, takesUnfinishedDays: false), terms: always)

    @Test func aRunningDayWaitsForItsEnd() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = Outbox(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        let midnight = LocalTime.berlin.at("2014-04-21", 0)
        #expect(try await outbox.share(to: post).first?.outcomes == [.held(until: midnight)])
        #expect(try await outbox.share(to: post).first?.events.isEmpty == true)

        outbox.set(midnight + 60)
        // The evening has not been read yet: a night's sync may bring it.
        #expect(try await outbox.share(to: post).first?.outcomes == [.held(until: midnight + 36 * 3600)])
        outbox.pass(3600)
        try outbox.walk(4400, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.steps(april20) == 4400)
    }

    @Test func aDayThatStaysIncompleteGoesOutAsItIs() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = Outbox(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        try await outbox.share(to: post)
        outbox.set(LocalTime.berlin.at("2014-04-22", 13))
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
    }

    @Test func aRunningDayThatWasAskedForGoesOutAtOnceAndIsLookedAtAgain() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = Outbox(now: noon)
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: post).first?.outcomes == [.sent])
        outbox.pass(3600)
        try outbox.walk(4400, on: april20, until: noon + 3600)
        guard case .held = try await outbox.share(to: post).first?.outcomes.first else {
            Issue.record("a correction of a running day went out")
            return
        }
        outbox.set(LocalTime.berlin.at("2014-04-21", 1))
        try outbox.walk(4800, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.corrected])
        #expect(post.steps(april20) == 4800)
    }

    @Test func whereSendingAgainReplacesARunningDayGoesOutAndItsEndIsTold() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = Outbox(now: noon)
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        outbox.set(LocalTime.berlin.at("2014-04-21", 0) + 1)
        // No sync in between: only the clock went on, and the day is no longer a running one.
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
    }

    @Test func theUsersTermsOverrideTheTrait() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let outbox = Outbox(now: noon)
        let eager = ScriptedDestination(
            "eager", ShareTraits(resending: .repeats, corrects: true, takesUnfinishedDays: false),
            terms: ShareTerms(since: april20, takesUnfinishedDays: true))
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(to: eager).first?.outcomes == [.sent])
    }

    @Test func afterTheDeadlineNothingIsBegun() async throws {
        let outbox = Outbox()
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        let report = try #require(try await outbox.share(to: garden, deadline: outbox.now).first)
        #expect(garden.deliveries.isEmpty)
        #expect(report.waiting == 1)
    }
}
