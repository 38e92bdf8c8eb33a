internal import StepDomain
internal import Testing

private let saturday = LedgerStage.sunday.advanced(by: -1)
private let sunday = LedgerStage.sunday
private let monday = sunday.advanced(by: 1)

extension LedgerContract {
    /// From which day on entries are made, for each destination and user.
    static let watermarks: [LedgerContract] = [
        LedgerContract("days before the first that is wanted stay at home") { stage in
            for day in [saturday, sunday, monday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges(since: sunday)
            #expect(try stage.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("days that were passed over are enqueued once the first wanted day is earlier") { stage in
            for day in [saturday, sunday, monday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges(since: monday)
            try stage.drain()
            try stage.enqueueChanges(since: saturday)
            let pending = try stage.due().filter { $0.state == .pending }
            #expect(pending.map(\.day) == [saturday, sunday])
            try stage.drain()
            try stage.enqueueChanges(since: saturday)
            #expect(try stage.due().isEmpty)
        },
        LedgerContract("a first wanted day that goes on and comes back overlooks nothing") { stage in
            try stage.enqueueChanges(since: saturday)
            try stage.enqueueChanges(since: monday)
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges(since: monday)
            #expect(try stage.due().isEmpty)
            try stage.walk(5000, on: monday)
            try stage.enqueueChanges(since: saturday)
            #expect(try stage.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("a day of before that was asked for is looked at again when it changes") { stage in
            for day in [saturday, sunday] { try stage.walk(4000, on: day) }
            try stage.enqueue(saturday)
            try stage.drain()
            try stage.walk(4500, on: saturday)
            try stage.enqueueChanges(since: monday)
            let due = try stage.due()
            #expect(due.map(\.day) == [saturday])
            #expect(due.map(\.state) == [.sent])
        },
        LedgerContract("no day is too early or too late to count from") { stage in
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges(since: Day(daysSince1970: -10_000_000))
            #expect(try stage.due().map(\.day) == [sunday])
            try stage.enqueueChanges(since: Day(daysSince1970: 10_000_000), for: "orchard")
            #expect(try stage.due(for: "orchard").isEmpty)
        },
        LedgerContract("each destination looks for itself") { stage in
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges()
            try stage.drain()
            try stage.enqueueChanges(for: "orchard")
            #expect(try stage.due(for: "orchard").map(\.destination) == ["orchard"])
            try stage.enqueueChanges()
            #expect(try stage.due().isEmpty)
            #expect(try stage.due(for: "meadow").isEmpty)
        },
        LedgerContract("each person's days are looked at for themselves") { stage in
            let ben = try stage.store.addUser(named: "Ben")
            let sync = try LedgerStage.beginSync(of: ben, stage.store)
            try stage.walk(4000, on: sunday)
            try stage.walk(3000, on: monday, of: sync)
            try stage.enqueueChanges()
            #expect(try stage.entries().map(\.user) == [stage.user.id])
            try stage.store.enqueueChanges(of: ben.id, for: LedgerStage.destination, since: saturday, at: LedgerStage.now)
            #expect(try stage.entries().map(\.user) == [stage.user.id, ben.id])
            #expect(try stage.due().map(\.day) == [sunday])
        },
    ]
}
