import StepDomain
import StepServices
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct ShareTests {
    let outbox = OutboxFixture()

    @Test func `a new day is sent once and confirmed`() async throws {
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

    @Test func `late steps correct a sent day`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(garden.steps(april20) == 4500)
        #expect(Set(garden.keys).count == 2)
    }

    /// A server that recognises a key answers as it did then, and keeps the figures in between.
    @Test func `figures that were sent before are another delivery`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        for steps in [9000, nil, 9000, nil] {
            outbox.pass(60)
            outbox.history.setCorrection(
                steps.map { StepCorrection(steps: $0) }, of: outbox.anna.id, on: april20, at: outbox.now)
            #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        }
        #expect(garden.keys.count == 5 && Set(garden.keys).count == 5)
    }

    @Test func `a second attempt of a correction has the key of the first`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        try outbox.walk(4500, on: april20)
        garden.script(.fail(ShareFailure(.busy, "later")))
        try await outbox.share(to: garden)
        outbox.pass(7200)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(Set(garden.keys).count == 2)
    }

    @Test func `the first figures remain where corrections are not possible`() async throws {
        let post = ScriptedDestination(
            "post", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false), terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: post)
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: post).first?.outcomes == [.fixed])
        #expect(post.times(april20) == 1)
        #expect(outbox.entry(april20, post)?.state == .sent)
    }

    @Test func `days that were sent in an earlier layout are sent once more`() async throws {
        var traits = ShareTraits.replacing
        let before = ScriptedDestination("garden", traits, terms: always)
        for day in [april20, april21] { try outbox.walk(4000, on: day) }
        try await outbox.share(to: before)
        // One of them grows, and its correction may have arrived.
        try outbox.walk(4100, on: april21)
        before.script(.acceptSilently)
        try await outbox.share(to: before)
        outbox.pass(86_400)

        traits.layout = 1
        let after = ScriptedDestination("garden", traits, terms: always)
        #expect(try await outbox.share(to: after).first?.outcomes == [.corrected, .corrected])
        #expect(after.payloads.map(\.isMoved) == [true, false])
        #expect(after.payloads.map(\.isConfirmed) == [true, true])
        #expect(Set(before.keys).isDisjoint(with: after.keys))
        #expect(try await outbox.share(to: after).first?.events.isEmpty == true)
        try outbox.walk(4200, on: april20)
        #expect(try await outbox.share(to: after).first?.outcomes == [.corrected])
        #expect(after.payloads.last?.isMoved == false)
    }

    @Test func `a day that may have arrived in an earlier layout counts as there`() async throws {
        var traits = ShareTraits.replacing
        let before = ScriptedDestination("garden", traits, terms: always)
        try outbox.walk(4000, on: april20)
        before.script(.acceptSilently)
        try await outbox.share(to: before)
        outbox.pass(86_400)
        traits.layout = 1
        let after = ScriptedDestination("garden", traits, terms: always)
        #expect(try await outbox.share(to: after).first?.outcomes == [.corrected])
        #expect(after.payloads.map(\.isConfirmed) == [true])
    }

    @Test func `a new destination starts in the present layout`() async throws {
        var traits = ShareTraits.replacing
        traits.layout = 1
        let garden = ScriptedDestination("garden", traits, terms: always)
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        #expect(outbox.history.state(of: "garden").layout == 1)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
    }

    @Test func `a preview shows a day that is to be sent in a new layout`() async throws {
        var traits = ShareTraits.replacing
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: ScriptedDestination("garden", traits, terms: always))
        traits.layout = 1
        let after = ScriptedDestination("garden", traits, terms: always)
        #expect(try outbox.service.preview(of: outbox.anna, on: april20, to: after) == .content("2014-04-20: 4000"))
    }

    @Test func `a shared day has the UTC offset of its first sample`() throws {
        try outbox.walk(4000, on: april20)
        let data = try outbox.history.dayData(of: outbox.anna, on: april20)
        let there = SharedDay(data, localTime: .fixed(-5 * 3600), now: outbox.now, includesSamples: false)
        #expect(there?.utcOffset == 7200)
        // Without samples, the offset is that of the machine at the day's beginning: clocks went forward on this day.
        let change = try #require(Day("2014-03-30"))
        outbox.history.setCorrection(700, of: outbox.anna.id, on: change, at: outbox.now)
        let corrected = try outbox.history.dayData(of: outbox.anna, on: change)
        #expect(SharedDay(corrected, localTime: .berlin, now: outbox.now, includesSamples: false)?.utcOffset == 3600)
    }

    @Test func `a merge without new steps sends nothing`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        try outbox.walk(3000, on: april20)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
    }

    /// It got no day until 2036.
    @Test func `a first day that a clock ahead has noted does not last`() async throws {
        let garden = ScriptedDestination()
        outbox.set(LocalTime.berlin.at("2036-04-22", 3))
        try await outbox.share(to: garden)
        outbox.set(LocalTime.berlin.at("2014-04-20", 12))
        try await outbox.share(to: garden)
        outbox.set(LocalTime.berlin.at("2014-04-21", 3))
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
        // A clock that is behind for a moment takes nothing away.
        outbox.set(LocalTime.berlin.at("2012-01-02", 3))
        let behind = Outbox(
            history: outbox.history, ledger: outbox.history, localTime: .berlin, now: { [outbox] in outbox.now },
            isClockBelieved: { false })
        _ = try await behind.share(.due, to: [garden], users: outbox.history.users())
        outbox.set(LocalTime.berlin.at("2014-04-23", 3))
        try outbox.walk(5000, on: april21)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    /// A board that never has a time server.
    @Test func `a clock that nobody vouches for is enough for a history that has no later days`() async throws {
        let garden = ScriptedDestination()
        outbox.set(LocalTime.berlin.at("2014-04-20", 12))
        let alone = Outbox(
            history: outbox.history, ledger: outbox.history, localTime: .berlin, now: { [outbox] in outbox.now },
            isClockBelieved: { false })
        _ = try await alone.share(.due, to: [garden], users: outbox.history.users())
        outbox.set(LocalTime.berlin.at("2014-04-21", 3))
        try outbox.walk(4000, on: april20)
        #expect(try await alone.share(.due, to: [garden], users: outbox.history.users()).first?.outcomes == [.sent])
    }

    /// All known days were sent, one post for each.
    @Test func `a clock that nobody vouches for does not say since when days are shared`() async throws {
        let garden = ScriptedDestination()
        outbox.set(LocalTime.berlin.at("2000-01-02", 3))
        let wrong = Outbox(
            history: outbox.history, ledger: outbox.history, localTime: .berlin, now: { [outbox] in outbox.now },
            isClockBelieved: { false })
        try outbox.walk(4000, on: april20)
        _ = try await wrong.share(.due, to: [garden], users: outbox.history.users())
        outbox.set(LocalTime.berlin.at("2014-04-22", 3))
        try await outbox.share(to: garden)
        #expect(garden.payloads.isEmpty)
        outbox.set(LocalTime.berlin.at("2014-04-23", 3))
        try outbox.walk(4000, on: april21.advanced(by: 1))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `a new destination does not receive past days automatically`() async throws {
        let garden = ScriptedDestination()
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: garden).first?.events.isEmpty == true)
        #expect(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first?.outcomes == [.sent])
        outbox.pass(86_400)
        try outbox.walk(6000, on: april21.advanced(by: 1))
        #expect(try await outbox.share(to: garden).first?.outcomes == [.sent])
    }

    @Test func `an earlier since date includes past days`() async throws {
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        let late = ScriptedDestination(terms: ShareTerms(since: april21))
        #expect(try await outbox.share(to: late).first?.events.map(\.day) == [april21])
        let early = ScriptedDestination(terms: ShareTerms(since: april20))
        #expect(try await outbox.share(to: early).first?.events.filter { $0.outcome == .sent }.map(\.day) == [april20])
    }

    @Test func `a day without data is not shared`() async throws {
        let garden = ScriptedDestination(terms: always)
        let report = try #require(try await outbox.share(.days([april20], of: outbox.anna), to: garden).first)
        #expect(report.outcomes == [.nothingKnown])
        #expect(garden.deliveries.isEmpty)
        #expect(outbox.entry(april20, garden) == nil)
    }

    @Test func `each destination receives only the users of its terms`() async throws {
        let ben = outbox.history.addUser(named: "Ben")
        try outbox.walk(4000, on: april20)
        outbox.history.setCorrection(700, of: ben.id, on: april20, at: outbox.now)
        let hers = ScriptedDestination("hers", terms: ShareTerms(users: ["ANNA"], since: april20))
        let all = ScriptedDestination("all", terms: always)
        let reports = try await outbox.share(to: hers, all)
        #expect(reports[0].events.map(\.user) == [outbox.anna.id])
        #expect(reports[1].events.map(\.user) == [outbox.anna.id, ben.id])
    }

    @Test func `a latest-only destination receives no day after a later one`() async throws {
        var traits = ShareTraits.replacing
        traits.showsLatestOnly = true
        let sensor = ScriptedDestination("sensor", traits, terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        // Only the latest day can be seen there: the others are not sent before it.
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.passed, .sent])
        try outbox.walk(4500, on: april20)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.passed])
        #expect(sensor.times(april20) == 0 && sensor.times(april21) == 1)
        try outbox.walk(5500, on: april21)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.corrected])
    }

    /// It got no day until that date.
    @Test func `a day that a clock ahead has sent is not the latest of a latest-only destination`() async throws {
        var traits = ShareTraits.replacing
        traits.showsLatestOnly = true
        let sensor = ScriptedDestination("sensor", traits, terms: always)
        outbox.set(LocalTime.berlin.at("2014-05-22", 3))
        try outbox.walk(700, on: try #require(Day("2014-05-21")))
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.sent])
        outbox.set(LocalTime.berlin.at("2014-04-21", 3))
        try outbox.walk(4000, on: april20)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.sent])
        #expect(sensor.steps(april20) == 4000)
    }

    /// Its last steps are counted by the sensor's own statistics before the new day begins.
    @Test func `a correction of the day that is shown is sent before the next day`() async throws {
        var traits = ShareTraits.replacing
        traits.showsLatestOnly = true
        let sensor = ScriptedDestination("sensor", traits, terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: sensor)
        let april22 = april21.advanced(by: 1)
        outbox.pass(2 * 86_400)
        for (steps, day) in [(4500, april20), (5000, april21), (600, april22)] { try outbox.walk(steps, on: day) }
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.passed, .corrected, .sent])
        #expect(sensor.deliveries.flatMap(\.self).suffix(2) == [april20, april22])
    }

    @Test func `samples change the fingerprint of a shared day`() async throws {
        try outbox.walk(4000, on: april20)
        let data = try outbox.history.dayData(of: outbox.anna, on: april20)
        let summary = DaySummary(data, localTime: outbox.localTime, now: outbox.now)
        let plain = try #require(SharedDay(summary))
        let whole = try #require(
            SharedDay(summary, tracks: [.init(pedometer: "ring", samples: data.tracks[0].samples)]))
        #expect(plain.fingerprint != whole.fingerprint)
        #expect(plain.fingerprint == SharedDay(summary)?.fingerprint)
        #expect(plain.fingerprint.count == 32)
    }

    @Test func `a day is not sent again if only its hours change`() async throws {
        let garden = ScriptedDestination(terms: always)
        let watch = outbox.history.addPedometer(
            Pedometer(
                user: outbox.anna.id, model: "infinitime", address: "C0:DE:00:00:00:02", addressType: "public",
                name: "watch"))
        let span = outbox.localTime.span(of: april20)
        let sync = try outbox.history.beginSync(of: watch.id, at: outbox.now)
        let sample = StepSample(
            start: span.start, length: span.length, steps: 4800, utcOffset: outbox.localTime.utcOffset(span.start))
        _ = try outbox.history.merge(
            SampleBatch(samples: [sample], coverage: [span]), sync: sync, localTime: outbox.localTime)
        try await outbox.share(to: garden)
        // The ring has fewer steps, all of them at eight.
        try outbox.walk(4000, on: april20)
        let data = try outbox.history.dayData(of: outbox.anna, on: april20)
        #expect(DaySummary(data, localTime: outbox.localTime, now: outbox.now).hours[8].steps == 4800)
        try await outbox.share(to: garden)
        #expect(garden.times(april20) == 1 && garden.steps(april20) == 4800)
    }
}
