import StepDomain
import StepServices
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct ShareTimingTests {
    private let post = ScriptedDestination(
        "post", ShareTraits(resending: .repeats, corrects: true, acceptsUnfinishedDays: false), terms: always)

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

    /// Such as VictoriaMetrics, which answers like InfluxDB.
    @Test func `what the server says of itself decides whether a day in progress is sent`() async throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12), midnight = LocalTime.berlin.at("2014-04-21", 0)
        let outbox = OutboxFixture(now: noon)
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20, until: noon)
        var traits = garden.traits
        traits.acceptsUnfinishedDays = false
        garden.setCurrentTraits(.success(traits))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.held(until: midnight)])
        // A server that cannot be asked gets its deliveries as before, and they fail or arrive.
        garden.setCurrentTraits(.failure(ShareFailure(.unreachable, "down")))
        try outbox.walk(4400, on: april20, until: noon)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `a day that the destination cannot replace is not reported as corrected`() async throws {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        let confirmed = outbox.entry(april20, garden)?.confirmed
        garden.fix(april20)
        try outbox.walk(4400, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.fixed])
        #expect(outbox.entry(april20, garden)?.state == .sent && outbox.entry(april20, garden)?.confirmed == confirmed)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        #expect(garden.steps(april20) == 4000)
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
            "eager", ShareTraits(resending: .repeats, corrects: true, acceptsUnfinishedDays: false),
            terms: ShareTerms(since: april20, acceptsUnfinishedDays: true))
        try outbox.walk(4000, on: april20, until: noon)
        #expect(try await outbox.share(to: eager).first?.outcomes == [.sent])
    }

    /// Twelve hours, each with the most steps that are plausible in an hour: each slot is plausible, the day is not.
    private func overcount(_ outbox: OutboxFixture) throws {
        let sync = try outbox.history.beginSync(of: outbox.ring.id, at: outbox.now)
        let samples = (8..<20).map { hour in
            let start = outbox.localTime.moment(april20, seconds: hour * 3600)
            let steps = 3600 * StepSample.maximumStepsPerSecond
            return StepSample(start: start, length: 3600, steps: steps, utcOffset: outbox.localTime.utcOffset(start))
        }
        _ = try outbox.history.merge(
            SampleBatch(samples: samples, coverage: [outbox.localTime.span(of: april20)]), sync: sync,
            localTime: outbox.localTime)
        try outbox.history.endSync(sync, at: outbox.now, outcome: .complete, battery: nil, failure: nil, cause: nil)
    }

    @Test func `a day with more steps than anyone walks is sent only on request`() async throws {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try overcount(outbox)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.withheld])
        #expect(garden.deliveries.isEmpty)
        let entry = try #require(outbox.entry(april20, garden))
        #expect(entry.isWithheld)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true, "it is reported once")
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent])
        #expect(garden.steps(april20) == 12 * 3600 * StepSample.maximumStepsPerSecond)
    }

    @Test func `a day with more steps than anyone walks is sent once it is corrected`() async throws {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try overcount(outbox)
        try await outbox.share(to: garden)
        outbox.history.setCorrection(StepCorrection(steps: 9000), of: outbox.anna.id, on: april20, at: outbox.now)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(garden.deliveries == [[april20]] && garden.steps(april20) == 9000)
    }

    @Test
    func `a retry of all days does not send a day with more steps than anyone walks, and a retry of that day does`()
        async throws
    {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try overcount(outbox)
        try await outbox.share(to: garden)
        for isNamed in [false, true] {
            var entry = try #require(outbox.entry(april20, garden))
            entry.retry(at: outbox.now, canFind: false, isNamed: isNamed)
            try outbox.history.record([entry])
            try await outbox.share(to: garden)
            #expect(garden.deliveries.count == (isNamed ? 1 : 0))
        }
    }

    /// The server may have the steps of an earlier attempt.
    @Test func `a day whose last attempt was not answered is not sent with more steps than anyone walks`() async throws
    {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.unanswered, "no answer")))
        try await outbox.share(to: garden)
        #expect(outbox.entry(april20, garden)?.state == .unknown)
        let attempts = garden.deliveries.count
        try overcount(outbox)
        outbox.pass(7200)
        try await outbox.share(to: garden)
        #expect(garden.deliveries.count == attempts && outbox.entry(april20, garden)?.state == .unknown)
        outbox.history.setCorrection(StepCorrection(steps: 9000), of: outbox.anna.id, on: april20, at: outbox.now)
        outbox.pass(7200)
        #expect(try await outbox.share(to: garden).first?.outcomes.isEmpty == false)
        #expect(garden.steps(april20) == 9000)
    }

    @Test func `a withheld day that goes on growing is reported once`() async throws {
        let outbox = OutboxFixture()
        let garden = ScriptedDestination(terms: always)
        try overcount(outbox)
        try await outbox.share(to: garden)
        let first = try #require(outbox.entry(april20, garden))
        outbox.pass(60)
        outbox.history.setCorrection(StepCorrection(steps: 210_000), of: outbox.anna.id, on: april20, at: outbox.now)
        #expect(try await outbox.share(to: garden).first?.outcomes.isEmpty == true)
        let second = try #require(outbox.entry(april20, garden))
        #expect(second.isWithheld && second.changedAt == first.changedAt && second.fingerprint != first.fingerprint)
        // A later sync finds the day again, with no other steps.
        var again = second
        again.hold(until: outbox.now)
        try outbox.history.record([again])
        #expect(try await outbox.share(to: garden).first?.outcomes.isEmpty == true)
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
