import Sharing
import StepDomain
import Testing

/// Whether the days of a user who is renamed get another place at a destination.
@Suite(.timeLimit(.minutes(5))) struct PlaceTests {
    @Test(
        arguments: [
            ("file", "", ["ANNA", "Maria"]), ("influx", "", ["ANNA", "Maria"]), ("fhir", "", ["ANNA", "Maria"]),
            ("rest", "", ["ANNA", "Maria"]), ("postgres", "", ["ANNA", "Maria"]),
            ("postgres", "subjects = { Anna = 'P-0042' }", []),
            ("mqtt", "", ["Maria"]), ("mqtt", "topic = 'steps/{date}'", []),
            ("home-assistant", "", ["Maria"]), ("home-assistant", "entity = 'sensor.steps'", ["Maria"]),
            ("home-assistant", "entity = 'sensor.steps'\nstatistics = false", []),
            ("beeminder", "", []), ("intervals-icu", "", []), ("mastodon", "", []), ("sms", "", []),
            ("command", "", []), ("command", "idempotent = true", ["ANNA", "Maria"]),
            ("soap", "", []), ("soap", "idempotent = true", ["ANNA", "Maria"]),
        ] as [(String, String, [String])])
    func `only a name that is part of the place changes it`(_ kind: String, _ keys: String, _ names: [String]) throws {
        let example = try #require(DestinationRegistry.kind(kind)).example
        let found = try namesWithAnotherPlace(Fixture.destination("\(example)\n\(keys)", environment: [:]))
        #expect(found == names)
    }

    @Test(
        arguments: [
            ("url = 'https://example.org/{date}'", []),
            ("url = 'https://example.org/{date}?of={user}'", ["ANNA", "Maria"]),
            // The address is the place of PUT, whatever its content is.
            ("url = 'https://example.org/{date}'\nmethod = 'PUT'\nbody = '{\"of\": \"{user}\"}'", []),
            ("url = 'https://example.org/{date}'\nmethod = 'POST'\nidempotent = true", ["ANNA", "Maria"]),
            ("url = 'https://example.org/{user}'\nmethod = 'POST'", []),
        ] as [(String, [String])]) func `the place of a request is its address`(_ keys: String, _ names: [String])
        throws
    {
        let table = "[share.garden]\nkind = 'rest'\n\(keys)"
        #expect(try namesWithAnotherPlace(Fixture.destination(table, environment: [:])) == names)
    }

    @Test func `a sensor by MQTT has the place of its topic`() throws {
        let table = "[share.house]\nkind = 'home-assistant'\nvia = 'mqtt'\nhost = 'localhost'\n"
        #expect(try namesWithAnotherPlace(Fixture.destination(table)) == ["Maria"])
        #expect(try namesWithAnotherPlace(Fixture.destination(table + "entity = 'sensor.steps'")) == [])
    }

    private func namesWithAnotherPlace(_ destination: any ShareDestination) -> [String] {
        func place(_ name: String) -> String? {
            let user = User(id: 1, name: name)
            return destination.place(of: user, slug: UserSlugs([user])[user])
        }
        return ["ANNA", "Maria"].filter { place($0) != place("Anna") }
    }
}
