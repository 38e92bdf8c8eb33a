internal import StepDomain
internal import Testing

private let saturday = LedgerFixture.sunday.advanced(by: -1)
private let sunday = LedgerFixture.sunday
private let monday = sunday.advanced(by: 1)

extension LedgerContract {
    /// From which day on entries are made, for each destination and user.
    static let watermarks: [LedgerContract] = [
        LedgerContract("days before the first wanted day are not enqueued") { fixture in
            for day in [saturday, sunday, monday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges(since: sunday)
            #expect(try fixture.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("skipped days are enqueued when the first wanted day becomes earlier") { fixture in
            for day in [saturday, sunday, monday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges(since: monday)
            try fixture.drain()
            try fixture.enqueueChanges(since: saturday)
            let pending = try fixture.due().filter { $0.state == .pending }
            #expect(pending.map(\.day) == [saturday, sunday])
            try fixture.drain()
            try fixture.enqueueChanges(since: saturday)
            #expect(try fixture.due().isEmpty)
        },
        LedgerContract("a first wanted day that becomes later and then earlier again skips no day") { fixture in
            try fixture.enqueueChanges(since: saturday)
            try fixture.enqueueChanges(since: monday)
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges(since: monday)
            #expect(try fixture.due().isEmpty)
            try fixture.walk(5000, on: monday)
            try fixture.enqueueChanges(since: saturday)
            #expect(try fixture.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("a requested day before the first wanted day is due again when it changes") { fixture in
            for day in [saturday, sunday] { try fixture.walk(4000, on: day) }
            try fixture.enqueue(saturday)
            try fixture.drain()
            try fixture.walk(4500, on: saturday)
            try fixture.enqueueChanges(since: monday)
            let due = try fixture.due()
            #expect(due.map(\.day) == [saturday])
            #expect(due.map(\.state) == [.sent])
        },
        LedgerContract("the first wanted day may be any day") { fixture in
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges(since: Day(daysSince1970: -10_000_000))
            #expect(try fixture.due().map(\.day) == [sunday])
            try fixture.enqueueChanges(since: Day(daysSince1970: 10_000_000), for: "orchard")
            #expect(try fixture.due(for: "orchard").isEmpty)
        },
        LedgerContract("each destination has its own watermark") { fixture in
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges()
            try fixture.drain()
            try fixture.enqueueChanges(for: "orchard")
            #expect(try fixture.due(for: "orchard").map(\.destination) == ["orchard"])
            try fixture.enqueueChanges()
            #expect(try fixture.due().isEmpty)
            #expect(try fixture.due(for: "meadow").isEmpty)
        },
        LedgerContract("each user has their own watermark") { fixture in
            let ben = try fixture.store.addUser(named: "Ben")
            let sync = try LedgerFixture.beginSync(of: ben, fixture.store)
            try fixture.walk(4000, on: sunday)
            try fixture.walk(3000, on: monday, of: sync)
            try fixture.enqueueChanges()
            #expect(try fixture.entries().map(\.user) == [fixture.user.id])
            try fixture.store.enqueueChanges(of: ben.id, for: LedgerFixture.destination, since: saturday, at: LedgerFixture.now)
            #expect(try fixture.entries().map(\.user) == [fixture.user.id, ben.id])
            #expect(try fixture.due().map(\.day) == [sunday])
        },
    ]
}
