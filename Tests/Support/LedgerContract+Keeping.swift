internal import StepDomain
internal import Testing

private let saturday = LedgerStage.sunday.advanced(by: -1)
private let sunday = LedgerStage.sunday
private let monday = sunday.advanced(by: 1)
private let now = LedgerStage.now

extension LedgerContract {
    /// Entries and destinations as they were stored.
    static let keeping: [LedgerContract] = [
        LedgerContract("an entry is read as it was recorded, with all that it says") { stage in
            var entry = ShareEntry(
                user: stage.user.id, day: sunday, destination: LedgerStage.destination, state: .unknown, isAsked: true,
                fingerprint: "f", confirmed: "c", attempts: 3, firstAttempt: now - 60, nextAttempt: now + 60,
                lastError: "no answer: \"Grüße\" 🚶 '; DROP TABLE share", remoteID: "https://example.org/1?a=b&c=%20",
                changedAt: now - 30)
            try stage.store.record([entry])
            #expect(try stage.entries() == [entry])
            entry = ShareEntry(user: stage.user.id, day: sunday, destination: LedgerStage.destination, state: .sent, changedAt: now)
            try stage.store.record([entry])
            #expect(try stage.entries() == [entry], "nothing is left of what it was")
        },
        LedgerContract("many entries are recorded at once, and none is none") { stage in
            let entries = (0..<200).map {
                ShareEntry(user: stage.user.id, day: sunday.advanced(by: $0), destination: LedgerStage.destination, changedAt: now)
            }
            try stage.store.record(entries)
            try stage.store.record([])
            #expect(try stage.entries() == entries)
        },
        LedgerContract("entries are listed by destination and state, in order") { stage in
            let ben = try stage.store.addUser(named: "Ben")
            let all = [("a", saturday, stage.user), ("a", sunday, stage.user), ("a", sunday, ben), ("b", saturday, ben)]
                .map { ShareEntry(user: $2.id, day: $1, destination: $0, state: $2 == ben ? .rejected : .sent, changedAt: now) }
            try stage.store.record(all.reversed())
            let states = Set(ShareEntry.State.allCases)
            #expect(try stage.store.entries(for: nil, in: states) == all)
            #expect(try stage.store.entries(for: "a", in: states) == Array(all[..<3]))
            #expect(try stage.store.entries(for: nil, in: [.rejected, .pending]) == [all[2], all[3]])
            #expect(try stage.store.entries(for: "b", in: [.rejected]) == [all[3]])
            #expect(try stage.store.entries(for: "b", in: [.sent]).isEmpty)
            #expect(try stage.store.entries(for: nil, in: []).isEmpty)
            #expect(try stage.store.entries(for: "c", in: states).isEmpty)
        },
        LedgerContract("an entry is removed, and no other") { stage in
            try stage.enqueue(sunday, monday)
            let due = try stage.due()
            try stage.store.remove(due[0])
            #expect(try stage.entries() == [due[1]])
            try stage.store.remove(due[0])
            #expect(try stage.entries() == [due[1]], "it was gone already")
        },
        LedgerContract("a destination that was never met is as good as new") { stage in
            let state = try stage.store.state(of: "garden")
            #expect(state == DestinationState(name: "garden"))
        },
        LedgerContract("a destination's state is read as it was recorded") { stage in
            let garden = DestinationState(name: "garden", firstDay: sunday, notBefore: now + 60, failures: 7, stopped: "HTTP 401")
            try stage.store.record(garden)
            try stage.store.record(DestinationState(name: "orchard", failures: 1))
            #expect(try stage.store.state(of: "garden") == garden)
            try stage.store.record(DestinationState(name: "garden", firstDay: sunday))
            #expect(try stage.store.state(of: "garden") == DestinationState(name: "garden", firstDay: sunday))
            #expect(try stage.store.state(of: "orchard").failures == 1)
        },
    ]

    /// The days for which there is data.
    static let knowing: [LedgerContract] = [
        LedgerContract("known are the days of steps, of quiet hours and of corrections") { stage in
            let thursday = sunday.advanced(by: 4)
            try stage.walk(4000, on: monday)
            try stage.correct(0, on: saturday)
            let start = Timestamp(thursday.daysSince1970 * 86_400)
            try stage.merge(SampleBatch(coverage: [TimeSpan(start, start + 3600)]))
            func known(_ first: Day, _ last: Day) throws -> [Day] {
                try stage.store.knownDays(of: stage.user.id, from: first, through: last)
            }
            #expect(try known(saturday, thursday) == [saturday, monday, thursday])
            #expect(try known(sunday, monday) == [monday])
            #expect(try known(monday, monday) == [monday])
            #expect(try known(sunday, sunday).isEmpty)
            #expect(try known(Day(daysSince1970: -10_000_000), Day(daysSince1970: 10_000_000)).count == 3)
            #expect(try stage.store.knownDays(of: stage.user.id + 1, from: saturday, through: thursday).isEmpty)
        },
        LedgerContract("a day known only by a correction is unknown after its removal") { stage in
            for day in [sunday, monday] { try stage.correct(700, on: day) }
            try stage.walk(4000, on: monday)
            for day in [sunday, monday] { try stage.correct(nil, on: day) }
            #expect(try stage.store.knownDays(of: stage.user.id, from: sunday, through: monday) == [monday])
        },
    ]
}
