import StepDomain
import Testing

/// No destination shows its secret.
@Suite(.timeLimit(.minutes(5))) struct SecrecyContractTests {
    static var fixtures: [Fixture] { Fixture.all.filter(\.hasSecret) }

    @Test(arguments: fixtures) func `no output of a destination contains the secret`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let payload = SharePayload(.easter())
            let receipts = try await destination.deliver([payload])
            var dumped = ""
            dump(destination, to: &dumped)
            let shown = [
                try destination.preview([payload]), destination.location, "\(destination)",
                String(reflecting: destination), "\(receipts)",
                try await destination.check(), destination.problems().joined(), dumped,
            ]
            for text in shown { #expect(!text.contains(TestSecret.text) && !text.contains(TestSecret.plainPart)) }
        }
    }

    @Test(arguments: fixtures) func `nothing is sent without the secret`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue, environment: [:])
            #expect(destination.problems().count == 1)
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination.deliver([SharePayload(.easter())])
            }
            #expect(failure?.kind == .misconfigured)
            #expect(failure?.reason.contains(TestSecret.variable) == true)
            await #expect(throws: ShareFailure.self) { try await destination.check() }
            #expect(try await venue.sent().isEmpty)
        }
    }

    @Test(arguments: fixtures) func `a preview does not need the secret`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let payload = SharePayload(.easter())
            let preview = try fixture.destination(venue, environment: [:]).preview([payload])
            #expect(try preview == fixture.destination(venue).preview([payload]))
            #expect(preview.contains(TestSecret.bullets))
        }
    }

    @Test(arguments: fixtures) func `a destination with its secret reports no problems`(_ fixture: Fixture) async throws
    {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            #expect(destination.problems() == [])
        }
    }
}
