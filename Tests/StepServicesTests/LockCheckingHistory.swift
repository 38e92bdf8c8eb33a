import StepDomain
import Synchronization
import TestSupport

/// A history that notes at each call to its ledger whether the lock for sharing is held.
final class LockCheckingHistory: StepHistory, ShareLedger, NoticeStore {
    struct LedgerCall: Hashable {
        var isWrite: Bool
        var isLocked: Bool
    }

    private let actual: History
    private let lock: ScriptedLock
    private let calls = Mutex<[LedgerCall]>([])

    init(_ actual: History, _ lock: ScriptedLock) {
        self.actual = actual
        self.lock = lock
    }

    /// The calls since this was last asked for, in order.
    func takeCalls() -> [LedgerCall] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    private func note(isWrite: Bool) {
        let call = LedgerCall(isWrite: isWrite, isLocked: lock.isHeldHere(.sharing))
        calls.withLock { $0.append(call) }
    }

    // MARK: The ledger

    func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws {
        note(isWrite: true)
        try actual.enqueueChanges(of: user, for: destination, since: since, at: now)
    }

    func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws {
        note(isWrite: true)
        try actual.enqueue(days, of: user, for: destination, at: now)
    }

    func enqueueSent(to destination: String, at now: Timestamp) throws {
        note(isWrite: true)
        try actual.enqueueSent(to: destination, at: now)
    }

    func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) throws -> [ShareEntry] {
        note(isWrite: true)
        return try actual.due(for: destination, users: users, at: now, limit: limit)
    }

    func dueDays(for destination: String, users: [User.ID], at now: Timestamp) throws -> [UserDay] {
        note(isWrite: false)
        return try actual.dueDays(for: destination, users: users, at: now)
    }

    func entries(for destination: String?, in states: Set<ShareEntry.State>) throws -> [ShareEntry] {
        note(isWrite: false)
        return try actual.entries(for: destination, in: states)
    }

    func changes(at now: Timestamp) throws -> [ShareEntry] {
        note(isWrite: false)
        return try actual.changes(at: now)
    }

    func entry(for destination: String, of user: User.ID, on day: Day) throws -> ShareEntry? {
        note(isWrite: false)
        return try actual.entry(for: destination, of: user, on: day)
    }

    func record(_ entries: [ShareEntry]) throws {
        note(isWrite: true)
        try actual.record(entries)
    }

    func remove(_ entry: ShareEntry, evenIfEnqueued: Bool) throws {
        note(isWrite: true)
        try actual.remove(entry, evenIfEnqueued: evenIfEnqueued)
    }

    func state(of destination: String) throws -> DestinationState {
        note(isWrite: false)
        return try actual.state(of: destination)
    }

    func record(_ state: DestinationState) throws {
        note(isWrite: true)
        try actual.record(state)
    }

    func knownDays(of user: User.ID, from first: Day, through last: Day) throws -> [Day] {
        try actual.knownDays(of: user, from: first, through: last)
    }

    func deletedDays(of user: User.ID, from first: Day, through last: Day) throws -> [Day] {
        try actual.deletedDays(of: user, from: first, through: last)
    }

    // MARK: The rest

    func users() throws -> [User] { try actual.users() }
    func addUser(named name: String) throws -> User { try actual.addUser(named: name) }
    func profiles(of user: User.ID) throws -> [Profile] { try actual.profiles(of: user) }
    func setProfile(_ profile: Profile, of user: User.ID) throws { try actual.setProfile(profile, of: user) }
    func plans(of user: User.ID) throws -> [SportPlan] { try actual.plans(of: user) }
    func setPlan(_ plan: SportPlan, of user: User.ID) throws { try actual.setPlan(plan, of: user) }
    func removeProfile(validFrom day: Day, of user: User.ID) throws {
        try actual.removeProfile(validFrom: day, of: user)
    }
    func removePlan(validFrom day: Day, of user: User.ID) throws {
        try actual.removePlan(validFrom: day, of: user)
    }
    func stepsOfOthers(by pedometer: Pedometer.ID, on day: Day) throws -> Int {
        try actual.stepsOfOthers(by: pedometer, on: day)
    }
    func pedometers() throws -> [Pedometer] { try actual.pedometers() }
    func importSources() throws -> [Pedometer] { try actual.importSources() }
    func addPedometer(_ pedometer: Pedometer) throws -> Pedometer { try actual.addPedometer(pedometer) }
    func renamePedometer(_ id: Pedometer.ID, to name: String) throws { try actual.renamePedometer(id, to: name) }
    func forgetPedometer(_ id: Pedometer.ID) throws { try actual.forgetPedometer(id) }
    func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws { try actual.setClock(clock, of: pedometer) }

    func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws -> SyncRecord.ID {
        try actual.beginSync(of: pedometer, at: start)
    }

    func merge(_ batch: SampleBatch, sync: SyncRecord.ID, localTime: LocalTime) throws -> MergeCounts {
        try actual.merge(batch, sync: sync, localTime: localTime)
    }

    func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?,
        cause: FailureCause?
    ) throws {
        try actual.endSync(id, at: end, outcome: outcome, battery: battery, failure: failure, cause: cause)
    }

    func syncs(of pedometer: Pedometer.ID, until moment: Timestamp?, limit: Int) throws -> [SyncRecord] {
        try actual.syncs(of: pedometer, until: moment, limit: limit)
    }

    func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws -> SyncRecord? {
        try actual.lastCompleteSync(of: pedometer, until: moment)
    }

    func dayData(of user: User, on day: Day) throws -> DayData { try actual.dayData(of: user, on: day) }
    func firstKnownDay(of user: User.ID) throws -> Day? { try actual.firstKnownDay(of: user) }
    func syncs(behind day: Day, of user: User) throws -> [DaySync] { try actual.syncs(behind: day, of: user) }

    func setCorrection(_ correction: StepCorrection?, of user: User.ID, on day: Day, at moment: Timestamp) throws {
        try actual.setCorrection(correction, of: user, on: day, at: moment)
    }

    func update(active: [Notice], withdrawn: Set<String>, at now: Timestamp) throws -> Set<StoredNotice.ID> {
        try actual.update(active: active, withdrawn: withdrawn, at: now)
    }

    func standingNotices() throws -> [StoredNotice] { try actual.standingNotices() }
    func markSeen(_ ids: [StoredNotice.ID], at now: Timestamp) throws { try actual.markSeen(ids, at: now) }
    func claim(_ ids: [StoredNotice.ID], at now: Timestamp) throws -> Set<StoredNotice.ID> {
        try actual.claim(ids, at: now)
    }
    func release(_ ids: [StoredNotice.ID]) throws { try actual.release(ids) }
}
