import StepDomain
import Testing
import TestSupport

@Suite struct ShareFailureTests {
    let outbox = Outbox()
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, canFind: true, takesUnfinishedDays: false), terms: always)
    private let keyed = ScriptedDestination(
        "keyed", ShareTraits(resending: .keyed(seconds: 3600), corrects: true, canFind: true, takesUnfinishedDays: false), terms: always)

    @Test(arguments: [ShareFailure.Kind.unreachable, .busy, .unanswered])
    func aServerThatIsDownIsAskedAgainLaterAndLaterStill(kind: ShareFailure.Kind) async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(kind, "down")), .fail(ShareFailure(kind, "down")))
        let first = try #require(try await outbox.share(to: garden).first)
        #expect(first.failure?.reason == "down")
        #expect(first.events.count == 1)
        #expect(first.waiting == 0)
        #expect(first.state.notBefore == outbox.now + 60)
        // Not due yet: it is left alone, and nothing is lost.
        #expect(try await outbox.share(to: garden).first?.waiting == 1)
        #expect(garden.deliveries.count == 1)
        outbox.pass(60)
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 120)
        outbox.pass(120)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(outbox.history.state(of: "garden").failures == 0)
    }

    @Test func theServersOwnWishIsKeptWithinADay() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.busy, "slow down", retryAfter: 900)), .fail(ShareFailure(.busy, "slow down", retryAfter: .max)))
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 900)
        outbox.pass(900)
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 86_400)
    }

    @Test func whoIsNotAcceptedIsNotSentAgainUntilTheUserActs() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(4100, on: april21)
        garden.script(.fail(ShareFailure(.credentials, "401 Unauthorized")))
        #expect(try await outbox.share(to: garden).first?.state.stopped == "401 Unauthorized")
        outbox.pass(1_000_000)
        #expect(try await outbox.share(to: garden).first?.waiting == 2)
        #expect(garden.deliveries.count == 1)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent, .sent])
    }

    @Test func oneThatFailsHoldsUpNoOther() async throws {
        let bad = ScriptedDestination("bad", terms: always)
        let good = ScriptedDestination("good", terms: always)
        try outbox.walk(4000, on: april20)
        bad.script(.fail(ShareFailure(.unreachable, "no route")))
        let reports = try await outbox.share(to: bad, good)
        #expect(reports.map(\.destination) == ["bad", "good"])
        #expect(good.steps(april20) == 4000)
    }

    @Test func aDayThatIsRejectedStaysSoUntilItsFiguresChange() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(4100, on: april21)
        garden.script(.refuse(steps: 4000))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.rejected(reason: "no day of 4000 steps"), .sent])
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        // Enqueued again with the same figures: refused as it would be.
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.rejected(reason: "no day of 4000 steps")])
        try outbox.walk(4200, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func ofABatchThatIsRejectedEachDayIsTriedByItself() async throws {
        var traits = ShareTraits.replacing
        traits.batch = 10
        let garden = ScriptedDestination("garden", traits, terms: always)
        for back in 0..<5 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        garden.script(.refuse(steps: 4002))
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes.count { $0 == .sent } == 4)
        #expect(report.outcomes.contains(.rejected(reason: "no day of 4002 steps")))
    }

    @Test func threeRejectionsInARowAreEnoughForOneRun() async throws {
        let garden = ScriptedDestination(terms: always)
        let no = ScriptedDestination.Turn.fail(ShareFailure(.rejected, "404 Not Found"))
        for back in 0..<10 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        garden.script(no, no, no)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.events.count == 3)
        #expect(report.waiting == 7)
        #expect(garden.deliveries.count == 3)
    }

    @Test func aLostAnswerIsFollowedByAQuestion() async throws {
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

    @Test func whatDidNotArriveIsSentAfterTheQuestion() async throws {
        try outbox.walk(4000, on: april20)
        post.script(.fail(ShareFailure(.unanswered, "no answer")))
        try await outbox.share(to: post)
        outbox.pass(60)
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.finds == 1)
        #expect(post.times(april20) == 1)
    }

    @Test func whereNothingCanBeToldTheUserIsAsked() async throws {
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
        entry.retry(at: outbox.now)
        try outbox.history.record([entry])
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
    }

    @Test func whereNothingCanBeAskedItIsDoubtfulAtOnce() async throws {
        let deaf = ScriptedDestination(
            "deaf", ShareTraits(resending: .repeats, corrects: false, takesUnfinishedDays: false), terms: always)
        try outbox.walk(4000, on: april20)
        deaf.script(.acceptSilently)
        let report = try await outbox.share(to: deaf).first
        #expect(report?.outcomes == [.doubtful(reason: "no answer")])
        #expect(outbox.entry(april20, deaf)?.nextAttempt == nil)
        outbox.pass(86_400)
        #expect(try await outbox.share(to: deaf).first?.events.isEmpty == true)
        #expect(deaf.times(april20) == 1)
    }

    @Test func whatIsDroppedIsNotSentAnewWhenItChanges() async throws {
        for destination in [post, keyed] {
            let outbox = Outbox()
            try outbox.walk(4000, on: april20)
            destination.script(.acceptSilently)
            try await outbox.share(to: destination)
            var entry = try #require(outbox.entry(april20, destination))
            let isForgotten = entry.drop(at: outbox.now)
            #expect(!isForgotten)
            try outbox.history.record([entry])
            outbox.pass(86_400)
            try outbox.walk(4500, on: april20)
            // It is found first, and what is there is corrected.
            #expect(try await outbox.share(to: destination).first?.outcomes == [.corrected])
            #expect(destination.finds == 1)
        }
    }

    @Test func whatNeverWentOutCanBeForgotten() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.unreachable, "down")))
        try await outbox.share(to: garden)
        var entry = try #require(outbox.entry(april20, garden))
        let isForgotten = entry.drop(at: outbox.now)
        #expect(isForgotten)
    }

    @Test func aRejectedDayThatIsAskedForIsTriedAgain() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.rejected, "404")))
        try await outbox.share(to: garden)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent])
    }

    @Test func aClockThatWasWrongBlocksNothingForYears() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.history.record(DestinationState(name: "garden", notBefore: outbox.now + 80 * 365 * 86_400, failures: 1))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func answersAreNotLostToAHistoryThatIsLockedForAWhile() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.whileDelivering { [outbox] in outbox.history.refuse(.record, with: Refusal(), times: 5) }
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(outbox.entry(april20, garden)?.state == .sent)
    }

    @Test func deliveriesUnderWayTogetherFailOnce() async throws {
        let garden = ScriptedDestination(terms: always)
        for back in 0..<20 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        let down = ScriptedDestination.Turn.fail(ShareFailure(.unreachable, "down"))
        garden.script(.accept, down, down, down, down, down, down, down, down)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.state.failures == 1)
        #expect(garden.deliveries.count == 9)
        #expect(report.waiting + report.events.count == 20)
    }

    @Test func aKeyIsReliedOnWhileTheServerKnowsIt() async throws {
        try outbox.walk(4000, on: april20)
        keyed.script(.acceptSilently)
        try await outbox.share(to: keyed)
        outbox.pass(600)
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.sent])
        #expect(keyed.finds == 0)
        #expect(Set(keyed.keys).count == 1)
    }

    @Test func whenTheKeyIsTooOldTheServerIsAsked() async throws {
        try outbox.walk(4000, on: april20)
        keyed.script(.acceptSilently)
        try await outbox.share(to: keyed)
        outbox.pass(3000)
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.unchanged])
        #expect(keyed.finds == 1)
        #expect(keyed.times(april20) == 1)
    }

    @Test func anAttemptThatDidNotArriveSaysNothingOfTheOneBeforeIt() async throws {
        try outbox.walk(4000, on: april20)
        keyed.script(.acceptSilently, .fail(ShareFailure(.unreachable, "no route")))
        try await outbox.share(to: keyed)
        outbox.pass(60)
        try await outbox.share(to: keyed)
        #expect(outbox.entry(april20, keyed)?.state == .unknown)
        outbox.pass(86_400)
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.unchanged])
        #expect(keyed.times(april20) == 1)
    }

    @Test func aRefusalSaysNothingOfAnAttemptThatMayHaveArrived() async throws {
        try outbox.walk(4000, on: april20)
        keyed.script(.acceptSilently, .fail(ShareFailure(.rejected, "422")))
        try await outbox.share(to: keyed)
        outbox.pass(60)
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.rejected(reason: "422")])
        #expect(outbox.entry(april20, keyed)?.state == .unknown)
        try outbox.walk(4400, on: april20)
        outbox.pass(60)
        // It is found, and what is there is corrected: a new one beside it would be one too many.
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.corrected])
        #expect(keyed.finds == 1)
    }

    @Test func stepsThatCameWithAnUnknownAreACorrectionOnceItIsFound() async throws {
        try outbox.walk(4000, on: april20)
        keyed.script(.acceptSilently)
        try await outbox.share(to: keyed)
        try outbox.walk(4400, on: april20)
        outbox.pass(60)
        #expect(try await outbox.share(to: keyed).first?.outcomes == [.corrected])
        #expect(keyed.steps(april20) == 4400)
        #expect(keyed.times(april20) == 2)
    }

    @Test func whatAKilledProcessWasSendingIsUnknown() async throws {
        try outbox.walk(4000, on: april20)
        try outbox.service.enqueueShares(.due, to: [post], users: [outbox.anna])
        var entry = try #require(outbox.entry(april20, post))
        entry.state = .sending
        entry.fingerprint = "of then"
        try outbox.history.record([entry])
        #expect(try await outbox.share(to: post).first?.outcomes == [.sent])
        #expect(post.finds == 1)
    }

    @Test func stepsThatComeWhileADayIsBeingSentAreSentAfterwards() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.whileDelivering { [outbox] in
            try? outbox.walk(4600, on: april20)
            try? outbox.service.enqueueShares(.due, to: [garden], users: [outbox.anna])
        }
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent, .corrected])
        #expect(garden.steps(april20) == 4600)
    }

    @Test func aLedgerThatRefusesEndsItBeforeAnythingIsSent() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.service.enqueueShares(.due, to: [garden], users: [outbox.anna])
        outbox.history.refuse(.record, with: Refusal())
        await #expect(throws: Refusal.self) { try await outbox.share(to: garden) }
        #expect(garden.deliveries.isEmpty)
    }

    @Test func whatIsMisconfiguredCostsNoWaiting() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.misconfigured, "no token file")))
        #expect(try await outbox.share(to: garden).first?.failure?.kind == .misconfigured)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }
}
