public import StepDomain
internal import Synchronization
internal import Testing

/// A history without a database, for tests of code that uses the port: it stores what it is given, records the calls
/// in order, and refuses the calls that a test selects.
public final class InMemoryHistory: StepHistory {
    /// The calls that change a history or can be refused.
    public enum Call: Hashable, Sendable {
        case beginSync(Pedometer.ID)
        case merge(SyncRecord.ID)
        case setClock(Pedometer.ID)
        case endSync(SyncRecord.ID, SyncRecord.Outcome)
        case dayData(Day)
        case plans
        /// A write to the ledger.
        case record
    }

    struct State {
        var ledger = Ledger()
        var users: [User] = []
        var profiles: [User.ID: [Profile]] = [:]
        var plans: [User.ID: [SportPlan]] = [:]
        var pedometers: [Pedometer] = []
        var forgotten: Set<Pedometer.ID> = []
        var syncs: [SyncRecord] = []
        var samples: [Pedometer.ID: [Timestamp: StepSample]] = [:]
        /// The sync that stored each sample.
        var sources: [Pedometer.ID: [Timestamp: SyncRecord.ID]] = [:]
        var implausible: [Pedometer.ID: [StepSample]] = [:]
        var coverage: [Pedometer.ID: [CoveredSpan]] = [:]
        var totals: [Pedometer.ID: [Day: DeviceTotal]] = [:]
        var corrections: [User.ID: [Day: StepCorrection]] = [:]
        var deleted: [Day: DeletedDay] = [:]
        var notices: [StoredNotice] = []
        var calls: [Call] = []
        var callsInTasks: [Call] = []
        var refusals: [Call: (error: any Error, times: Int)] = [:]
    }

    let state = Mutex(State())

    public init() {}

    // MARK: For tests

    /// The calls, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Makes this call fail with that error from now on, always or this many times.
    public func refuse(_ call: Call, with error: any Error, times: Int = .max) {
        state.withLock { $0.refusals[call] = (error, times) }
    }

    public func pedometer(_ id: Pedometer.ID) -> Pedometer? { state.withLock { $0.pedometers.first { $0.id == id } } }

    public func sync(_ id: SyncRecord.ID) -> SyncRecord? { state.withLock { $0.syncs.first { $0.id == id } } }

    /// The calls that came from Swift's own threads: a database that waits for another process would block these.
    public var callsInTasks: [Call] { state.withLock { $0.callsInTasks } }

    func asked<T>(_ call: Call, _ body: (inout State) throws -> T) throws -> T {
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        return try state.withLock { state in
            state.calls.append(call)
            if isInTask { state.callsInTasks.append(call) }
            if let refusal = state.refusals[call], refusal.times > 0 {
                state.refusals[call]?.times -= 1
                throw refusal.error
            }
            return try body(&state)
        }
    }

    // MARK: People

    public func users() -> [User] { state.withLock { $0.users.sorted { $0.name < $1.name } } }

    public func addUser(named name: String) -> User {
        state.withLock { state in
            if let known = state.users.first(where: { $0.name.lowercased() == name.lowercased() }) { return known }
            let user = User(id: Int64(state.users.count + 1), name: name)
            state.users.append(user)
            return user
        }
    }

    public func profiles(of user: User.ID) -> [Profile] {
        state.withLock { $0.profiles[user, default: []].sorted { $0.validFrom < $1.validFrom } }
    }

    public func setProfile(_ profile: Profile, of user: User.ID) {
        state.withLock { state in
            state.profiles[user, default: []].removeAll { $0.validFrom == profile.validFrom }
            state.profiles[user, default: []].append(profile)
        }
    }

    public func removeProfile(validFrom day: Day, of user: User.ID) {
        state.withLock { $0.profiles[user, default: []].removeAll { $0.validFrom == day } }
    }

    public func removePlan(validFrom day: Day, of user: User.ID) {
        state.withLock { $0.plans[user, default: []].removeAll { $0.validFrom == day } }
    }

    public func stepsOfOthers(by pedometer: Pedometer.ID, on day: Day) -> Int {
        state.withLock { state in
            guard let own = state.pedometers.first(where: { $0.id == pedometer }) else { return 0 }
            let others = state.pedometers.filter { $0.address == own.address && $0.user != own.user }
            return others.flatMap { state.samples[$0.id, default: [:]].values }.filter { $0.day == day }
                .reduce(0) { $0 + $1.steps }
        }
    }

    public func plans(of user: User.ID) throws -> [SportPlan] {
        try asked(.plans) { $0.plans[user, default: []].sorted { $0.validFrom < $1.validFrom } }
    }

