import HTTP
import StepDomain
import Testing
import WebTestSupport

@testable import Sharing

/// Days on a server that stores every value and replaces none.
@Suite(.timeLimit(.minutes(5))) struct VictoriaMetricsTests {
    private func destination(_ metrics: ImitatedVictoriaMetrics) throws -> any ShareDestination {
        try Fixture.destination("[share.m]\nkind = 'influx'\nurl = '\(metrics.server.url)'\ndatabase = 'health'")
    }

    private func day(_ steps: Int, goal: Int? = 10_000) -> SharedDay {
        .easter(steps: steps, metres: Double(steps), goal: goal, tracks: [.track("ring", steps: steps)])
    }

    @Test(arguments: [
        ("v1.79.5", "VictoriaMetrics 1.79.5", "cannot be corrected"),
        ("v1.102.1", "VictoriaMetrics 1.102.1", "corrected only if"),
    ]) func `a check names its version and what it does with days`(version: String, name: String, limits: String)
        async throws
    {
        let metrics = try ImitatedVictoriaMetrics(version: version)
        let words = try await destination(metrics).check()
        #expect(
            words.hasPrefix("\(name) accepts points for \"health\"; ") && words.contains(limits)
                && !words.contains("1.8.0"), "\(words)")
    }

    @Test(arguments: [
        ("vm_app_version{version=\"x\", short_version=\"v1.84.9\"} 1", false),
        ("vm_app_version{short_version=\"v1.85.0\"} 1", true),
        ("# x\nvm_app_version{version=\"\", short_version=\"\"} 1", false), ("", false),
        ("x{short_version=\"v1.99.0\"}", false),
        ("vm_app_version{short_version=\"v2.0.1-cluster\"} 1", true),
    ]) func `a version that is not known replaces nothing`(metrics: String, keepsGreatest: Bool) {
        #expect(VictoriaMetrics(metrics, hiding: []).keepsGreatest == keepsGreatest)
    }

    @Test func `only VictoriaMetrics gets no days in progress`() async throws {
        let metrics = try ImitatedVictoriaMetrics(version: "v1.79.5")
        #expect(try await destination(metrics).currentTraits().acceptsUnfinishedDays == false)
        try await Fixture.influx.withVenue { venue in
            let influx = try Fixture.influx.destination(venue)
            #expect(try await influx.currentTraits() == influx.traits && influx.traits.acceptsUnfinishedDays)
        }
    }

    @Test(arguments: [
        ("v1.79.5", 9000, 10_000, true), ("v1.79.5", 8000, 10_000, true), ("v1.102.1", 9000, 10_000, false),
        ("v1.102.1", 8000, 10_000, true),
        // More steps, and a smaller goal.
        ("v1.102.1", 9000, 9000, true),
    ]) func `a correction is sent only if the server will show it`(
        version: String, steps: Int, goal: Int, isFixed: Bool
    ) async throws {
        let metrics = try ImitatedVictoriaMetrics(version: version)
        let destination = try destination(metrics)
        _ = try await destination.currentTraits()
        let receipts = try await destination.deliver([SharePayload(day(8123)), SharePayload(.easter(later: 1))])
        #expect(receipts == [ShareReceipt(remoteID: "1397995200"), ShareReceipt(remoteID: "1398081600")])
        let changed = day(steps, goal: goal)
        // As a correction, and as the first day of another history.
        for payload in [SharePayload(changed).corrected(to: changed, receipts.first), SharePayload(changed)] {
            #expect(
                try await destination.deliver([payload]) == [ShareReceipt(remoteID: "1397995200", isFixed: isFixed)])
        }
        #expect(metrics.written("steps_day_steps") == (isFixed ? [8123, 8123] : [8123, Double(steps), 8123]))
    }

    @Test func `what the server shows already is not written again`() async throws {
        let metrics = try ImitatedVictoriaMetrics(version: "v1.79.5")
        let destination = try destination(metrics)
        _ = try await destination.currentTraits()
        for _ in 0..<3 { #expect(try await destination.deliver([SharePayload(day(8123))]).map(\.isFixed) == [false]) }
        #expect(metrics.written("steps_day_steps") == [8123] && metrics.written("steps_steps") == [8123])
        // An earlier delivery was interrupted after the day: the samples are written now.
        let more = SharedDay.easter(metres: 8123, tracks: [.track("ring", steps: 8123), .track("clip", steps: 17)])
        #expect(try await destination.deliver([SharePayload(more)]).map(\.isFixed) == [false])
        #expect(
            metrics.written("steps_steps") == [8123, 17] || metrics.written("steps_steps").sorted() == [17, 8123, 8123])
    }

    @Test func `a user or household of a similar name is another one`() async throws {
        let metrics = try ImitatedVictoriaMetrics(version: "v1.79.5")
        let first = try destination(metrics)
        let second = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.server.url)'\ndatabase = 'health'\ntags = { household = 'sea' }"
        )
        for destination in [second, first] {
            _ = try await destination.currentTraits()
            #expect(try await destination.deliver([SharePayload(day(steps(destination)))]).map(\.isFixed) == [false])
        }
        func steps(_ destination: any ShareDestination) -> Int { metrics.written("steps_day_steps").isEmpty ? 5 : 7 }
        #expect(metrics.written("steps_day_steps").sorted() == [5, 7])
    }

    @Test func `a server that does not show what it has is named`() async throws {
        let metrics = try ImitatedVictoriaMetrics(version: "v1.102.1", exports: false)
        let destination = try destination(metrics)
        _ = try await destination.currentTraits()
        let failure = await destination.failure(delivering: SharePayload(day(8123)))
        #expect(failure?.reason.contains("unsupported path") == true)
        #expect(metrics.written("steps_day_steps") == [])
    }

    /// Days that were chosen for a server that replaces figures are not written to one that does not.
    @Test(arguments: [nil, 503]) func `a server that could not be asked what it is gets nothing in this run`(
        status: Int?
    ) async throws {
        let answer: Result<HTTPResponse, TransportError> =
            status.map { .success(HTTPResponse(status: $0)) } ?? .failure(.notSent(reason: "down"))
        let transport = ScriptedTransport(answer, .success(HTTPResponse(status: 204)))
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = 'https://example.org'\ndatabase = 'health'", transport: { transport })
        await #expect(throws: ShareFailure.self) { try await destination.currentTraits() }
        let failure = await destination.failure(delivering: SharePayload(day(8123)))
        #expect(failure?.reason.contains(status.map { "\($0)" } ?? "down") == true, "\(String(describing: failure))")
        #expect(transport.requests.count == 1)
    }
}
