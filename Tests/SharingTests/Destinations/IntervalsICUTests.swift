import HTTP
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct IntervalsICUTests {
    private func destination(_ keys: String = "", _ transport: ScriptedTransport = ScriptedTransport()) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.garden]\nkind = 'intervals-icu'\napi_key_env = '\(TestSecret.variable)'\n\(keys)",
            transport: { transport })
    }

    @Test func `a request puts the steps into the wellness record of the day`() throws {
        #expect(
            try destination("athlete = 'i12345'").preview([SharePayload(.easter())]) == #"""
                PUT /api/v1/athlete/i12345/wellness/2014-04-20 HTTP/1.1
                Host: intervals.icu
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/json
                Authorization: Basic •••••
                Content-Length: 14

                {"steps":8123}
                """#)
    }

    @Test func `a destination belongs to one user`() throws {
        #expect(try destination().traits.isPersonal)
        #expect(try destination().location == "https://intervals.icu, athlete 0")
    }

    @Test func `a record with another day or other steps does not confirm`() async throws {
        for body in [
            #"{"id":"2014-04-20","steps":8122}"#, #"{"id":"2014-04-21","steps":8123}"#,
            #"{"id":"2014-04-20","steps":null}"#,
        ] {
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination("", ScriptedTransport(.reply(200, body))).deliver([SharePayload(.easter())])
            }
            #expect(failure?.kind == .unanswered)
        }
    }

    @Test func `a check reports the name of the athlete`() async throws {
        let transport = ScriptedTransport(
            .reply(200, "{\"id\":\"i12345\",\"name\":\"Anna\\u001b[2J\",\"sportSettings\":[]}"))
        #expect(try await destination("", transport).check() == #"athlete "Anna\u{1b}[2J" at intervals.icu"#)
        #expect(transport.requests.first?.url.description == "https://intervals.icu/api/v1/athlete/0")
    }

    @Test func `an invalid athlete ID is rejected`() {
        for athlete in ["anna", "i12/../..", "", "12 3"] {
            #expect(
                Fixture.problems("[share.a]\nkind = 'intervals-icu'\napi_key_file = '/k'\nathlete = '\(athlete)'").count
                    == 1)
        }
    }
}