    public func setPlan(_ plan: SportPlan, of user: User.ID) {
        state.withLock { state in
            state.plans[user, default: []].removeAll { $0.validFrom == plan.validFrom }
            state.plans[user, default: []].append(plan)
        }
    }

    // MARK: Pedometers

    public func pedometers() -> [Pedometer] {
        state.withLock { state in
            state.pedometers.filter { !state.forgotten.contains($0.id) && !Self.isImported($0) }.sorted {
                $0.name < $1.name
            }
        }
    }

    public func importSources() -> [Pedometer] {
        state.withLock { $0.pedometers.filter(Self.isImported).sorted { $0.name < $1.name } }
    }

    private static func isImported(_ pedometer: Pedometer) -> Bool { pedometer.model.hasPrefix("import:") }

    public func addPedometer(_ pedometer: Pedometer) -> Pedometer {
        state.withLock { state in
            let added = Pedometer(
                id: Int64(state.pedometers.count + 1), user: pedometer.user, model: pedometer.model,
                address: pedometer.address, addressType: pedometer.addressType, name: pedometer.name,
                options: pedometer.options, clock: pedometer.clock, cursor: pedometer.cursor)
            state.pedometers.append(added)
            return added
        }
    }

    public func renamePedometer(_ id: Pedometer.ID, to name: String) {
        state.withLock { state in
            state.change(id) { $0.name = name }
            for (index, stored) in state.notices.enumerated()
            where stored.notice.subject == .pedometer(id) && stored.endedAt == nil {
                state.notices[index].notice.name = name
            }
        }
    }

    public func forgetPedometer(_ id: Pedometer.ID) { state.withLock { _ = $0.forgotten.insert(id) } }

    public func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws {
        try asked(.setClock(pedometer)) { $0.change(pedometer) { $0.clock = clock } }
    }

    // MARK: Syncs

    public func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws -> SyncRecord.ID {
        try asked(.beginSync(pedometer)) { state in
            let record = SyncRecord(id: Int64(state.syncs.count + 1), pedometer: pedometer, start: start)
            state.syncs.append(record)
            return record.id
        }
    }

    public func merge(_ batch: SampleBatch, sync: SyncRecord.ID, localTime: LocalTime) throws -> MergeCounts {
        try asked(.merge(sync)) { state in
            guard let index = state.syncs.firstIndex(where: { $0.id == sync }) else {
                Issue.record("a merge into sync \(sync), which was never begun")
                return MergeCounts()
            }
            let pedometer = state.syncs[index].pedometer
            var counts = MergeCounts(frames: batch.frames.count)
            let owner = state.pedometers.first { $0.id == pedometer }?.user
            for sample in batch.samples where state.merge(sample, pedometer, &counts) {
                state.sources[pedometer, default: [:]][sample.start] = sync
                if let owner { state.ledger.change(sample.day...sample.day, of: owner) }
            }
            for span in batch.coverage.flatMap(localTime.covered) where state.cover(span, by: pedometer) {
                if let owner { state.ledger.change(span.days, of: owner) }
            }
            if let total = batch.deviceTotal { state.totals[pedometer, default: [:]][total.day] = total }
            if let cursor = batch.cursor { state.change(pedometer) { $0.cursor = cursor } }
            state.syncs[index].counts += counts
            return counts
        }
    }

