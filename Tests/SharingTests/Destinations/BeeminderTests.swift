import HTTP
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct BeeminderTests {
    private func destination(_ keys: String = "", _ transport: ScriptedTransport = ScriptedTransport()) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.garden]\nkind = 'beeminder'\ngoal = 'steps'\ntoken_env = '\(TestSecret.variable)'\n\(keys)",
            transport: { transport })
    }

    @Test func `a request posts a datapoint with value, day and request ID`() throws {
        #expect(
            try destination("username = 'anna'").preview([SharePayload(.easter())]) == #"""
                POST /api/v1/users/anna/goals/steps/datapoints.json HTTP/1.1
                Host: www.beeminder.com
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/x-www-form-urlencoded
                Content-Length: •••••

                auth_token=•••••&value=8123&daystamp=20140420&comment=from%20istep&requestid=istep-2014-04-20
                """#)
    }

    @Test(arguments: [
        (422, #"{"errors":"Duplicate datapoint"}"#), (422, "duplicate datapoint"),
        (200, #"{"errors":["duplicate datapoint"]}"#),
        (400, #"{"errors":{"message":"This is a duplicate datapoint."}}"#),
    ]) func `a duplicate datapoint counts as a confirmation`(_ status: Int, _ body: String) async throws {
        let receipts = try await destination("", ScriptedTransport(.reply(status, body))).deliver([
            SharePayload(.easter())
        ])
        #expect(receipts == [ShareReceipt()])
    }

    @Test func `an error status confirms nothing despite a message about a duplicate`() async throws {
        for (status, kind) in [(500, ShareFailure.Kind.unanswered), (401, .credentials), (429, .busy)] {
            let transport = ScriptedTransport(.reply(status, #"{"errors":"duplicate datapoint"}"#))
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination("", transport).deliver([SharePayload(.easter())])
            }
            #expect(failure?.kind == kind)
        }
    }

    @Test func `a receipt contains the ID of the datapoint`() async throws {
        let body =
            #"{"id":"4f9dd9fd","daystamp":"20140420","value":8123.0,"comment":"from istep","requestid":"istep-2014-04-20"}"#
        let receipts = try await destination("", ScriptedTransport(.reply(200, body))).deliver([SharePayload(.easter())]
        )
        #expect(receipts == [ShareReceipt(remoteID: "4f9dd9fd")])
    }

    @Test func `a datapoint of another day or value does not confirm a delivery`() async throws {
        for body in [#"{"id":"4","daystamp":"20140421","value":8123}"#, #"{"id":"4","daystamp":"20140420","value":0}"#]
        {
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination("", ScriptedTransport(.reply(200, body))).deliver([SharePayload(.easter())])
            }
            #expect(failure?.kind == .unanswered)
        }
    }

    @Test func `a check creates no datapoints`() async throws {
        let transport = ScriptedTransport(.reply(200, "[]"), .reply(422, #"{"errors":"no datapoints"}"#))
        let destination = try destination("", transport)
        for _ in 0..<2 {
            #expect(try await destination.check() == #"goal "steps" of the token's owner at www.beeminder.com"#)
        }
        let request = try #require(transport.requests.first)
        #expect(
            request.url.description
                == "https://www.beeminder.com/api/v1/users/me/goals/steps/datapoints/create_all.json")
        #expect(request.preview.hasSuffix("\n\nauth_token=•••••&datapoints=%5B%5D"))
    }

    @Test func `an invalid goal name is rejected`() {
        for goal in ["steps/../weight", "my steps", "", ".."] {
            #expect(Fixture.problems("[share.a]\nkind = 'beeminder'\ntoken_file = '/t'\ngoal = '\(goal)'").count == 1)
        }
    }
}
