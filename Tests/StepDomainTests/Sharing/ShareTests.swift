import StepDomain
import Testing
import TestSupport

@Suite struct ShareTests {
    let outbox = Outbox()

    @Test func whatIsNewIsSentOnceAndConfirmed() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes == [.sent, .sent])
        #expect(garden.steps(april20) == 4000)
        #expect(outbox.entry(april20, garden)?.state == .sent)
        #expect(outbox.entry(april20, garden)?.remoteID == "2014-04-20")

        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        #expect(garden.times(april20) == 1)
    }

    @Test func lateStepsCorrectWhatWasSent() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(garden.steps(april20) == 4500)
        #expect(Set(garden.keys).count == 2)
    }

    @Test func whereFiguresCannotBeCorrectedTheFirstStay() async throws {
        let post = ScriptedDestination("post", ShareTraits(resending: .repeats, corrects: false, takesUnfinishedDays: false), terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: post)
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.fixed])
        #expect(post.times(april20) == 1)
        #expect(outbox.entry(april20, post)?.state == .sent)
    }

    @Test func aMergeThatBringsNothingSendsNothing() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        try outbox.walk(3000, on: april20)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
    }

    @Test func aDestinationThatIsNewGetsNoPastByItself() async throws {
        let garden = ScriptedDestination()
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent])
        outbox.pass(86_400)
        try outbox.walk(6000, on: april21.advanced(by: 1))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func anEarlierSinceBringsThePastIn() async throws {
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        let late = ScriptedDestination(terms: ShareTerms(since: april21))
        #expect(try await outbox.share(to: late).first?.events.map(\.day) == [april21])
        let early = ScriptedDestination(terms: ShareTerms(since: april20))
        #expect(try await outbox.share(to: early).first?.events.filter { $0.outcome == .sent }.map(\.day) == [april20])
    }

    @Test func aDayOfWhichNothingIsKnownIsNotShared() async throws {
        let garden = ScriptedDestination(terms: always)
        let report = try #require(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first)
        #expect(report.outcomes == [.nothingKnown])
        #expect(garden.deliveries.isEmpty)
        #expect(outbox.entry(april20, garden) == nil)
    }

    @Test func eachDestinationTakesThePeopleOfItsTerms() async throws {
        let ben = outbox.history.addUser(named: "Ben")
        try outbox.walk(4000, on: april20)
        outbox.history.setCorrection(700, of: ben.id, on: april20, at: outbox.now)
        let hers = ScriptedDestination("hers", terms: ShareTerms(users: ["ANNA"], since: april20))
        let all = ScriptedDestination("all", terms: always)
        let reports = try await outbox.share(to: hers, all)
        #expect(reports[0].events.map(\.user) == [outbox.anna.id])
        #expect(reports[1].events.map(\.user) == [outbox.anna.id, ben.id])
    }

    @Test func whereOneDayIsShownNoneGoesAfterALaterOne() async throws {
        var traits = ShareTraits.replacing
        traits.showsLatestOnly = true
        let sensor = ScriptedDestination("sensor", traits, terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.sent, .sent])
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.passed])
        #expect(sensor.times(april20) == 1)
        try outbox.walk(5500, on: april21)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.corrected])
    }

    @Test func samplesGoWhereTheyAreWanted() async throws {
        try outbox.walk(4000, on: april20)
        let data = try outbox.history.stepData(of: outbox.anna, on: april20)
        let summary = DaySummary(data, localTime: outbox.place, now: outbox.now)
        let plain = try #require(SharedDay(summary))
        let whole = try #require(SharedDay(summary, tracks: [.init(pedometer: "ring", samples: data.tracks[0].samples)]))
        #expect(plain.fingerprint != whole.fingerprint)
        #expect(plain.fingerprint == SharedDay(summary)?.fingerprint)
        #expect(plain.fingerprint.count == 32)
    }
}
