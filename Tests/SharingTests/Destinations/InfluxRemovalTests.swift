import HTTP
import StepDomain
import Testing

/// Points of days of several users that were sent to 00:00 UTC.
@Suite(.timeLimit(.minutes(5))) struct InfluxRemovalTests {
    private func destination(_ keys: String, _ transport: ScriptedTransport) throws -> any ShareDestination {
        try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = 'https://example.org'\n\(keys)", transport: { transport })
    }

    private func old(_ day: SharedDay) -> SharePayload {
        SharePayload(day: day, key: "k", isConfirmed: true, isMoved: true)
    }

    /// The day of the second user cannot be removed: it keeps its time. The first one is gone and must be written.
    @Test func `a point that was removed is written again although another one could not be removed`() async throws {
        let done = #"{"results":[{"statement_id":0},{"statement_id":1,"error":"no"}]}"#
        let keys = "bucket = 'b'\norg = 'o'\ntoken_env = '\(TestSecret.variable)'"
        let payloads = [old(.easter()), old(.easter(of: User(id: 2, name: "Ben")))]
        for (keys, transport) in [
            (keys, ScriptedTransport(.reply(204), .reply(400, "no"), .reply(204))),
            ("database = 'h'", ScriptedTransport(.reply(200, done), .reply(204))),
        ] {
            #expect(
                try await destination(keys, transport).deliver(payloads).map(\.remoteID) == [
                    "1397995200", "1397952000",
                ])
            let written = try #require(transport.requests.last?.preview)
            #expect(
                written.contains("user=Anna steps=8123i") && written.hasSuffix(" 1397995200")
                    && !written.contains("Ben"))
        }
    }
}
