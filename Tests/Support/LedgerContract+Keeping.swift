internal import StepDomain
internal import Testing

private let saturday = LedgerFixture.sunday.advanced(by: -1)
private let sunday = LedgerFixture.sunday
private let monday = sunday.advanced(by: 1)
private let now = LedgerFixture.now

extension LedgerContract {
    /// Entries and destinations as they were stored.
    static let keeping: [LedgerContract] = [
        LedgerContract("an entry is read as it was recorded, with all fields") { fixture in
            var entry = ShareEntry(
                user: fixture.user.id, day: sunday, destination: LedgerFixture.destination, state: .unknown, isRequested: true,
                fingerprint: "f", confirmed: "c", attempts: 3, firstAttempt: now - 60, nextAttempt: now + 60,
                lastError: "no answer: \"Grüße\" 🚶 '; DROP TABLE share", remoteID: "https://example.org/1?a=b&c=%20",
                changedAt: now - 30)
            try fixture.store.record([entry])
            #expect(try fixture.entries() == [entry])
            entry = ShareEntry(user: fixture.user.id, day: sunday, destination: LedgerFixture.destination, state: .sent, changedAt: now)
            try fixture.store.record([entry])
            #expect(try fixture.entries() == [entry], "nothing is left of what it was")
        },
        LedgerContract("many entries are recorded at once, and so is an empty list") { fixture in
            let entries = (0..<200).map {
                ShareEntry(user: fixture.user.id, day: sunday.advanced(by: $0), destination: LedgerFixture.destination, changedAt: now)
            }
            try fixture.store.record(entries)
            try fixture.store.record([])
            #expect(try fixture.entries() == entries)
        },
        LedgerContract("entries are listed by destination and state, in order") { fixture in
            let ben = try fixture.store.addUser(named: "Ben")
            let all = [("a", saturday, fixture.user), ("a", sunday, fixture.user), ("a", sunday, ben), ("b", saturday, ben)]
                .map { ShareEntry(user: $2.id, day: $1, destination: $0, state: $2 == ben ? .rejected : .sent, changedAt: now) }
            try fixture.store.record(all.reversed())
            let states = Set(ShareEntry.State.allCases)
            #expect(try fixture.store.entries(for: nil, in: states) == all)
            #expect(try fixture.store.entries(for: "a", in: states) == Array(all[..<3]))
            #expect(try fixture.store.entries(for: nil, in: [.rejected, .pending]) == [all[2], all[3]])
            #expect(try fixture.store.entries(for: "b", in: [.rejected]) == [all[3]])
            #expect(try fixture.store.entries(for: "b", in: [.sent]).isEmpty)
            #expect(try fixture.store.entries(for: nil, in: []).isEmpty)
            #expect(try fixture.store.entries(for: "c", in: states).isEmpty)
        },
        LedgerContract("only the given entry is removed") { fixture in
            try fixture.enqueue(sunday, monday)
            let due = try fixture.due()
            try fixture.store.remove(due[0])
            #expect(try fixture.entries() == [due[1]])
            try fixture.store.remove(due[0])
            #expect(try fixture.entries() == [due[1]], "it was gone already")
        },
        LedgerContract("an unknown destination has the initial state") { fixture in
            let state = try fixture.store.state(of: "garden")
            #expect(state == DestinationState(name: "garden"))
        },
        LedgerContract("a destination's state is read as it was recorded") { fixture in
            let garden = DestinationState(name: "garden", firstDay: sunday, notBefore: now + 60, failures: 7, stopped: "HTTP 401")
            try fixture.store.record(garden)
            try fixture.store.record(DestinationState(name: "orchard", failures: 1))
            #expect(try fixture.store.state(of: "garden") == garden)
            try fixture.store.record(DestinationState(name: "garden", firstDay: sunday))
            #expect(try fixture.store.state(of: "garden") == DestinationState(name: "garden", firstDay: sunday))
            #expect(try fixture.store.state(of: "orchard").failures == 1)
        },
    ]

    /// The days for which there is data.
    static let knowing: [LedgerContract] = [
        LedgerContract("known days are those with steps, with hours without steps, and with corrections") { fixture in
            let thursday = sunday.advanced(by: 4)
            try fixture.walk(4000, on: monday)
            try fixture.correct(0, on: saturday)
            let start = Timestamp(thursday.daysSince1970 * 86_400)
            try fixture.merge(SampleBatch(coverage: [TimeSpan(start, start + 3600)]))
            func known(_ first: Day, _ last: Day) throws -> [Day] {
                try fixture.store.knownDays(of: fixture.user.id, from: first, through: last)
            }
            #expect(try known(saturday, thursday) == [saturday, monday, thursday])
            #expect(try known(sunday, monday) == [monday])
            #expect(try known(monday, monday) == [monday])
            #expect(try known(sunday, sunday).isEmpty)
            #expect(try known(Day(daysSince1970: -10_000_000), Day(daysSince1970: 10_000_000)).count == 3)
            #expect(try fixture.store.knownDays(of: fixture.user.id + 1, from: saturday, through: thursday).isEmpty)
        },
        LedgerContract("a day known only by a correction is unknown after its removal") { fixture in
            for day in [sunday, monday] { try fixture.correct(700, on: day) }
            try fixture.walk(4000, on: monday)
            for day in [sunday, monday] { try fixture.correct(nil, on: day) }
            #expect(try fixture.store.knownDays(of: fixture.user.id, from: sunday, through: monday) == [monday])
        },
    ]
}
