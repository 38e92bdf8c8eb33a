import HTTP
import MQTTTestSupport
import StepDomain
import Testing
import WebTestSupport

@Suite(.timeLimit(.minutes(5))) struct HomeAssistantTests {
    /// - Parameter later: days from 2014-04-20 until now.
    private func destination(_ url: String, _ keys: String = "", later: Int = 0) throws -> any ShareDestination {
        try Fixture.destination(
            "[share.house]\nkind = 'home-assistant'\nurl = '\(url)'\ntoken_env = '\(TestSecret.variable)'\n\(keys)",
            now: { Timestamp(1_398_024_000 + later * 86_400) })
    }

    private func withHomeAssistant(_ body: (FakeHomeAssistant, WebVenue) async throws -> Void) async throws {
        let server = FakeHomeAssistant()
        let venue = try WebVenue(server) { $0 }
        defer { venue.close() }
        try await body(server, venue)
    }

    @Test func `a delivery imports statistics and sets the state of a sensor`() throws {
        let preview = try destination("https://example.org").preview([
            SharePayload(.easter(hours: [0: 8123], isInProgress: true))
        ])
        #expect(
            preview == #"""
                By WebSocket https://example.org/api/websocket, token •••••
                Hours and sums as for a statistic that is empty, in the time zone of this machine; they go on from what Home Assistant has, in its zone.
                {"metadata":{"has_mean":false,"has_sum":true,"name":"Steps of Anna","source":"istep","statistic_id":"istep:anna_steps","unit_of_measurement":"steps"},"stats":[{"start":"2014-04-19T22:00:00+00:00","state":8123,"sum":8123}],"type":"recorder/import_statistics"}

                GET /api/states/sensor.istep_anna HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Authorization: Bearer •••••

                POST /api/states/sensor.istep_anna HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/json
                Authorization: Bearer •••••
                Content-Length: 301

                {"attributes":{"completeness":"complete","date":"2014-04-20","distance_m":5432,"energy_kcal":232,"friendly_name":"Steps of Anna","goal":10000,"icon":"mdi:walk","last_reset":"2014-04-20T00:00:00+02:00","percentage":81.2,"state_class":"total","unit_of_measurement":"steps","user":"Anna"},"state":"8123"}
                """#)
    }

    @Test func `an older day never replaces a later one`() async throws {
        try await withHomeAssistant { _, venue in
            let destination = try destination(venue.server.url, later: 3)
            _ = try await destination.deliver([SharePayload(.easter(later: 3))])
            let older = [SharedDay.easter(steps: 5, later: 1), .easter(steps: 6, later: 2)]
            let receipts = try await destination.deliver(older.map { SharePayload($0) })
            #expect(receipts.count == 2)
            #expect(venue.held().map(\.day) == ["2014-04-23"])
            #expect(venue.server.requests.count { $0.method == "POST" } == 1)
        }
    }

    /// It stayed until its date.
    @Test func `a day that a clock ahead has sent is replaced`() async throws {
        try await withHomeAssistant { _, venue in
            _ = try await destination(venue.server.url, later: 30).deliver([SharePayload(.easter(later: 30))])
            let today = try destination(venue.server.url)
            _ = try await today.deliver([SharePayload(.easter(steps: 5))])
            #expect(venue.held().map(\.day) == ["2014-04-20"])
            _ = try await destination(venue.server.url, later: 30).deliver([SharePayload(.easter(later: 30))])
            try await today.restore([SharePayload(.easter(steps: 5))])
            #expect(venue.held().map(\.day) == ["2014-04-20"])
        }
    }

    @Test func `the latest of several days is set as the state`() async throws {
        try await withHomeAssistant { _, venue in
            let days = [4, 9, 2].map { SharePayload(.easter(steps: 100 + $0, later: $0)) }
            let receipts = try await destination(venue.server.url).deliver(days)
            #expect(receipts.count == 3)
            #expect(venue.held().map(\.steps) == [109])
            #expect(venue.sent().map { String($0.prefix(4)) } == ["GET ", "POST"])
        }
    }

    @Test func `every user has a separate sensor`() async throws {
        try await withHomeAssistant { server, venue in
            let names = ["Anna", "Zoë", "Zoe", "Анна", "Anna B.", "anna b", "👣"]
            let users = names.enumerated().map { User(id: Int64($0), name: $1) }
            let slugs = UserSlugs(users)
            let payloads = users.map { user in
                let day = SharedDay.easter(of: user, steps: Int(user.id))
                return SharePayload(day: day, key: day.fingerprint, slug: slugs[user])
            }
            _ = try await destination(venue.server.url).deliver(payloads)
            #expect(Set(venue.held().map(\.user)) == Set(names))
            #expect(
                ["sensor.istep_anna", "sensor.istep_zoe", "sensor.istep_anna_b"].allSatisfy(server.entities.contains))
        }
    }

    @Test func `a sensor with a fixed name belongs to one user`() async throws {
        try await withHomeAssistant { server, venue in
            let destination = try destination(venue.server.url, "entity = 'sensor.my_steps'")
            #expect(destination.traits.isPersonal)
            _ = try await destination.deliver([SharePayload(.easter())])
            #expect(server.entities == ["sensor.my_steps"])
        }
        #expect(try destination("https://example.org").traits.isPersonal == false)
    }

    @Test func `nothing is sent after a failed query`() async throws {
        try await withHomeAssistant { server, venue in
            let page = Answer.reply(headers: [("Content-Type", "text/html")], body: "<p>Hello")
            for answer in [Answer.closeWithoutAnswer, .reply(status: 500), .json("{}"), page] {
                venue.answerAll(answer)
                let failure = await #expect(throws: ShareFailure.self) {
                    try await destination(venue.server.url).deliver([SharePayload(.easter())])
                }
                #expect(failure?.kind == .unreachable)
            }
            #expect(!venue.server.requests.contains { $0.method == "POST" })
            #expect(server.commands("recorder/import_statistics").isEmpty)
        }
    }

    /// A past day is not sent to a sensor that does not exist: from any server that answers 404, it would count as
    /// sent.
    @Test func `only Home Assistant can answer that there is no sensor`() async throws {
        for (body, isConfirmed) in [("<p>Not Found", false), ("", false), (#"{"message":"Entity not found."}"#, true)] {
            let destination = try Fixture.destination(
                "[share.a]\nkind = 'home-assistant'\nurl = 'https://a.org'\ntoken_env = '\(TestSecret.variable)'\nstatistics = false",
                transport: { ScriptedTransport(.reply(404, body)) })
            let failure = await destination.failure(delivering: SharePayload(.easter(later: -1)))
            #expect(failure?.kind == (isConfirmed ? nil : .misconfigured))
            #expect(isConfirmed || failure?.advice?.hasPrefix("Check `url`") == true)
        }
    }

    @Test func `a state other than the sent one does not confirm a delivery`() async throws {
        try await withHomeAssistant { _, venue in
            for body in [
                #"{"entity_id":"sensor.istep_anna","state":"0"}"#, #"{"entity_id":"sensor.other","state":"8123"}"#,
            ] {
                venue.answerDeliveries(.json(body))
                let failure = await #expect(throws: ShareFailure.self) {
                    try await destination(venue.server.url).deliver([SharePayload(.easter())])
                }
                #expect(failure?.kind == .unanswered)
            }
        }
    }

    /// 0x99: payload format invalid. A rejected day would wait for the user, although it becomes due when the broker is
    /// configured.
    @Test func `a day that the broker refuses becomes due again`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            if let packet = wire.readPacket() { wire.acknowledge(packet, code: 0x99) }
            wire.readAll()
        }
        defer { withExtendedLifetime(broker) {} }
        let destination = try Fixture.destination(
            "[share.a]\nkind = 'home-assistant'\nvia = 'mqtt'\nhost = '127.0.0.1'\nport = \(broker.port)")
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(
            failure?.kind == .misconfigured && failure?.reason.contains("the broker refused") == true,
            "\(failure?.reason ?? "")")
    }

    @Test func `the check of a broker says that sending a message was not tried`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            wire.readAll()
        }
        defer { withExtendedLifetime(broker) {} }
        let destination = try Fixture.destination(
            "[share.a]\nkind = 'home-assistant'\nvia = 'mqtt'\nhost = '127.0.0.1'\nport = \(broker.port)")
        #expect(try await destination.check().hasSuffix("accepts the login; publishing was not tested"))
    }

    @Test func `an entity that is not a sensor is rejected`() {
        for entity in [
            "light.steps", "sensor.", "sensor.My Steps", "sensor._x", "sensor.x_", "sensor.a/../b", "sensor.{name}",
        ] {
            let text =
                "[share.a]\nkind = 'home-assistant'\nurl = 'https://a.org'\ntoken_file = '/t'\nentity = '\(entity)'"
            #expect(Fixture.problems(text).count == 1, "\(entity)")
        }
    }
}
