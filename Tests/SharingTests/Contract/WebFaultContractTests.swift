import HTTP
import StepDomain
import Testing
import WebTestSupport

/// How a destination handles a web service that fails: above all, whether the day may have arrived.
@Suite(.timeLimit(.minutes(5))) struct WebFaultContractTests {
    static let statuses: [(Int, ShareFailure.Kind)] = [
        (301, .unreachable), (302, .unreachable), (400, .rejected), (401, .credentials), (403, .credentials),
        (407, .unreachable),
        (408, .busy), (413, .rejected), (422, .rejected), (423, .busy), (425, .busy), (429, .busy), (500, .unanswered),
        (501, .misconfigured), (502, .unanswered), (503, .busy), (504, .unanswered), (511, .unreachable),
        (599, .unanswered),
    ]

    @Test(arguments: Fixture.web, statuses)
    func `an HTTP error status determines the kind of failure`(
        _ fixture: Fixture, _ status: (code: Int, kind: ShareFailure.Kind)
    ) async throws {
        let failure = try await failure(fixture, .json(#"{"error":"the cat sleeps"}"#, status: status.code))
        #expect(failure?.kind == (try await isInDoubt(fixture, after: status.code) ? .unanswered : status.kind))
        #expect(failure?.reason.contains("the cat sleeps") == true)
        #expect(failure?.reason.contains("\(status.code)") == true)
    }

    @Test(arguments: Fixture.web) func `status 404 is reported with the message of the server`(_ fixture: Fixture)
        async throws
    {
        let failure = try await failure(fixture, .json(#"{"message":"no such cat"}"#, status: 404))
        #expect(failure?.kind == fixture.web?.notFound)
        #expect(failure?.reason.contains("no such cat") == true)
        if fixture.web?.notFound == .misconfigured { #expect(failure?.advice?.hasPrefix("Check `") == true) }
    }

    @Test(arguments: Fixture.web, [429, 503]) func `a failure contains the delay of the Retry-After header`(
        _ fixture: Fixture, _ status: Int
    )
        async throws
    {
        let failure = try await failure(fixture, .json("{}", status: status, headers: [("Retry-After", "120")]))
        #expect(failure?.retryAfter == 120)
    }

    static let lost: [Answer] = [
        .closeWithoutAnswer, .reset, .closeInTheMiddle(of: .reply(body: "{}")), .raw("SSH-2.0-OpenSSH_9.2\r\n"),
        .raw([0, 255, 13, 10, 13, 10]), .raw("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n{}"),
        .endlessBody(status: 200),
        .endlessHeaders, .reply(body: String(repeating: "[", count: 300 * 1024)),
    ]

    @Test(arguments: Fixture.web, lost.indices) func `a lost or broken answer leaves the result unknown`(
        _ fixture: Fixture, _ index: Int
    )
        async throws
    {
        let failure = try await failure(fixture, Self.lost[index])
        #expect(failure?.kind == .unanswered)
    }

    @Test(arguments: Fixture.web) func `the next delivery arrives after a lost answer`(_ fixture: Fixture) async throws
    {
        try await withWeb(fixture) { venue in
            let destination = try fixture.destination(venue)
            let payload = SharePayload(.easter())
            venue.answerDeliveries(.closeWithoutAnswer)
            await #expect(throws: ShareFailure.self) { try await destination.deliver([payload]) }
            venue.answerDeliveries(nil)
            _ = try await destination.deliver([payload])
            #expect(venue.held() == [fixture.expected(payload.day)])
        }
    }

    @Test(arguments: Fixture.web) func `a refused connection is reported as unreachable`(_ fixture: Fixture)
        async throws
    {
        try await withWeb(fixture) { venue in
            // The port of a stopped server may already be in use by another test's server; this port is reserved.
            let nobody = try UnansweredPort.refusing()
            let keys = venue.keys.replacing(venue.server.url, with: nobody.url)
            let destination = try Fixture.destination("[share.garden]\nkind = \"\(fixture.kind)\"\n\(keys)")
            defer { withExtendedLifetime(nobody) {} }
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination.deliver([SharePayload(.easter())])
            }
            #expect(failure?.kind == .unreachable)
            await #expect(throws: ShareFailure.self) { try await destination.check() }
        }
    }

    @Test(arguments: Fixture.web) func `a cancelled delivery ends at once with an unknown result`(_ fixture: Fixture)
        async throws
    {
        try await withWeb(fixture) { venue in
            let destination = try fixture.destination(venue)
            venue.answerDeliveries(.stall)
            let delivery = Task { try await destination.deliver([SharePayload(.easter())]) }
            await venue.server.wait { log in log.requests.contains { venue.service.isDelivery($0) } }
            delivery.cancel()
            let failure = await #expect(throws: ShareFailure.self) { try await delivery.value }
            #expect(failure?.kind == .unanswered)
        }
    }

    @Test(arguments: Fixture.web) func `a redirect is not followed`(_ fixture: Fixture) async throws {
        let other = try LoopbackServer.start { _ in .json("{}") }
        defer { other.stop() }
        for status in [301, 302, 303, 307, 308] {
            let failure = try await failure(
                fixture, .reply(status: status, headers: [("Location", other.url + "/elsewhere")]))
            #expect(failure?.kind == (try await isInDoubt(fixture, after: status) ? .unanswered : .unreachable))
        }
        #expect(other.log.connections == 0)
    }

    @Test(arguments: Fixture.web) func `a server message is shortened and shown without control characters`(
        _ fixture: Fixture
    ) async throws {
        let words = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\r\nsecond line\u{0}" + String(repeating: "long ", count: 1000)
        let failure = try await failure(
            fixture, .reply(status: 422, headers: [("Content-Type", "text/plain")], body: words))
        let reason = failure?.reason ?? ""
        #expect(reason.contains("second line") && reason.count < 400)
        #expect(!reason.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202e}" })
    }

    /// Whether the day may have arrived despite this answer and would be stored twice if sent again: many programs
    /// answer a POST that they have processed with 302 or 303, and proxies answer 503 while the server behind them
    /// continues.
    private func isInDoubt(_ fixture: Fixture, after status: Int) async throws -> Bool {
        var repeats = false
        try await withWeb(fixture) { repeats = try fixture.destination($0).traits.resending == .repeats }
        return repeats && [302, 303, 503].contains(status)
    }

    private func withWeb(_ fixture: Fixture, _ body: (WebVenue) async throws -> Void) async throws {
        try await fixture.withVenue { venue in try await body(try #require(venue as? WebVenue)) }
    }

    /// The failure of a delivery that the service answers like this.
    private func failure(_ fixture: Fixture, _ answer: Answer) async throws -> ShareFailure? {
        var failure: ShareFailure?
        try await withWeb(fixture) { venue in
            let destination = try fixture.destination(venue)
            venue.answerDeliveries(answer)
            failure = await #expect(throws: ShareFailure.self) {
                try await destination.deliver([SharePayload(.easter())])
            }
            #expect(venue.held() == [])
        }
        return failure
    }
}
