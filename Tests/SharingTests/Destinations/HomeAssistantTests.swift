import HTTP
import StepDomain
import Testing
import WebStage

@Suite(.timeLimit(.minutes(5))) struct HomeAssistantTests {
    private func destination(_ url: String, _ keys: String = "") throws -> any ShareDestination {
        try Fixture.destination("[share.house]\nkind = 'home-assistant'\nurl = '\(url)'\ntoken_env = '\(TestSecret.variable)'\n\(keys)")
    }

    private func withHouse(_ body: (House, WebVenue) async throws -> Void) async throws {
        let house = House()
        let venue = try WebVenue(house) { $0 }
        defer { venue.close() }
        try await body(house, venue)
    }

    @Test func requestsAreWrittenLikeThis() throws {
        let preview = try destination("https://example.org").preview([ShareParcel(.easter())])
        #expect(preview == #"""
            GET /api/states/sensor.istep_anna HTTP/1.1
            Host: example.org
            Accept: */*
            Authorization: Bearer •••••

            POST /api/states/sensor.istep_anna HTTP/1.1
            Host: example.org
            Accept: */*
            Content-Type: application/json
            Authorization: Bearer •••••
            Content-Length: 271

            {"attributes":{"completeness":"complete","date":"2014-04-20","distance_m":5432,"energy_kcal":232,"friendly_name":"Steps of Anna","goal":10000,"icon":"mdi:walk","percentage":81.2,"state_class":"total_increasing","unit_of_measurement":"steps","user":"Anna"},"state":"8123"}
            """#)
    }

    @Test func anOlderDayNeverTakesThePlaceOfALaterOne() async throws {
        try await withHouse { _, venue in
            let destination = try destination(venue.server.url)
            _ = try await destination.deliver([ShareParcel(.easter(later: 3))])
            let older = [SharedDay.easter(steps: 5, later: 1), .easter(steps: 6, later: 2)]
            let receipts = try await destination.deliver(older.map { ShareParcel($0) })
            #expect(receipts.count == 2)
            #expect(venue.held().map(\.day) == ["2014-04-23"])
            #expect(venue.server.requests.count { $0.method == "POST" } == 1)
        }
    }

    @Test func ofManyDaysTheLatestIsSet() async throws {
        try await withHouse { _, venue in
            let days = [4, 9, 2].map { ShareParcel(.easter(steps: 100 + $0, later: $0)) }
            let receipts = try await destination(venue.server.url).deliver(days)
            #expect(receipts.count == 3)
            #expect(venue.held().map(\.steps) == [109])
            #expect(venue.server.requests.map(\.method) == ["GET", "POST"])
        }
    }

    @Test func everyUserHasASensor() async throws {
        try await withHouse { house, venue in
            let names = ["Anna", "Zoë", "Zoe", "Анна", "Anna B.", "anna b", "👣"]
            let parcels = names.enumerated().map { ShareParcel(.easter(of: User(id: Int64($0), name: $1), steps: $0)) }
            _ = try await destination(venue.server.url).deliver(parcels)
            #expect(Set(venue.held().map(\.user)) == Set(names))
            #expect(house.entities.contains("sensor.istep_anna") && house.entities.contains("sensor.istep_zoe"))
        }
    }

    @Test func aSensorOfOneNameIsOnePersons() async throws {
        try await withHouse { house, venue in
            let destination = try destination(venue.server.url, "entity = 'sensor.my_steps'")
            #expect(destination.traits.isPersonal)
            _ = try await destination.deliver([ShareParcel(.easter())])
            #expect(house.entities == ["sensor.my_steps"])
        }
        #expect(try destination("https://example.org").traits.isPersonal == false)
    }

    @Test func aQuestionThatIsLostSentNothing() async throws {
        try await withHouse { _, venue in
            let page = Answer.reply(headers: [("Content-Type", "text/html")], body: "<p>Hello")
            for answer in [Answer.closeWithoutAnswer, .reply(status: 500), .json("{}"), page] {
                venue.answerAll(answer)
                let failure = await #expect(throws: ShareFailure.self) {
                    try await destination(venue.server.url).deliver([ShareParcel(.easter())])
                }
                #expect(failure?.kind == .unreachable)
            }
            #expect(!venue.server.requests.contains { $0.method == "POST" })
        }
    }

    @Test func anotherStateThanTheOneThatWasSetIsNoConfirmation() async throws {
        try await withHouse { _, venue in
            for body in [#"{"entity_id":"sensor.istep_anna","state":"0"}"#, #"{"entity_id":"sensor.other","state":"8123"}"#] {
                venue.answerDeliveries(.json(body))
                let failure = await #expect(throws: ShareFailure.self) {
                    try await destination(venue.server.url).deliver([ShareParcel(.easter())])
                }
                #expect(failure?.kind == .unanswered)
            }
        }
    }

    @Test func anEntityIsASensor() {
        for entity in ["light.steps", "sensor.", "sensor.My Steps", "sensor._x", "sensor.x_", "sensor.a/../b", "sensor.{name}"] {
            let text = "[share.a]\nkind = 'home-assistant'\nurl = 'https://a.org'\ntoken_file = '/t'\nentity = '\(entity)'"
            #expect(Fixture.problems(text).count == 1, "\(entity)")
        }
    }
}
