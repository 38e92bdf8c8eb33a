public import StepDomain
public import Testing

/// The rules that every ledger must follow, each one separate: run on every type that conforms to the port.
///
///     @Test(arguments: LedgerContract.all)
///     func theLedgerKeeps(_ rule: LedgerContract) throws { try rule.check(MyLedger()) }
public struct LedgerContract: Sendable, CustomTestStringConvertible {
    public static let all: [LedgerContract] =
        enqueueing + watermarks + handingOut + races + keeping + knowing + changing

    public let testDescription: String
    private let body: @Sendable (LedgerFixture) throws -> Void

    init(_ rule: String, _ body: @escaping @Sendable (LedgerFixture) throws -> Void) {
        testDescription = rule
        self.body = body
    }

    /// - Parameter store: an empty ledger and history.
    public func check(_ store: any ShareLedger & StepHistory) throws { try body(LedgerFixture(store)) }
}

/// A user with a ring whose sync has begun, and shorthands for what rules do repeatedly.
struct LedgerFixture {
    let store: any ShareLedger & StepHistory
    let user: User
    private let sync: SyncRecord.ID

    /// 2014-04-20, a Sunday.
    static let sunday = Day(daysSince1970: 16_180)
    /// The Wednesday after it, three in the morning in Greenwich.
    static let now = Timestamp(16_183 * 86_400 + 3 * 3600)
    static let destination = "garden"

    init(_ store: any ShareLedger & StepHistory) throws {
        self.store = store
        user = try store.addUser(named: "Ada")
        sync = try Self.beginSync(of: user, store)
    }

    /// Adds a ring for the user and begins its sync.
    static func beginSync(of user: User, _ store: any ShareLedger & StepHistory) throws -> SyncRecord.ID {
        let ring = try store.addPedometer(
            Pedometer(
                user: user.id, model: "colmi", address: "C0:DE:00:00:00:0\(user.id)", addressType: "public",
                name: "ring of \(user.name)"))
        return try store.beginSync(of: ring.id, at: now)
    }

    // MARK: The history

    /// Steps of a day at eight in the morning in Greenwich.
    func walk(_ steps: Int, on day: Day, of other: SyncRecord.ID? = nil) throws {
        let start = Timestamp(day.daysSince1970 * 86_400 + 8 * 3600)
        try merge(SampleBatch(samples: [StepSample(start: start, length: 3600, steps: steps, utcOffset: 0)]), of: other)
    }

    func merge(_ batch: SampleBatch, of other: SyncRecord.ID? = nil, at utcOffset: Int = 0) throws {
        _ = try store.merge(batch, sync: other ?? sync, localTime: .fixed(utcOffset))
    }

    func correct(_ steps: Int?, on day: Day) throws {
        try store.setCorrection(steps.map { StepCorrection(steps: $0) }, of: user.id, on: day, at: Self.now)
    }

    // MARK: The ledger

    func enqueueChanges(since: Day = sunday, for destination: String = destination, at now: Timestamp = now) throws {
        try store.enqueueChanges(of: user.id, for: destination, since: since, at: now)
    }

    func enqueue(_ days: Day..., at now: Timestamp = now) throws {
        try store.enqueue(days, of: user.id, for: Self.destination, at: now)
    }

    func due(for destination: String = destination, at now: Timestamp = now, limit: Int = .max) throws -> [ShareEntry] {
        try store.due(for: destination, users: [user.id], at: now, limit: limit)
    }

    /// As a drain does once the destination has confirmed the entries.
    func settle(_ entries: [ShareEntry]) throws {
        try store.record(
            entries.map { entry in
                var entry = entry
                entry.state = .sent
                entry.isRequested = false
                entry.confirmed = entry.fingerprint
                entry.nextAttempt = nil
                return entry
            })
    }

    /// Sends everything that is due.
    func drain() throws { try settle(try due()) }

    func changes() throws -> [ShareEntry] { try store.changes(at: Self.now) }

    func unmarked(_ entry: ShareEntry) -> ShareEntry {
        var entry = entry
        entry.isChanged = false
        return entry
    }

    func entries(_ states: ShareEntry.State...) throws -> [ShareEntry] {
        try store.entries(for: nil, in: Set(states.isEmpty ? ShareEntry.State.allCases : states))
    }
}

// MARK: Rules

private let saturday = LedgerFixture.sunday.advanced(by: -1)
private let sunday = LedgerFixture.sunday
private let monday = sunday.advanced(by: 1)
private let now = LedgerFixture.now

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
            try fixture.store.enqueueChanges(
                of: ben.id, for: LedgerFixture.destination, since: saturday, at: LedgerFixture.now)
            #expect(try fixture.entries().map(\.user) == [fixture.user.id, ben.id])
            #expect(try fixture.due().map(\.day) == [sunday])
        },
    ]
}

