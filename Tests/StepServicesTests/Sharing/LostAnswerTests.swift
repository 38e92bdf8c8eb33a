import StepDomain
import StepServices
import Testing
import TestSupport

/// What becomes of a day whose answer did not come: it is looked for, sent again where that does no harm, or left to
/// the user.
@Suite(.timeLimit(.minutes(5))) struct LostAnswerTests {
    let outbox = OutboxFixture()
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, canFind: true, acceptsUnfinishedDays: false),
        terms: always)

    @Test func `a destination is queried for a day after a lost answer`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        #expect(try await outbox.share(to: post).first?.outcomes == [.unknown(reason: "no answer")])
        #expect(outbox.entry(april20, post)?.state == .unknown)
        outbox.pass(60)
        #expect(try await outbox.share(to: post).first?.outcomes == [.unchanged])
        #expect(post.finds == 1)
        #expect(post.times(april20) == 1)
        #expect(outbox.entry(april20, post)?.remoteID == "2014-04-20")
    }

    @Test func `a day that a later query does not find is sent`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.fail(ShareFailure(.unanswered, "no answer")))
        try await outbox.share(to: post)
        outbox.pass(120)
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.finds == 1)
        #expect(post.times(april20) == 1)
    }

    /// The edit was there, and the first figures counted as those of the post.
    @Test func `figures that are as before a lost edit are sent again`() async throws {
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: post)
        outbox.history.setCorrection(4500, of: outbox.anna.id, on: april20, at: outbox.now)
        post.script(.acceptSilently)
        try await outbox.share(to: post)
        #expect(post.steps(april20) == 4500)
        outbox.history.setCorrection(nil, of: outbox.anna.id, on: april20, at: outbox.now)
        // As Mastodon: an edit is not searched for.
        post.answer(.absent)
        outbox.pass(7 * 86_400)
        try await outbox.share(to: post)
        #expect(post.steps(april20) == 4000)
    }

    @Test func `after a lost correction, a day that is named again is sent`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        outbox.history.setCorrection(4500, of: outbox.anna.id, on: april20, at: outbox.now)
        garden.script(.acceptSilently)
        try await outbox.share(to: garden)
        outbox.history.setCorrection(nil, of: outbox.anna.id, on: april20, at: outbox.now)
        var entry = try #require(outbox.entry(april20, garden))
        outbox.pass(7 * 86_400)
        entry.retry(at: outbox.now, canFind: false, isNamed: true)
        try outbox.history.record([entry])
        try await outbox.share(to: garden)
        #expect(garden.steps(april20) == 4000)
    }

    @Test func `figures that are as before a partial delivery are sent again`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        outbox.history.setCorrection(4500, of: outbox.anna.id, on: april20, at: outbox.now)
        garden.script(.acceptPartly(.busy))
        try await outbox.share(to: garden)
        outbox.history.setCorrection(nil, of: outbox.anna.id, on: april20, at: outbox.now)
        outbox.pass(7 * 86_400)
        try await outbox.share(to: garden)
        #expect(garden.steps(april20) == 4000)
    }

    @Test func `a query that is rejected leaves the decision to the user and does not hold up other days`() async throws
    {
        try outbox.walk(4000, on: april20.advanced(by: -1))
        post.script(.fail(ShareFailure(.unanswered, "no answer")))
        try await outbox.share(to: post)
        outbox.pass(120)
        try outbox.walk(4100, on: april20)
        post.failFinding(ShareFailure(.rejected, "the search was answered with 404"))
        let report = try await outbox.share(to: post).first
        #expect(report?.outcomes == [.doubtful(reason: "the search was answered with 404"), .sent])
        #expect(outbox.entry(april20.advanced(by: -1), post)?.nextAttempt == nil)
        #expect(post.times(april20) == 1)
    }

    @Test func `an interrupted attempt is not explained by the error of an earlier one`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.unreachable, "down")))
        try await outbox.share(to: garden)
        var entry = try #require(outbox.entry(april20, garden))
        #expect(entry.lastError == "down")
        entry.begin("content", at: outbox.now)
        entry.abandon(at: outbox.now)
        #expect(entry.lastError == "interrupted while it was being sent")
    }

    @Test func `an unclear answer to the query leaves the decision to the user`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        try await outbox.share(to: post)
        post.answer(.unclear)
        outbox.pass(60)
        #expect(try await outbox.share(to: post).first?.outcomes == [.doubtful(reason: "no answer")])
        outbox.pass(86_400)
        #expect(try await outbox.share(to: post).first?.events.isEmpty == true)
        #expect(post.deliveries.count == 1)

        var entry = try #require(outbox.entry(april20, post))
        entry.retry(at: outbox.now, canFind: true, isNamed: true)
        try outbox.history.record([entry])
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
    }

    @Test func `a lost answer from a destination without queries is doubtful immediately`() async throws {
        let mute = ScriptedDestination(
            "mute", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false), terms: always)
        try outbox.walk(4000, on: april20)
        mute.script(.acceptSilently)
        let report = try await outbox.share(to: mute).first
        #expect(report?.outcomes == [.doubtful(reason: "no answer")])
        #expect(outbox.entry(april20, mute)?.nextAttempt == nil)
        outbox.pass(86_400)
        #expect(try await outbox.share(to: mute).first?.events.isEmpty == true)
        #expect(mute.times(april20) == 1)
    }

    @Test func `a dropped day in doubt is corrected and not sent anew`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        try await outbox.share(to: post)
        var entry = try #require(outbox.entry(april20, post))
        let isForgotten = entry.drop(at: outbox.now)
        #expect(!isForgotten)
        try outbox.history.record([entry])
        outbox.pass(86_400)
        try outbox.walk(4500, on: april20)
        // The first delivery is found, then corrected.
        #expect(try await outbox.share(to: post).first?.outcomes == [.corrected])
        #expect(post.finds == 1)
    }

    @Test func `a day that is not found is not sent again while the server may still be processing it`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        post.answer(.absent)
        try await outbox.share(to: post)
        outbox.pass(60)
        let early = try #require(try await outbox.share(to: post).first)
        #expect(early.failure?.kind == .busy)
        #expect(early.outcomes == [.unknown(reason: early.failure?.reason ?? "")])
        #expect(early.state.notBefore.map { $0 - outbox.now } == 120)
        #expect(outbox.entry(april20, post)?.state == .unknown)
        // By then it has appeared.
        outbox.pass(120)
        #expect(try await outbox.share(to: post).first?.outcomes == [.unchanged])
        #expect(post.times(april20) == 1)
    }

    @Test func `sharing a named day does not shorten the wait for its earlier post`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        post.answer(.absent, .absent)
        try await outbox.share(to: post)
        for _ in 0..<2 {
            outbox.pass(30)
            let report = try await outbox.share(.days([april20], of: outbox.anna), to: post).first
            #expect(report?.failure?.kind == .busy)
        }
        #expect(post.deliveries.count == 1)
    }

    @Test func `a day whose failed attempt lies in the future, after the clock was set back, is sent at once`()
        async throws
    {
        try outbox.walk(4000, on: april20)
        post.script(.fail(ShareFailure(.unanswered, "no answer")))
        try await outbox.share(to: post)
        outbox.pass(-3 * 86_400)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: post).first?.outcomes == [.sent])
    }

    @Test func `a failed attempt does not change the unknown state before it`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.acceptSilently, .fail(ShareFailure(.unreachable, "no route")))
        try await outbox.share(to: garden)
        outbox.pass(60)
        try await outbox.share(to: garden)
        #expect(outbox.entry(april20, garden)?.state == .unknown)
        outbox.pass(86_400)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `new steps of a day with a lost answer become a correction`() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.acceptSilently)
        try await outbox.share(to: post)
        try outbox.walk(4400, on: april20)
        outbox.pass(60)
        #expect(try await outbox.share(to: post).first?.outcomes == [.corrected])
        #expect(post.steps(april20) == 4400)
        #expect(post.times(april20) == 2)
    }

    @Test func `a day that a killed process was sending is unknown`() async throws {
        try outbox.walk(4000, on: april20)
        try outbox.service.enqueue(.due, to: [post], users: [outbox.anna])
        var entry = try #require(outbox.entry(april20, post))
        entry.state = .sending
        entry.fingerprint = "of then"
        try outbox.history.record([entry])
        // The request of that process may still be on its way.
        #expect(try await outbox.share(to: post).first?.failure?.kind == .busy)
        outbox.pass(120)
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.finds == 2)
    }
}
