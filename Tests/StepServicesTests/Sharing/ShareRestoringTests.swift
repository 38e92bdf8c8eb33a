import StepDomain
import Testing
import TestSupport

/// Days that a destination has lost by itself are restored, and deliveries that build on one another do not run
/// concurrently.
@Suite(.timeLimit(.minutes(5))) struct ShareRestoringTests {
    private let outbox = OutboxFixture()
    private let april20 = Day("2014-04-20")!, april21 = Day("2014-04-21")!
    private let always = ShareTerms(since: Day("2014-04-01"))

    private var forgetful: ShareTraits {
        var traits = ShareTraits.replacing
        traits.needsRestoring = true
        return traits
    }

    @Test func `every share ends with the latest day that was confirmed`() async throws {
        let sensor = ScriptedDestination("sensor", forgetful, terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        try await outbox.share(to: sensor)
        #expect(sensor.restored.map { $0.map(\.day.day) } == [[april21]])
        // Nothing is new, and the day is restored all the same.
        let report = try await outbox.share(to: sensor).first
        #expect(report?.events.isEmpty == true && report?.failure == nil)
        #expect(sensor.restored.last?.map(\.day.steps) == [5000])
        #expect(sensor.deliveries.flatMap(\.self).count == 2)
    }

    /// Such as a statistic of Home Assistant that was cleared there.
    @Test func `days that the destination has lost are sent again, of the user who lost them`() async throws {
        let sensor = ScriptedDestination("sensor", forgetful, terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        try await outbox.share(to: sensor)
        #expect(sensor.asked.isEmpty, "nothing was confirmed yet")
        sensor.lose(outbox.anna.id)
        #expect(try await outbox.share(to: sensor).first?.outcomes == [.sent, .sent])
        #expect(sensor.asked == [april20] && sensor.times(april20) == 2 && sensor.times(april21) == 2)
        #expect(try await outbox.share(to: sensor).first?.events.isEmpty == true)
        sensor.lose(outbox.anna.id + 1)
        #expect(try await outbox.share(to: sensor).first?.events.isEmpty == true)
        // Other destinations are not asked.
        let plain = ScriptedDestination("plain", terms: always)
        for _ in 0..<2 { try await outbox.share(to: plain) }
        #expect(plain.asked.isEmpty)
    }

    @Test func `a day that was not confirmed is not restored`() async throws {
        let sensor = ScriptedDestination("sensor", forgetful, terms: always)
        try outbox.walk(4000, on: april20)
        sensor.script(.fail(ShareFailure(.rejected, "no")))
        try await outbox.share(to: sensor)
        #expect(sensor.restored.isEmpty)
    }

    @Test func `only destinations that need it restore the last day`() async throws {
        let plain = ScriptedDestination("plain", terms: always),
            down = ScriptedDestination("down", forgetful, terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: plain, down)
        #expect(plain.restored.isEmpty && down.restored.count == 1)
        try outbox.walk(4500, on: april20)
        down.script(.fail(ShareFailure(.unreachable, "down")))
        try await outbox.share(to: down)
        try await outbox.share(to: down)
        #expect(down.restored.count == 1)
    }

    @Test func `restoring that fails is left to the next share, unless the user has to act`() async throws {
        let sensor = ScriptedDestination("sensor", forgetful, terms: always)
        try outbox.walk(4000, on: april20)
        sensor.failRestoring(ShareFailure(.unreachable, "down"))
        let quiet = try #require(try await outbox.share(to: sensor).first)
        #expect(quiet.outcomes == [.sent] && quiet.failure == nil && quiet.state.notBefore == nil)
        sensor.failRestoring(ShareFailure(.credentials, "who are you?"))
        let stopped = try #require(try await outbox.share(to: sensor).first)
        #expect(stopped.failure?.kind == .credentials && stopped.state.stopped == "who are you?")
        #expect(outbox.history.state(of: "sensor").stopped == "who are you?")
    }

    @Test func `deliveries that build on one another are never under way together`() async throws {
        var sequential = ShareTraits.replacing
        sequential.isSequential = true
        let one = ScriptedDestination("one", sequential, terms: always),
            many = ScriptedDestination("many", terms: always)
        for number in 0..<20 { try outbox.walk(1000 + number, on: april20.advanced(by: -number)) }
        try await outbox.share(to: one)
        many.gather(2)
        try await outbox.share(to: many)
        #expect(one.deliveries.count == 20 && one.maximumTogether == 1)
        #expect(many.maximumTogether > 1)
    }
}
