import StepDomain
import Testing

/// What arrives at every destination.
@Suite(.timeLimit(.minutes(5))) struct DeliveryContractTests {
    @Test(arguments: Fixture.all) func aDayArrivesWithItsFigures(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(tracks: [.track("ring", steps: 812, 0, 40), .track("watch", steps: 7)])
            let receipts = try await destination.deliver([ShareParcel(day)])
            #expect(receipts.count == 1)
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all) func aDayOfWhichLittleIsKnownArrives(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(steps: 0, metres: nil, kilocalories: nil, goal: nil, completeness: .partial)
            _ = try await destination.deliver([ShareParcel(day)])
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all) func daysAfterOneAnotherArrive(_ fixture: Fixture) async throws {
        guard fixture.holdsManyDays else { return }
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let days = (0..<5).map { SharedDay.easter(steps: 1000 + $0, later: $0) }
            var rest = days[...]
            while !rest.isEmpty {
                let batch = rest.prefix(destination.traits.batch)
                let receipts = try await destination.deliver(batch.map { ShareParcel($0) })
                #expect(receipts.count == batch.count)
                rest = rest.dropFirst(batch.count)
            }
            #expect(try await venue.held() == days.map(fixture.expected))
        }
    }

    @Test(arguments: Fixture.all) func theSameDayAgainIsHeldOnce(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter()
            for _ in 0..<3 { _ = try await destination.deliver([ShareParcel(day)]) }
            let count = destination.traits.resending == .repeats ? 3 : 1
            #expect(try await venue.held() == Array(repeating: fixture.expected(day), count: count))
        }
    }

    @Test(arguments: Fixture.all) func laterFiguresTakeThePlaceOfEarlierOnes(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            guard destination.traits.corrects else { return }
            let receipts = try await destination.deliver([
                ShareParcel(.easter(tracks: [.track("ring", steps: 812)]))
            ])
            let later = SharedDay.easter(steps: 9000, metres: 6000, tracks: [.track("ring", steps: 900, 12)])
            _ = try await destination.deliver([ShareParcel(later).corrected(to: later, receipts.first)])
            #expect(try await venue.held() == [fixture.expected(later)])
        }
    }

    static let names = [
        #"Anna "the 'walker'" O\Neill & <b>Sons</b>"#, "Zoë 👣👩‍👩‍👧‍👦 Ångström", "\u{202e}Anna\u{200f} \u{feff}שלום", "Anna\nBert\tCarl\r\n",
        "a=b,c d\\", "{user} %s %00 ../../etc ?x=1#y", "]]>&amp;<!--", "..", "\u{1}\u{1b}[31mred\u{7f}",
    ]

    @Test(arguments: Fixture.all, names) func aNameArrivesAsItIs(_ fixture: Fixture, _ name: String) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let day = SharedDay.easter(of: User(id: 2, name: name), tracks: [.track(name, steps: 5, 6)])
            _ = try await destination.deliver([ShareParcel(day)])
            #expect(try await venue.held() == [fixture.expected(day)])
        }
    }

    @Test(arguments: Fixture.all) func aPreviewIsWhatGoesOut(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let parcel = ShareParcel(.easter(tracks: [.track("ring", steps: 812, 0, 40)]))
            let preview = try destination.preview([parcel])
            #expect(try await venue.sent().isEmpty)
            _ = try await destination.deliver([parcel])
            #expect(try await venue.sent() == venue.announced(preview))
        }
    }

    @Test(arguments: Fixture.all) func aCheckTellsWhoIsThereAndChangesNothing(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(venue)
            let words = try await destination.check()
            #expect(!words.isEmpty)
            #expect(try await venue.held().isEmpty)
        }
    }
}
