import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

/// What becomes of the results of deliveries while another program keeps the history locked.
@Suite(.timeLimit(.minutes(5))) struct ShareRecordingTests {
    private let outbox = OutboxFixture()

    /// From the third time on, days are read while others are being sent, and what is begun then stores the results of
    /// those before.
    @Test(arguments: 1...6) func `results are stored although the next days cannot be read`(call: Int) async throws {
        let garden = ScriptedDestination(terms: always)
        let days = (0..<700).map { april20.advanced(by: $0 - 699) }
        for (index, day) in days.enumerated() { try outbox.walk(1000 + index, on: day) }
        let ledger = LockedLedger(outbox.history, refusing: call)
        let service = Outbox(
            history: outbox.history, ledger: ledger, localTime: outbox.localTime, now: { [outbox] in outbox.now })
        let report = try #require(
            try await service.share(.days(days, of: outbox.anna), to: [garden], users: [outbox.anna]).first)
        #expect(report.fault is Refusal)
        #expect(outbox.history.entries(for: "garden", in: [.sending]).isEmpty)
        #expect(outbox.history.entries(for: "garden", in: [.sent]).count == garden.deliveries.count)
        #expect((garden.deliveries.count >= 500) == (call > 3))

        try await outbox.share(to: garden)
        #expect(days.allSatisfy { garden.times($0) == 1 })
    }

    @Test func `a result is stored although the state of its destination cannot be stored at first`() async throws {
        let garden = ScriptedDestination(terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.fail(ShareFailure(.unreachable, "down")))
        try await outbox.share(to: garden)
        outbox.pass(60)
        garden.whileDelivering { [outbox] in outbox.history.refuse(.record, with: Refusal(), times: 5) }
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes == [.sent] && report.fault == nil)
        #expect(outbox.entry(april20, garden)?.state == .sent)
        #expect(outbox.history.state(of: "garden").failures == 0)
    }
}

/// A ledger that is locked at one of the calls of `due`.
private final class LockedLedger: ShareLedger {
    private let ledger: InMemoryHistory
    private let refused: Int
    private let calls = Mutex(0)

    /// - Parameter refused: the number of the call; the first is 1.
    init(_ ledger: InMemoryHistory, refusing refused: Int) {
        self.ledger = ledger
        self.refused = refused
    }

    func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) throws -> [ShareEntry] {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        if call == refused { throw Refusal() }
        return ledger.due(for: destination, users: users, at: now, limit: limit)
    }

    func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws {
        try ledger.enqueueChanges(of: user, for: destination, since: since, at: now)
    }

    func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws {
        try ledger.enqueue(days, of: user, for: destination, at: now)
    }

    func enqueueSent(to destination: String, at now: Timestamp) throws {
        try ledger.enqueueSent(to: destination, at: now)
    }

    func dueDays(for destination: String, users: [User.ID], at now: Timestamp) -> [UserDay] {
        ledger.dueDays(for: destination, users: users, at: now)
    }

    func entries(for destination: String?, in states: Set<ShareEntry.State>) -> [ShareEntry] {
        ledger.entries(for: destination, in: states)
    }

    func changes(at now: Timestamp) -> [ShareEntry] { ledger.changes(at: now) }

    func entry(for destination: String, of user: User.ID, on day: Day) -> ShareEntry? {
        ledger.entry(for: destination, of: user, on: day)
    }
    func record(_ entries: [ShareEntry]) throws { try ledger.record(entries) }
    func remove(_ entry: ShareEntry, evenIfEnqueued: Bool) throws {
        try ledger.remove(entry, evenIfEnqueued: evenIfEnqueued)
    }
    func state(of destination: String) -> DestinationState { ledger.state(of: destination) }
    func record(_ state: DestinationState) throws { try ledger.record(state) }

    func knownDays(of user: User.ID, from first: Day, through last: Day) -> [Day] {
        ledger.knownDays(of: user, from: first, through: last)
    }

    func deletedDays(of user: User.ID, from first: Day, through last: Day) -> [Day] {
        ledger.deletedDays(of: user, from: first, through: last)
    }
}
