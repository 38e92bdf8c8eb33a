import StepDomain
import StepServices
import Synchronization
import TestSupport

/// A history in memory with what the use cases need around it.
struct ServiceFixture {
    let outbox: OutboxFixture
    let lock = ScriptedLock()
    let maintenance = ScriptedMaintenance()
    var reader = ScriptedReader([:])
    var destinations: [any ShareDestination] = []
    /// Names of further destinations in the configuration.
    var otherNames: [String] = []

    /// - Parameter now: after the first release of istep: an earlier time means that the clock is wrong.
    init(now: Timestamp = LocalTime.berlin.at("2026-04-22", 3)) { outbox = OutboxFixture(now: now) }

    var history: InMemoryHistory { outbox.history }

    var context: ServiceContext {
        let reader = reader, destinations = destinations, outbox = outbox
        return ServiceContext(
            history: outbox.history, lock: lock, maintenance: maintenance, reader: { _, _ in reader },
            waitForAdapter: {},
            destinations: { destinations }, destinationNames: destinations.map(\.name) + otherNames,
            localTime: outbox.localTime,
            now: { outbox.now }, clock: SkippingClock(outbox.time))
    }
}

/// A lock that another process may hold.
final class ScriptedLock: WorkLock {
    struct Held: Error { var work: HistoryWork }

    private let state = Mutex<(held: [HistoryWork: Int], own: [HistoryWork], log: [HistoryWork])>(([:], [], []))

    /// - Parameter attempts: which are refused before the lock is free again.
    func holdElsewhere(_ work: HistoryWork, for attempts: Int = .max) {
        state.withLock { $0.held[work] = attempts }
    }
    /// What this process has held the lock for, in order.
    var log: [HistoryWork] { state.withLock(\.log) }
    func isHeldHere(_ work: HistoryWork) -> Bool { state.withLock { $0.own.contains(work) } }

    func hold<R: Sendable>(for work: HistoryWork, _ body: () async throws -> R) async throws -> R {
        try state.withLock { state in
            if let left = state.held[work], left > 0 {
                state.held[work] = left - 1
                throw Held(work: work)
            }
            state.own.append(work)
            state.log.append(work)
        }
        defer { state.withLock { state in state.own.removeAll { $0 == work } } }
        return try await body()
    }

    func conflictingWork(in error: any Error) -> HistoryWork? { (error as? Held)?.work }
}

final class ScriptedMaintenance: HistoryMaintenance {
    struct Damaged: Error {}

    private let state = Mutex<(isDamaged: Bool, failure: (any Error)?, runs: Int)>((false, nil, 0))

    func damage() { state.withLock { $0.isDamaged = true } }
    func fail(_ error: any Error) { state.withLock { $0.failure = error } }
    var runs: Int { state.withLock(\.runs) }

    func checkBeforeSync() throws { if state.withLock(\.isDamaged) { throw Damaged() } }

    func run() throws {
        let failure = state.withLock { state in
            state.runs += 1
            return state.failure
        }
        if let failure { throw failure }
    }
}
