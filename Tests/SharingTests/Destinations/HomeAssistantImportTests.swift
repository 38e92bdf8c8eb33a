import HTTP
import StepDomain
import Testing
import WebTestSupport

/// How days are imported into the statistics of a simulated Home Assistant, and what happens to them on errors.
@Suite(.timeLimit(.minutes(5))) struct HomeAssistantImportTests {
    private static let id = "istep:anna_steps"

    private func withHomeAssistant(
        _ server: FakeHomeAssistant = FakeHomeAssistant(), _ keys: String = "",
        _ body: (FakeHomeAssistant, WebVenue, any ShareDestination) async throws -> Void
    ) async throws {
        let venue = try WebVenue(server) { $0 }
        defer { venue.close() }
        let destination = try Fixture.destination(
            "[share.house]\nkind = 'home-assistant'\nurl = '\(venue.server.url)'\ntoken_env = '\(TestSecret.variable)'\n\(keys)"
        )
        try await body(server, venue, destination)
    }

    /// Easter Sunday and days around it, by Berlin's clocks.
    private func span(_ later: Int) -> TimeSpan {
        let midnight = Timestamp((16_180 + later) * 86_400 - 7200)
        return TimeSpan(midnight, midnight + 86_400)
    }

    private func payload(_ later: Int, _ hours: [Int: Int]) -> SharePayload {
        SharePayload(.easter(steps: hours.values.reduce(0, +), hours: hours, later: later))
    }

    @Test func `a statistic that was cleared is noticed, also after a new day`() async throws {
        try await withHomeAssistant(FakeHomeAssistant()) { server, _, destination in
            let first = SharePayload(.easter(hours: [8: 8123])),
                second = SharePayload(.easter(hours: [8: 8123], later: 1))
            _ = try await destination.deliver([first, second])
            #expect(try await destination.lost([first]) == [])
            server.disturb("istep:anna_steps") { $0 = [:] }
            _ = try await destination.deliver([second])
            #expect(try await destination.lost([first]) == [User.anna.id])
            _ = try await destination.deliver([first])
            #expect(try await destination.lost([first]) == [])
        }
        try await withHomeAssistant(FakeHomeAssistant(), "statistics = false") { _, _, destination in
            let lost = try await destination.lost([SharePayload(.easter())])
            #expect(lost.isEmpty)
        }
    }

    @Test func `a check without statistics asks for the right to set a sensor, and sets none`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(), "statistics = false") { server, _, destination in
            let words = try await destination.check()
            #expect(words.hasSuffix("only the sensor") && server.entities.isEmpty)
        }
        try await withHomeAssistant(FakeHomeAssistant(isAdministrator: false), "statistics = false") {
            _, _, destination in
            for failure in [
                await destination.failureOfCheck(), await destination.failure(delivering: SharePayload(.easter())),
            ] {
                #expect(failure?.kind == .credentials && failure?.advice == "Use the token of an administrator.")
                #expect(failure?.reason.contains("only an administrator may set sensors") == true)
            }
        }
    }

    @Test func `days are added to the statistics, and a late correction changes the later sums`() async throws {
        try await withHomeAssistant { server, _, destination in
            _ = try await destination.deliver([
                payload(-2, [8: 500, 9: 100]), payload(-1, [10: 1000]), payload(0, [7: 300]),
            ])
            #expect((-2...0).map { server.steps(Self.id, span($0)) } == [600, 1000, 300])
            _ = try await destination.deliver([payload(-2, [8: 550])])
            #expect((-2...0).map { server.steps(Self.id, span($0)) } == [550, 1000, 300])
            // Days before all existing rows, one of them years before.
            for later in [-3, -800] { _ = try await destination.deliver([payload(later, [12: 40])]) }
            #expect([-800, -3, -2, -1, 0].map { server.steps(Self.id, span($0)) } == [40, 40, 550, 1000, 300])
            _ = try await destination.deliver([payload(-790, [12: 60])])
            #expect(
                [-800, -790, -3, -2, -1, 0].map { server.steps(Self.id, span($0)) } == [40, 60, 40, 550, 1000, 300])
        }
    }

    @Test func `imported days are not imported again`() async throws {
        try await withHomeAssistant { server, _, destination in
            for _ in 0..<2 { _ = try await destination.deliver([payload(0, [7: 300])]) }
            #expect(server.commands("recorder/import_statistics").count == 1)
        }
    }

    @Test func `a preview contains the import that is sent`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(timeZone: "Africa/Johannesburg")) { server, _, destination in
            let preview = try destination.preview([payload(0, [7: 300, 9: 20])])
            _ = try await destination.deliver([payload(0, [7: 300, 9: 20])])
            let sent = try #require(server.commands("recorder/import_statistics").first)
            #expect(preview.contains(sent.replacing(/"id":[0-9]+,/, with: "")))
        }
    }

    @Test func `data whose answer was lost may have arrived, and the next delivery corrects them`() async throws {
        try await withHomeAssistant { server, _, destination in
            _ = try await destination.deliver([payload(-1, [10: 1000]), payload(0, [7: 300])])
            server.loseAnswers(true)
            let failure = await destination.failure(delivering: payload(-1, [10: 900]))
            #expect(failure?.kind == .unanswered)
            server.loseAnswers(false)
            _ = try await destination.deliver([payload(-1, [10: 900])])
            #expect([-1, 0].map { server.steps(Self.id, span($0)) } == [900, 300])
        }
    }

    @Test func `wrong sums left by a killed import are corrected by the next delivery`() async throws {
        try await withHomeAssistant { server, _, destination in
            _ = try await destination.deliver([payload(-1, [10: 1000]), payload(0, [7: 300])])
            server.disturb(Self.id) { rows in
                for hour in rows.keys.sorted().suffix(10) { rows[hour]?.sum += 77 }
            }
            _ = try await destination.deliver([payload(-1, [10: 1000])])
            #expect([-1, 0].map { server.steps(Self.id, span($0)) } == [1000, 300])
        }
    }

    @Test func `without a recorder only the sensor is set`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(components: ["api"])) { server, venue, destination in
            _ = try await destination.deliver([payload(0, [7: 300])])
            #expect(server.rows(Self.id).isEmpty && venue.held().map(\.steps) == [300])
            #expect(try await destination.check().contains("without its recorder"))
        }
    }

    @Test func `statistics can be left out`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(), "statistics = false") { server, venue, destination in
            #expect(destination.traits.showsLatestOnly && !destination.traits.includesSamples)
            _ = try await destination.deliver([payload(0, [7: 300])])
            #expect(
                venue.held().map(\.steps) == [300] && !venue.server.requests.contains { $0.target == "/api/websocket" })
            #expect(!(try destination.preview([payload(0, [7: 300])])).contains("WebSocket"))
            _ = try await destination.check()
        }
    }

    @Test func `a user who is not an administrator is reported`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(isAdministrator: false)) { _, _, destination in
            let failure = await destination.failure(delivering: payload(0, [7: 300]))
            #expect(failure?.kind == .credentials && failure?.advice?.contains("administrator") == true)
            let check = await destination.failureOfCheck()
            #expect(check?.kind == .credentials && check?.reason.contains("not an administrator") == true)
        }
    }

    @Test func `a check reports version, rights and recorder`() async throws {
        try await withHomeAssistant { _, venue, destination in
            let words = try await destination.check()
            #expect(
                words
                    == "Home Assistant 2024.3.3 at \(venue.server.url), administrator \"Anna\"; its recorder keeps statistics"
            )
        }
    }

    @Test func `newer versions of Home Assistant get the keys that they require`() async throws {
        for (version, isNew) in [
            ("2024.3.3", false), ("2025.10.4", false), ("2025.11.0", true), ("2026.2.0b1", true), ("", false),
            ("x.y", false),
        ] {
            try await withHomeAssistant(FakeHomeAssistant(version: version)) { server, _, destination in
                _ = try await destination.deliver([payload(0, [7: 300])])
                let sent = try #require(server.commands("recorder/import_statistics").first)
                #expect(sent.contains("\"mean_type\":0") == isNew && sent.contains("\"unit_class\":null") == isNew)
                #expect(sent.contains("\"has_mean\":false") == !isNew)
            }
        }
    }

    @Test func `a time zone that is not known is not guessed`() async throws {
        try await withHomeAssistant(FakeHomeAssistant(timeZone: "Nowhere/At_All")) { server, _, destination in
            let failure = await destination.failure(delivering: payload(0, [7: 300]))
            #expect(failure?.kind == .misconfigured && server.rows(Self.id).isEmpty)
        }
    }

    @Test(arguments: Echo.phases) func `no part of a token that Home Assistant repeats is shown`(_ phase: Int)
        async throws
    {
        let text = Echo(phase: phase).text
        for server in [
            FakeHomeAssistant(timeZone: text), FakeHomeAssistant(version: text), FakeHomeAssistant(name: text),
            FakeHomeAssistant(isAdministrator: false, name: text),
        ] {
            try await withHomeAssistant(server) { _, _, destination in
                var said = [await destination.failure(delivering: payload(0, [7: 300]))?.reason ?? ""]
                do throws(ShareFailure) {
                    said.append(try await destination.check())
                } catch {
                    said.append(error.reason)
                }
                #expect(!said.contains(where: Echo.isContained), "\(said)")
            }
        }
    }

    @Test func `a wrong token is refused`() async throws {
        try await withHomeAssistant { _, venue, _ in
            let stranger = try Fixture.destination(
                "[share.house]\nkind = 'home-assistant'\nurl = '\(venue.server.url)'\ntoken_env = 'T'",
                environment: ["T": "nonsense"])
            #expect(await stranger.failure(delivering: payload(0, [7: 300]))?.kind == .credentials)
        }
    }

    static let refusals: [(Int, ShareFailure.Kind)] = [
        (200, .unreachable), (302, .unreachable), (400, .misconfigured), (401, .credentials), (403, .credentials),
        (404, .misconfigured),
        (429, .busy),
        (500, .unreachable), (502, .unreachable), (503, .busy),
    ]

    /// No change was requested yet, so no day is rejected or in doubt.
    @Test(arguments: refusals) func `a refused WebSocket handshake is reported with its status and message`(
        _ status: Int, _ kind: ShareFailure.Kind
    ) async throws {
        try await withHomeAssistant { server, venue, destination in
            venue.answerAll(.json(#"{"message":"the cat sleeps"}"#, status: status))
            let failure = await destination.failure(delivering: payload(0, [7: 300]))
            #expect(failure?.kind == kind && failure?.reason.contains("the cat sleeps") == true)
        }
    }

    // MARK: The sensor

    @Test func `a lost sensor is restored, and a later day is not replaced`() async throws {
        try await withHomeAssistant { server, venue, destination in
            _ = try await destination.deliver([payload(0, [7: 300])])
            server.forgetSensors()
            try await destination.restore([payload(0, [7: 300])])
            #expect(venue.held().map(\.steps) == [300])
            let requests = venue.server.requests.count
            try await destination.restore([payload(0, [7: 300])])
            try await destination.restore([payload(-1, [7: 5])])
            #expect(venue.held().map(\.steps) == [300])
            #expect(venue.server.requests.dropFirst(requests).allSatisfy { $0.method == "GET" })
        }
    }

    @Test func `yesterday's last value is sent to the sensor before today's first value`() async throws {
        try await withHomeAssistant { _, venue, destination in
            _ = try await destination.deliver([payload(-1, [20: 700])])
            try await destination.restore([payload(-1, [20: 700])])
            _ = try await destination.deliver([payload(-1, [20: 700, 23: 50]), payload(0, [0: 3])])
            let bodies = venue.server.requests.filter { $0.method == "POST" }.map(\.text)
            #expect(bodies.map { $0.contains("\"state\":\"700\"") } == [true, false, false])
            #expect(bodies.map { $0.contains("\"state\":\"750\"") } == [false, true, false])
            #expect(bodies.map { $0.contains("\"state\":\"3\"") } == [false, false, true])
        }
    }

    @Test func `the sensor of a past day is not made anew by a correction`() async throws {
        try await withHomeAssistant { _, venue, destination in
            _ = try await destination.deliver([payload(-1, [20: 700])])
            #expect(venue.held().isEmpty)
        }
    }
}
