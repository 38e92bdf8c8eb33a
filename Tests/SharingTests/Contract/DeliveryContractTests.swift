import StepDomain
import Testing

/// What arrives at every destination.
@Suite(.timeLimit(.minutes(5))) struct DeliveryContractTests {
    @Test(arguments: Fixture.all) func `a delivered day arrives with its figures`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(tracks: [.track("ring", steps: 812, 0, 40), .track("watch", steps: 7)])
            let receipts = try await destination.deliver([SharePayload(day)])
            #expect(receipts.count == 1)
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all) func `a day with few known figures arrives`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(steps: 0, metres: nil, kilocalories: nil, goal: nil, completeness: .partial)
            _ = try await destination.deliver([SharePayload(day)])
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all.filter(\.holdsManyDays)) func `consecutive days all arrive`(_ fixture: Fixture)
        async throws
    {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let days = (0..<5).map { SharedDay.easter(steps: 1000 + $0, later: $0) }
            var rest = days[...]
            while !rest.isEmpty {
                let batch = rest.prefix(destination.traits.batch)
                let receipts = try await destination.deliver(batch.map { SharePayload($0) })
                #expect(receipts.count == batch.count)
                rest = rest.dropFirst(batch.count)
            }
            #expect(try await venue.held() == days.map(fixture.expected))
        }
    }

    @Test(arguments: Fixture.all) func `a repeated delivery is stored once where the destination prevents duplicates`(
        _ fixture: Fixture
    )
        async throws
    {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter()
            for _ in 0..<3 { _ = try await destination.deliver([SharePayload(day)]) }
            let count = destination.traits.resending == .repeats && !fixture.knowsKeys ? 3 : 1
            #expect(try await venue.held() == Array(repeating: fixture.expected(day), count: count))
        }
    }

    /// The outbox decides by it whether a changed day is sent once more.
    @Test(arguments: Fixture.all) func `the traits say whether a day can be corrected`(_ fixture: Fixture) async throws
    {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            #expect(destination.traits.corrects == fixture.corrects)
        }
    }

    @Test(arguments: Fixture.all.filter(\.corrects)) func `corrected figures replace the earlier ones`(
        _ fixture: Fixture
    ) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let receipts = try await destination.deliver([
                SharePayload(.easter(tracks: [.track("ring", steps: 812)]))
            ])
            let later = SharedDay.easter(steps: 9000, metres: 6000, tracks: [.track("ring", steps: 900, 12)])
            _ = try await destination.deliver([SharePayload(later).corrected(to: later, receipts.first)])
            #expect(try await venue.held() == [fixture.expected(later)])
        }
    }

    static let names = [
        #"Anna "the 'walker'" O\Neill & <b>Sons</b>"#, "Zoë 👣👩‍👩‍👧‍👦 Ångström", "\u{202e}Anna\u{200f} \u{feff}שלום",
        "Anna\nBert\tCarl\r\n",
        "a=b,c d\\", "{user} %s %00 ../../etc ?x=1#y", "]]>&amp;<!--", "..", "\u{1}\u{1b}[31mred\u{7f}",
    ]

    @Test(arguments: Fixture.all, names) func `a name with special characters arrives unchanged`(
        _ fixture: Fixture, _ name: String
    ) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(of: User(id: 2, name: name), tracks: [.track(name, steps: 5, 6)])
            _ = try await destination.deliver([SharePayload(day)])
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all) func `a preview shows exactly what is sent`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let payload = SharePayload(.easter(tracks: [.track("ring", steps: 812, 0, 40)]))
            let preview = try destination.preview([payload])
            #expect(try await venue.sent().isEmpty)
            _ = try await destination.deliver([payload])
            #expect(try await venue.sent() == venue.announced(preview))
        }
    }

    @Test(arguments: Fixture.all) func `a check describes the destination and changes nothing`(_ fixture: Fixture)
        async throws
    {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let words = try await destination.check()
            #expect(!words.isEmpty)
            #expect(try await venue.held().isEmpty)
        }
    }
}
