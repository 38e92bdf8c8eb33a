internal import StepDomain
internal import Testing

private let saturday = LedgerStage.sunday.advanced(by: -1)
private let sunday = LedgerStage.sunday
private let monday = sunday.advanced(by: 1)
private let now = LedgerStage.now

extension LedgerContract {
    /// Which entries are due at which time.
    static let handingOut: [LedgerContract] = [
        LedgerContract("no more are handed out than were asked for, and none where none were") { stage in
            for day in [saturday, sunday, monday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges(since: saturday)
            #expect(try stage.due(limit: 0).isEmpty)
            #expect(try stage.due(limit: 2).map(\.day) == [saturday, sunday])
        },
        LedgerContract("only days of the people who were named are handed out") { stage in
            let ben = try stage.store.addUser(named: "Ben")
            for user in [ben, stage.user] {
                try stage.store.enqueue([sunday, monday], of: user.id, for: LedgerStage.destination, at: now)
            }
            func due(_ users: [User.ID]) throws -> [User.ID] {
                try stage.store.due(for: LedgerStage.destination, users: users, at: now, limit: 3).map(\.user)
            }
            #expect(try stage.store.dueCount(for: LedgerStage.destination, users: [], at: now) == 0)
            #expect(try stage.store.dueCount(for: LedgerStage.destination, users: [ben.id, ben.id], at: now) == 2)
            #expect(try stage.store.dueCount(for: LedgerStage.destination, users: [ben.id, stage.user.id], at: now) == 4)
            #expect(try due([]) == [])
            #expect(try due([-1]) == [])
            #expect(try due([ben.id, ben.id]) == [ben.id, ben.id])
            #expect(try due(Array(ben.id...ben.id + 40_000)) == [ben.id, ben.id], "as many people as you like")
            #expect(try due([ben.id, stage.user.id]) == [stage.user.id, ben.id, stage.user.id], "by day, then by person")
        },
        LedgerContract("an entry waits for its moment") { stage in
            try stage.enqueue(sunday)
            var entry = try #require(try stage.due().first)
            entry.nextAttempt = now + 60
            try stage.store.record([entry])
            #expect(try stage.due(at: now + 59).isEmpty)
            #expect(try stage.store.dueCount(for: LedgerStage.destination, users: [stage.user.id], at: now + 59) == 0)
            #expect(try stage.store.dueCount(for: LedgerStage.destination, users: [stage.user.id], at: now + 60) == 1)
            #expect(try stage.due(at: now + 60).map(\.day) == [sunday])
        },
        LedgerContract("in every state but one an entry can be due") { stage in
            for state in ShareEntry.State.allCases {
                try stage.store.record([
                    ShareEntry(
                        user: stage.user.id, day: sunday, destination: state.rawValue, state: state, nextAttempt: now,
                        changedAt: now)
                ])
                let isDue = state != .sending
                #expect(try stage.due(for: state.rawValue).map(\.state) == (isDue ? [state] : []))
            }
        },
        LedgerContract("an entry that waits for nothing is not due") { stage in
            for state in ShareEntry.State.allCases {
                try stage.store.record([
                    ShareEntry(user: stage.user.id, day: sunday, destination: state.rawValue, state: state, changedAt: now)
                ])
                #expect(try stage.due(for: state.rawValue).isEmpty)
            }
        },
        LedgerContract("who is killed between asking and recording has overlooked nothing") { stage in
            try stage.enqueue(sunday)
            try stage.settle(try stage.due())
            try stage.enqueue(sunday)
            for _ in 0..<2 {
                let due = try stage.due()
                #expect(due.map(\.day) == [sunday])
                let moment = try #require(due.first?.nextAttempt)
                #expect(moment <= now)
            }
        },
    ]

    /// Entries that are enqueued again while they are being sent.
    static let races: [LedgerContract] = [
        LedgerContract("what is enqueued while it is being sent is due again, but not before") { stage in
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges()
            var entry = try #require(try stage.due().first)
            entry.state = .sending
            entry.fingerprint = "4000"
            try stage.store.record([entry])
            try stage.walk(4500, on: sunday)
            try stage.enqueueChanges()
            #expect(try stage.due().isEmpty)
            try stage.settle([entry])
            let due = try stage.due()
            #expect(due.map(\.state) == [.sent])
            #expect(due.map(\.confirmed) == ["4000"])
            try stage.settle(due)
            #expect(try stage.due().isEmpty)
        },
        LedgerContract("what is enqueued while it is being sent is in the outbox, as everybody can see") { stage in
            try stage.enqueue(sunday)
            let due = try stage.due()
            try stage.enqueue(sunday)
            try stage.settle(due)
            let moment = try #require(try stage.entries(.sent).first?.nextAttempt)
            #expect(moment <= now)
        },
        LedgerContract("a day that is asked for while it is being sent stays asked for") { stage in
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges()
            let due = try stage.due()
            try stage.enqueue(sunday)
            try stage.settle(due)
            #expect(try stage.due().map(\.isAsked) == [true])
            try stage.drain()
            #expect(try stage.entries().map(\.isAsked) == [false])
        },
        LedgerContract("a moment that has not come does not hold up what was enqueued meanwhile") { stage in
            try stage.enqueue(sunday)
            var entry = try #require(try stage.due().first)
            try stage.enqueue(sunday)
            entry.nextAttempt = now + 86_400
            try stage.store.record([entry])
            for _ in 0..<2 { #expect(try stage.due().map(\.day) == [sunday], "until something else is recorded") }
        },
    ]
}
