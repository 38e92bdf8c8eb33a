internal import StepDomain
internal import Testing

private let saturday = LedgerFixture.sunday.advanced(by: -1)
private let sunday = LedgerFixture.sunday
private let monday = sunday.advanced(by: 1)
private let now = LedgerFixture.now

extension LedgerContract {
    /// Which entries are due at which time.
    static let handingOut: [LedgerContract] = [
        LedgerContract("at most as many entries are returned as were requested") { fixture in
            for day in [saturday, sunday, monday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges(since: saturday)
            #expect(try fixture.due(limit: 0).isEmpty)
            #expect(try fixture.due(limit: 2).map(\.day) == [saturday, sunday])
        },
        LedgerContract("only days of the given users are returned") { fixture in
            let ben = try fixture.store.addUser(named: "Ben")
            for user in [ben, fixture.user] {
                try fixture.store.enqueue([sunday, monday], of: user.id, for: LedgerFixture.destination, at: now)
            }
            func due(_ users: [User.ID]) throws -> [User.ID] {
                try fixture.store.due(for: LedgerFixture.destination, users: users, at: now, limit: 3).map(\.user)
            }
            #expect(try fixture.store.dueDays(for: LedgerFixture.destination, users: [], at: now).isEmpty)
            #expect(
                try fixture.store.dueDays(for: LedgerFixture.destination, users: [ben.id, ben.id], at: now).map(\.day)
                    == [sunday, monday])
            #expect(
                try fixture.store.dueDays(for: LedgerFixture.destination, users: [ben.id, fixture.user.id], at: now)
                    .count == 4)
            #expect(try due([]) == [])
            #expect(try due([-1]) == [])
            #expect(try due([ben.id, ben.id]) == [ben.id, ben.id])
            #expect(try due(Array(ben.id...ben.id + 40_000)) == [ben.id, ben.id], "as many people as you like")
            #expect(
                try due([ben.id, fixture.user.id]) == [fixture.user.id, ben.id, fixture.user.id],
                "by day, then by person")
        },
        LedgerContract("an entry is not due before its next attempt") { fixture in
            try fixture.enqueue(sunday)
            var entry = try #require(try fixture.due().first)
            entry.nextAttempt = now + 60
            try fixture.store.record([entry])
            #expect(try fixture.due(at: now + 59).isEmpty)
            #expect(
                try fixture.store.dueDays(for: LedgerFixture.destination, users: [fixture.user.id], at: now + 59)
                    .isEmpty)
            #expect(
                try fixture.store.dueDays(for: LedgerFixture.destination, users: [fixture.user.id], at: now + 60).count
                    == 1)
            #expect(try fixture.due(at: now + 60).map(\.day) == [sunday])
        },
        LedgerContract("an entry can be due in every state except sending") { fixture in
            for state in ShareEntry.State.allCases {
                try fixture.store.record([
                    ShareEntry(
                        user: fixture.user.id, day: sunday, destination: state.rawValue, state: state, nextAttempt: now,
                        changedAt: now)
                ])
                let isDue = state != .sending
                #expect(try fixture.due(for: state.rawValue).map(\.state) == (isDue ? [state] : []))
            }
        },
        LedgerContract("an entry without a next attempt is not due") { fixture in
            for state in ShareEntry.State.allCases {
                try fixture.store.record([
                    ShareEntry(
                        user: fixture.user.id, day: sunday, destination: state.rawValue, state: state, changedAt: now)
                ])
                #expect(try fixture.due(for: state.rawValue).isEmpty)
            }
        },
        LedgerContract("an entry stays due if the process is killed before the result is recorded") { fixture in
            try fixture.enqueue(sunday)
            try fixture.settle(try fixture.due())
            try fixture.enqueue(sunday)
            for _ in 0..<2 {
                let due = try fixture.due()
                #expect(due.map(\.day) == [sunday])
                let moment = try #require(due.first?.nextAttempt)
                #expect(moment <= now)
            }
        },
    ]

    /// Entries that are enqueued again while they are being sent.
    static let races: [LedgerContract] = [
        LedgerContract("a day that is enqueued while it is being sent is due again after that") { fixture in
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges()
            var entry = try #require(try fixture.due().first)
            entry.state = .sending
            entry.fingerprint = "4000"
            try fixture.store.record([entry])
            try fixture.walk(4500, on: sunday)
            try fixture.enqueueChanges()
            #expect(try fixture.due().isEmpty)
            try fixture.settle([entry])
            let due = try fixture.due()
            #expect(due.map(\.state) == [.sent])
            #expect(due.map(\.confirmed) == ["4000"])
            try fixture.settle(due)
            #expect(try fixture.due().isEmpty)
        },
        LedgerContract("a day that is enqueued while it is being sent has a next attempt afterwards") { fixture in
            try fixture.enqueue(sunday)
            let due = try fixture.due()
            try fixture.enqueue(sunday)
            try fixture.settle(due)
            let moment = try #require(try fixture.entries(.sent).first?.nextAttempt)
            #expect(moment <= now)
        },
        LedgerContract("a day that is requested while it is being sent stays requested") { fixture in
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges()
            let due = try fixture.due()
            try fixture.enqueue(sunday)
            try fixture.settle(due)
            #expect(try fixture.due().map(\.isRequested) == [true])
            try fixture.drain()
            #expect(try fixture.entries().map(\.isRequested) == [false])
        },
        LedgerContract("a later next attempt does not delay a day that was enqueued meanwhile") { fixture in
            try fixture.enqueue(sunday)
            var entry = try #require(try fixture.due().first)
            try fixture.enqueue(sunday)
            entry.nextAttempt = now + 86_400
            try fixture.store.record([entry])
            for _ in 0..<2 { #expect(try fixture.due().map(\.day) == [sunday], "until something else is recorded") }
        },
    ]
}
