public import StepDomain
public import Testing

/// The rules that every ledger must follow, each one separate: run on every type that conforms to the port.
///
///     @Test(arguments: LedgerContract.all)
///     func theLedgerKeeps(_ rule: LedgerContract) throws { try rule.check(MyLedger()) }
public struct LedgerContract: Sendable, CustomTestStringConvertible {
    public static let all: [LedgerContract] = enqueueing + watermarks + handingOut + races + keeping + knowing

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
                id: 0, user: user.id, model: "colmi", address: "C0:DE:00:00:00:0\(user.id)", addressType: "public",
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
        _ = try store.merge(batch, sync: other ?? sync, place: .fixed(utcOffset))
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

    func entries(_ states: ShareEntry.State...) throws -> [ShareEntry] {
        try store.entries(for: nil, in: Set(states.isEmpty ? ShareEntry.State.allCases : states))
    }
}
