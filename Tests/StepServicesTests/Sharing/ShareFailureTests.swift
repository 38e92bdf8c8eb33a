import StepDomain
import StepServices
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct ShareFailureTests {
    let outbox = OutboxFixture()
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, canFind: true, acceptsUnfinishedDays: false),
        terms: always)

    @Test(arguments: [ShareFailure.Kind.unreachable, .busy, .unanswered])
    func `a server that is down is retried with growing delays`(kind: ShareFailure.Kind) async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(kind, "down")), .fail(ShareFailure(kind, "down")))
        let first = try #require(try await outbox.share(to: garden).first)
        #expect(first.failure?.reason == "down")
        #expect(first.events.count == 1)
        #expect(first.waiting == 0)
        #expect(first.state.notBefore == outbox.now + 60)
        // Not due yet: it is not sent, and nothing is lost.
        #expect(try await outbox.share(to: garden).first?.waiting == 1)
        #expect(garden.deliveries.count == 1)
        outbox.pass(60)
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 120)
        outbox.pass(120)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(outbox.history.state(of: "garden").failures == 0)
    }

    @Test func `the place of credentials that are not accepted is part of the reason`() async throws {
        let garden = ScriptedDestination(terms: always, secretPlace: "the file \"/home/anna/token\"")
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.credentials, "401")))
        let reason = "401 (credentials: the file \"/home/anna/token\")"
        #expect(try await outbox.share(to: garden).first?.failure?.reason == reason)
        #expect(outbox.history.state(of: "garden").stopped == reason)
    }

    @Test func `the retry delay requested by the server is limited to a day`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(
            .fail(ShareFailure(.busy, "slow down", retryAfter: 900)),
            .fail(ShareFailure(.busy, "slow down", retryAfter: .max)))
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 900)
        outbox.pass(900)
        #expect(try await outbox.share(to: garden).first?.state.notBefore == outbox.now + 86_400)
    }

    /// More days than a destination is sent at a time: the next ones are begun while the ones before are being sent.
    @Test func `days that were begun and not sent before a failure are still to be sent`() async throws {
        let garden = ScriptedDestination(terms: always)
        let days = (0..<600).map { april20.advanced(by: $0 - 599) }
        for (index, day) in days.enumerated() { try outbox.walk(1000 + index, on: day) }
        for _ in 0..<50 { garden.script(.accept) }
        garden.script(.fail(ShareFailure(.unreachable, "down")))
        let report = try #require(try await outbox.share(.days(days, of: outbox.anna), to: garden).first)
        #expect(report.failure?.reason == "down")
        let sent = garden.deliveries.flatMap(\.self)
        #expect((50..<60).contains(sent.count), "what was under way is not many")
        #expect(outbox.history.entries(for: "garden", in: [.sending]).isEmpty)
        #expect(
            outbox.history.entries(for: "garden", in: [.pending]).count == 600
                - report.events.filter { $0.outcome == .sent }.count)
        outbox.pass(60)
        #expect(try await outbox.share(to: garden).first?.waiting == 0)
        #expect(zip(days, 1000...).allSatisfy { garden.steps($0) == $1 })
        #expect(days.allSatisfy { garden.times($0) == 1 })
    }

    @Test func `refused credentials stop a destination until the user acts`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(4100, on: april21)
        garden.script(.fail(ShareFailure(.credentials, "401 Unauthorized")))
        #expect(try await outbox.share(to: garden).first?.state.stopped == "401 Unauthorized")
        outbox.pass(1_000_000)
        #expect(try await outbox.share(to: garden).first?.waiting == 2)
        #expect(garden.deliveries.count == 1)
        #expect(
            try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent, .sent])
    }

    @Test func `a failing destination does not delay the others`() async throws {
        let bad = ScriptedDestination("bad", terms: always)
        let good = ScriptedDestination("good", terms: always)
        try outbox.walk(4000, on: april20)
        bad.script(.fail(ShareFailure(.unreachable, "no route")))
        let reports = try await outbox.share(to: bad, good)
        #expect(reports.map(\.destination) == ["bad", "good"])
        #expect(good.steps(april20) == 4000)
    }

    @Test func `a rejected day is not resent automatically until its figures change`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(4100, on: april21)
        garden.script(.refuse(steps: 4000))
        #expect(
            try await outbox.share(to: garden).first?.outcomes == [.rejected(reason: "no day of 4000 steps"), .sent])
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        // Enqueued again with the same figures: it is rejected again.
        #expect(
            try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [
                .rejected(reason: "no day of 4000 steps")
            ])
        try outbox.walk(4200, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `each day of a rejected batch is sent separately`() async throws {
        var traits = ShareTraits.replacing
        traits.batch = 10
        let garden = ScriptedDestination("garden", traits, terms: always)
        for back in 0..<5 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        garden.script(.refuse(steps: 4002))
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes.count { $0 == .sent } == 4)
        #expect(report.outcomes.contains(.rejected(reason: "no day of 4002 steps")))
    }

    @Test func `three rejections in a row end a run`() async throws {
        let garden = ScriptedDestination(terms: always)
        let no = ScriptedDestination.Turn.fail(ShareFailure(.rejected, "404 Not Found"))
        for back in 0..<10 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        garden.script(no, no, no)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.events.count == 3)
        #expect(report.waiting == 7)
        #expect(garden.deliveries.count == 3)
    }

    @Test func `a wait that was recorded while the clock was wrong counts as over`() {
        let now = outbox.now
        for (wait, isHeldBack) in [
            (0, false), (1, true), (ShareRetry.maximumWait, true), (ShareRetry.maximumWait + 1, false),
        ] {
            let state = DestinationState(name: "garden", notBefore: now + wait)
            #expect(
                state.isHeldBack(at: now) == isHeldBack && (state.nextAttempt(after: now) != nil) == isHeldBack,
                "\(wait)")
        }
        let stopped = DestinationState(name: "garden", notBefore: now + 60, stopped: "401")
        #expect(stopped.isHeldBack(at: now) && stopped.nextAttempt(after: now) == nil)
    }

    @Test func `three rejections in a row delay the other days with a reason`() async throws {
        let garden = ScriptedDestination(terms: always)
        for back in 0..<8 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        let rejection = ScriptedDestination.Turn.fail(ShareFailure(.rejected, "422 unknown field"))
        garden.script(rejection, rejection, rejection)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes.count { if case .rejected = $0 { true } else { false } } == 3)
        #expect(report.waiting == 5)
        #expect(report.state.lastError == "422 unknown field")
        #expect(report.state.notBefore == outbox.now + 60)
        // A sync before that time does not get three more days rejected.
        #expect(try await outbox.share(to: garden).first?.waiting == 5)
        #expect(garden.deliveries.count == 3)
        outbox.pass(60)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent, .sent, .sent, .sent, .sent])
        #expect(
            outbox.history.state(of: "garden")
                == DestinationState(name: "garden", firstDay: outbox.history.state(of: "garden").firstDay))
    }

    @Test func `a sent day is sent again only on request`() async throws {
        for destination in [ScriptedDestination(terms: always), post] {
            let outbox = OutboxFixture()
            try outbox.walk(4000, on: april20)
            try await outbox.share(to: destination)
            #expect(
                try await outbox.share(.days([april20], of: outbox.anna), to: destination).first?.outcomes == [
                    .unchanged
                ])
            #expect(destination.deliveries.count == 1)
            let again = try await outbox.share(.days([april20], of: outbox.anna, again: true), to: destination)
            #expect(again.first?.outcomes == [.sent])
            #expect(destination.deliveries.count == 2)
            // A server that recognises the key of the first delivery must not mistake the second one for it.
            #expect(Set(destination.keys).count == 2)
            #expect(outbox.entry(april20, destination)?.repetition == 1)
        }
    }

    @Test func `a dropped day that was never delivered can be forgotten`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.unreachable, "down")))
        try await outbox.share(to: garden)
        var entry = try #require(outbox.entry(april20, garden))
        let isForgotten = entry.drop(at: outbox.now)
        #expect(isForgotten)
    }

    @Test func `a rejected day is tried again on request`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.rejected, "404")))
        try await outbox.share(to: garden)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent])
    }

    @Test func `a next attempt far in the future does not delay sharing`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.history.record(
            DestinationState(name: "garden", notBefore: outbox.now + 80 * 365 * 86_400, failures: 1))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `a delivery is recorded although the history was locked briefly`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.whileDelivering { [outbox] in outbox.history.refuse(.record, with: Refusal(), times: 5) }
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(outbox.entry(april20, garden)?.state == .sent)
    }

    @Test func `parallel deliveries that fail count as one failure`() async throws {
        let garden = ScriptedDestination(terms: always)
        for back in 0..<20 { try outbox.walk(4000 + back, on: april20.advanced(by: -back)) }
        let down = ScriptedDestination.Turn.fail(ShareFailure(.unreachable, "down"))
        garden.script(.accept, down, down, down, down, down, down, down, down)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.state.failures == 1)
        #expect(garden.deliveries.count == 9)
        #expect(report.waiting + report.events.count == 20)
    }

    @Test func `steps that arrive during a delivery are sent afterwards`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.whileDelivering { [outbox] in
            try? outbox.walk(4600, on: april20)
            try? outbox.service.enqueue(.due, to: [garden], users: [outbox.anna])
        }
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent, .corrected])
        #expect(garden.steps(april20) == 4600)
    }

    @Test func `a ledger that cannot be written prevents any delivery`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.service.enqueue(.due, to: [garden], users: [outbox.anna])
        outbox.history.refuse(.record, with: Refusal())
        await #expect(throws: Refusal.self) { try await outbox.share(to: garden) }
        #expect(garden.deliveries.isEmpty)
    }

    @Test func `a configuration error causes no backoff`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.misconfigured, "no token file")))
        #expect(try await outbox.share(to: garden).first?.failure?.kind == .misconfigured)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }
}