    public func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?,
        cause: FailureCause?
    ) throws {
        try asked(.endSync(id, outcome)) { state in
            guard let index = state.syncs.firstIndex(where: { $0.id == id && $0.outcome == .running }) else {
                Issue.record("sync \(id) was ended, but does not run")
                return
            }
            state.syncs[index].end = end
            state.syncs[index].outcome = outcome
            state.syncs[index].battery = battery
            state.syncs[index].failure = failure
            state.syncs[index].cause = cause
        }
    }

    public func syncs(of pedometer: Pedometer.ID, until moment: Timestamp?, limit: Int) -> [SyncRecord] {
        state.withLock { state in
            let past = state.syncs.filter { sync in
                sync.pedometer == pedometer && moment.map { sync.start <= $0 } ?? true
            }
            return Array(past.reversed().sorted { $0.start > $1.start }.prefix(limit))
        }
    }

    public func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) -> SyncRecord? {
        state.withLock { state in
            state.syncs.filter {
                $0.pedometer == pedometer && $0.outcome == .complete && ($0.end ?? $0.start) <= moment
            }
            .max { ($0.end ?? $0.start) < ($1.end ?? $1.start) }
        }
    }

    // MARK: Days

    public func dayData(of user: User, on day: Day) throws -> DayData {
        try asked(.dayData(day)) { state in
            let mine = state.pedometers.filter { $0.user == user.id }
            var data = DayData(
                user: user, day: day,
                tracks: mine.map { pedometer in
                    DayData.Track(
                        pedometer: pedometer.id, name: pedometer.name,
                        samples: state.samples[pedometer.id, default: [:]].values
                            .filter { $0.day == day }.sorted { $0.start < $1.start },
                        implausible: state.implausible[pedometer.id, default: []].filter { $0.day == day },
                        coverage: state.coverage[pedometer.id, default: []].deciding(day),
                        deviceTotal: state.totals[pedometer.id]?[day])
                },
                correction: state.corrections[user.id]?[day],
                profile: state.profiles[user.id, default: []].effective(on: day),
                plan: state.plans[user.id, default: []].effective(on: day),
                lastSync: state.syncs.filter { sync in
                    sync.outcome == .complete && mine.contains { $0.id == sync.pedometer }
                }.compactMap(\.end).max())
            data.deletion = state.deleted[day]
            return data
        }
    }

    /// Deletes what the pedometers of a user know of a day, and its correction.
    public func delete(_ day: Day, of user: User.ID) {
        state.withLock { state in
            for pedometer in state.pedometers where pedometer.user == user {
                state.samples[pedometer.id] = state.samples[pedometer.id]?.filter { $0.value.day != day }
                state.coverage[pedometer.id]?.removeAll { $0.part(of: day) != nil }
            }
            state.corrections[user]?[day] = nil
            state.deleted[day] = DeletedDay(day, at: Timestamp(0), isClosed: true)
            state.ledger.change(day...day, of: user, isCounted: false)
            state.ledger.counted[user]?.remove(day)
        }
    }

    public func syncs(behind day: Day, of user: User) throws -> [DaySync] {
        state.withLock { state in
            state.pedometers.filter { $0.user == user.id }.map(\.id).sorted().flatMap { pedometer in
                let samples = state.samples[pedometer, default: [:]].values.filter { $0.day == day }
                let bySync = Dictionary(grouping: samples) { state.sources[pedometer]?[$0.start] ?? 0 }
                return state.syncs.filter { bySync[$0.id] != nil }.map { sync in
                    let own = bySync[sync.id] ?? []
                    return DaySync(
                        pedometer: pedometer, start: sync.start, end: sync.end, slots: own.count,
                        steps: own.reduce(0) { $0 + $1.steps })
                }
            }
        }
    }

    public func firstKnownDay(of user: User.ID) -> Day? {
        state.withLock { state in
            let mine = state.pedometers.filter { $0.user == user }.map(\.id)
            let days =
                mine.flatMap { state.samples[$0, default: [:]].values.map(\.day) }
                + mine.flatMap { state.coverage[$0, default: []].map(\.days.lowerBound) }
                + state.corrections[user, default: [:]].keys
            return days.min()
        }
    }

    public func setCorrection(_ correction: StepCorrection?, of user: User.ID, on day: Day, at moment: Timestamp) {
        state.withLock { state in
            let before = state.corrections[user]?[day]
            var stored = correction
            stored?.enteredAt = moment
            state.corrections[user, default: [:]][day] = stored
            if before?.steps == correction?.steps { return }
            state.ledger.change(day...day, of: user, isCounted: false)
        }
    }
}

extension InMemoryHistory.State {
    /// - Returns: whether the span is new.
    fileprivate mutating func cover(_ span: CoveredSpan, by pedometer: Pedometer.ID) -> Bool {
        if coverage[pedometer, default: []].contains(span) { return false }
        coverage[pedometer, default: []].append(span)
        return true
    }

    fileprivate mutating func change(_ id: Pedometer.ID, _ body: (inout Pedometer) -> Void) {
        guard let index = pedometers.firstIndex(where: { $0.id == id }) else { return }
        body(&pedometers[index])
    }

    /// - Returns: whether the samples changed.
    fileprivate mutating func merge(_ sample: StepSample, _ pedometer: Pedometer.ID, _ counts: inout MergeCounts)
        -> Bool
    {
        guard sample.isPlausible else {
            implausible[pedometer, default: []].append(sample)
            counts.implausible += 1
            return false
        }
        let known = samples[pedometer]?[sample.start]
        if let known, known.steps >= sample.steps {
            counts.unchanged += 1
            return false
        }
        if known == nil { counts.added += 1 } else { counts.grown += 1 }
        counts.steps += sample.steps - (known?.steps ?? 0)
        samples[pedometer, default: [:]][sample.start] = sample
        return true
    }
}