extension LedgerContract {
    /// Entries and destinations as they were stored.
    static let keeping: [LedgerContract] = [
        LedgerContract("an entry is read as it was recorded, with all fields") { fixture in
            var entry = ShareEntry(
                user: fixture.user.id, day: sunday, destination: LedgerFixture.destination, state: .unknown,
                isRequested: true,
                fingerprint: "f", confirmed: "c", attempts: 3, firstAttempt: now - 60, nextAttempt: now + 60,
                lastError: "no answer: \"Grüße\" 🚶 '; DROP TABLE share", remoteID: "https://example.org/1?a=b&c=%20",
                changedAt: now - 30)
            try fixture.store.record([entry])
            #expect(try fixture.entries() == [entry])
            entry = ShareEntry(
                user: fixture.user.id, day: sunday, destination: LedgerFixture.destination, state: .sent, changedAt: now
            )
            try fixture.store.record([entry])
            #expect(try fixture.entries() == [entry], "nothing is left of what it was")
        },
        LedgerContract("many entries are recorded at once, and so is an empty list") { fixture in
            let entries = (0..<200).map {
                ShareEntry(
                    user: fixture.user.id, day: sunday.advanced(by: $0), destination: LedgerFixture.destination,
                    changedAt: now)
            }
            try fixture.store.record(entries)
            try fixture.store.record([])
            #expect(try fixture.entries() == entries)
        },
        LedgerContract("entries are listed by destination and state, in order") { fixture in
            let ben = try fixture.store.addUser(named: "Ben")
            let all = [
                ("a", saturday, fixture.user), ("a", sunday, fixture.user), ("a", sunday, ben), ("b", saturday, ben),
            ]
            .map {
                ShareEntry(user: $2.id, day: $1, destination: $0, state: $2 == ben ? .rejected : .sent, changedAt: now)
            }
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
            try fixture.store.remove(due[0], evenIfEnqueued: true)
            #expect(try fixture.entries() == [due[1]])
            try fixture.store.remove(due[0], evenIfEnqueued: true)
            #expect(try fixture.entries() == [due[1]], "it was gone already")
        },
        LedgerContract("an unknown destination has the initial state") { fixture in
            let state = try fixture.store.state(of: "garden")
            #expect(state == DestinationState(name: "garden"))
        },
        LedgerContract("a destination's state is read as it was recorded") { fixture in
            let garden = DestinationState(
                name: "garden", firstDay: sunday, notBefore: now + 60, failures: 7, stopped: "HTTP 401")
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

    /// What `changes` tells before it is enqueued.
    static let changing: [LedgerContract] = [
        LedgerContract("a day that changed after it was sent is a change until it is enqueued and sent") { fixture in
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges()
            #expect(try fixture.changes().isEmpty, "the entry is pending already")
            try fixture.drain()
            #expect(try fixture.changes().isEmpty)
            try fixture.correct(700, on: sunday)
            let changed = try fixture.changes()
            #expect(changed.map(\.day) == [sunday] && changed.allSatisfy { $0.isChanged && $0.state == .sent })
            #expect(try fixture.entries() == changed.map(fixture.unmarked), "nothing is stored")
            try fixture.enqueueChanges()
            #expect(try fixture.changes().map(\.isChanged) == [true])
            #expect(try fixture.due().count == 1)
            #expect(try fixture.changes().map(\.isChanged) == [true], "it was handed out, and not sent")
            try fixture.drain()
            #expect(try fixture.changes().isEmpty)
        },
        LedgerContract("a new day is a pending change from the first wanted day on") { fixture in
            try fixture.enqueueChanges(since: sunday)
            try fixture.correct(700, on: saturday)
            try fixture.correct(700, on: monday)
            let new = try fixture.changes()
            #expect(new.map(\.day) == [monday] && new.allSatisfy { !$0.isChanged && $0.state == .pending })
            #expect(new.map(\.nextAttempt) == [now])
            #expect(try fixture.entries().isEmpty, "nothing is stored")
            try fixture.correct(nil, on: monday)
            #expect(try fixture.changes().isEmpty, "nothing is known of it")
        },
        LedgerContract("a day that was requested before anything was enqueued by itself may have changed") { fixture in
            try fixture.store.record(DestinationState(name: LedgerFixture.destination, firstDay: monday))
            try fixture.walk(4000, on: sunday)
            try fixture.enqueue(sunday)
            #expect(try fixture.changes().isEmpty, "it is pending")
            try fixture.drain()
            #expect(try fixture.changes().map(\.day) == [sunday])
            try fixture.enqueueChanges(since: monday)
            try fixture.drain()
            #expect(try fixture.changes().isEmpty)
        },
        LedgerContract("before a destination was first used nothing is a change for it") { fixture in
            try fixture.walk(4000, on: sunday)
            #expect(try fixture.changes().isEmpty)
        },
    ]
}
