public import StepDomain

/// The business operations on step data: the figures of a day, the plan of a day, reading pedometers, sharing.
///
/// It accesses a history, pedometers, the ledger and the destinations of sharing only through its ports, and reads only the clock that it
/// was given.
public struct StepDataService: Sendable {
    let history: any StepHistory
    let reader: any PedometerReader
    let ledger: any ShareLedger
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - reader: what reads pedometers; without one `synchronize` fails for each of them, and nothing else needs it.
    ///   - ledger: what records sharing; without one `shareStepData` fails, and nothing else needs it.
    public init(
        history: any StepHistory, reader: any PedometerReader = NoReader(), ledger: any ShareLedger = NoLedger(),
        localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.history = history
        self.reader = reader
        self.ledger = ledger
        self.localTime = localTime
        self.now = now
    }

    /// A user's day in figures; from the history alone.
    ///
    /// - Throws: the history's error.
    public func summary(of user: User, on day: Day) throws -> DaySummary {
        let data = try history.stepData(of: user, on: day)
        return DaySummary(data, localTime: localTime, now: now())
    }

    /// The sport plan in force on a day; nil before a user's first.
    ///
    /// - Throws: the history's error.
    public func sportPlan(of user: User, on day: Day) throws -> SportPlan? {
        try history.plans(of: user.id).inForce(on: day)
    }
}

/// Reads no pedometer: for a service that only reads the history.
public struct NoReader: PedometerReader {
    public struct Unreadable: Error, CustomStringConvertible {
        public var pedometer: String
        public var description: String {
            "'\(pedometer)' cannot be read here: the service was made without a pedometer reader."
        }
    }

    public init() {}

    public func read(_ pedometers: [Pedometer], for receiver: any ReadingReceiver) async {
        for pedometer in pedometers { await receiver.end(of: pedometer, .failure(Unreadable(pedometer: pedometer.name))) }
    }
}

extension StepDataService {
    /// Seconds for which settings of a pedometer's clock are kept: longer than any pedometer keeps steps.
    static let clockMemory = 62 * 86_400

    /// Reads pedometers into the history.
    ///
    /// A failure of one does not stop the others; steps that came in before a failure stay. When the task is cancelled, the
    /// syncs that have not ended are recorded as failed.
    ///
    /// - Parameters:
    ///   - finished: called once for each pedometer as soon as its result is known and recorded, in any order. Its link may still be up:
    ///     `connectedSeconds` is only known on return.
    /// - Returns: one report for each pedometer, in their order, when no link is left.
    public func synchronize(
        _ pedometers: [Pedometer], progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void = { _, _ in },
        finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) async -> [SyncReport] {
        let recorder = SyncRecorder(history, localTime: localTime, now: now, progress: progress, finished: finished)
        var begun: [Pedometer] = []
        for pedometer in pedometers where await recorder.begin(pedometer) { begun.append(pedometer) }
        if !begun.isEmpty { await reader.read(begun, for: recorder) }
        var reports: [SyncReport] = []
        for pedometer in pedometers { reports.append(await recorder.report(pedometer)) }
        return reports
    }
}

extension StepDataService {
    /// What is to be shared.
    public enum ShareOrder: Hashable, Sendable {
        /// All that is due.
        case due
        /// These days of a user, in any state, and with them what already waits in the outbox.
        /// - Parameter again: send them even where the destination has confirmed them, as if they never had been sent.
        case days([Day], of: User, again: Bool = false)
    }

    /// Puts into the outbox what is to be shared, and sends nothing.
    ///
    /// - Parameter users: of the history; each destination takes those of its terms.
    /// - Throws: the ledger's error.
    public func enqueueShares(_ order: ShareOrder, to destinations: [any ShareDestination], users: [User]) throws {
        let moment = now()
        for destination in destinations {
            var state = try ledger.state(of: destination.name)
            let layout = destination.traits.layout
            if state.firstDay == nil || state.layout != layout {
                // Two steps: if the process is killed between them, the days are enqueued again, and those that were sent by then are
                // settled.
                if state.firstDay != nil, state.layout < layout { try ledger.enqueueSent(to: destination.name, at: moment) }
                state.firstDay = state.firstDay ?? localTime.day(of: moment)
                state.layout = layout
                try ledger.record(state)
            }
            if case .days(let days, let user, let again) = order {
                guard destination.terms.include(user) else { continue }
                if again { try forgetDeliveries(of: days, of: user, to: destination.name, at: moment) }
                try ledger.enqueue(days, of: user.id, for: destination.name, at: moment)
                continue
            }
            guard let since = destination.terms.since ?? state.firstDay else { continue }
            for user in users where destination.terms.include(user) {
                try ledger.enqueueChanges(of: user.id, for: destination.name, since: since, at: moment)
            }
        }
    }

    private func forgetDeliveries(of days: [Day], of user: User, to destination: String, at moment: Timestamp) throws {
        try ledger.record(
            try days.compactMap { day in
                var entry = try ledger.entry(for: destination, of: user.id, on: day)
                entry?.sendAgain(at: moment)
                return entry
            })
    }

    /// Shares step data: puts what the order names into the outbox, then empties the outboxes of the destinations, all at the
    /// same time, so that none waits for another.
    ///
    /// Nothing is lost by failure or kill: what was not confirmed stays in the outbox. One caller at a time for a history.
    ///
    /// - Parameters:
    ///   - users: of the history; each destination takes those of its terms.
    ///   - deadline: no delivery is begun after it.
    /// - Returns: one report a destination, in their order.
    /// - Throws: the ledger's error, where not even the outbox could be filled.
    public func shareStepData(
        _ order: ShareOrder, to destinations: [any ShareDestination], users: [User], deadline: Timestamp? = nil,
        progress: @escaping @Sendable (ShareProgress) -> Void = { _ in }
    ) async throws -> [ShareReport] {
        let slugs = try await blocking {
            try enqueueShares(order, to: destinations, users: users)
            if case .days = order {
                // A request by name counts as an action of the user: a paused destination is contacted again.
                try Self.release(destinations, in: ledger)
            }
            return UserSlugs(try history.users())
        }
        return await withTaskGroup(of: (Int, ShareReport).self) { group in
            for (index, destination) in destinations.enumerated() {
                let drain = ShareDrain(
                    destination: destination, users: users.filter { destination.terms.include($0) }, slugs: slugs, history: history,
                    ledger: ledger, localTime: localTime, now: now, deadline: deadline, progress: progress)
                group.addTask { (index, await drain.run()) }
            }
            var reports: [Int: ShareReport] = [:]
            for await (index, report) in group { reports[index] = report }
            return destinations.indices.compactMap { reports[$0] }
        }
    }

    /// The user acted: a wait or a pause of these destinations ends.
    static func release(_ destinations: [any ShareDestination], in ledger: any ShareLedger) throws {
        for destination in destinations {
            var state = try ledger.state(of: destination.name)
            state.release()
            try ledger.record(state)
        }
    }

    /// The result of sharing a day by name.
    public enum SharePreview: Hashable, Sendable {
        /// Exactly what would be sent, with secrets masked.
        case content(String)
        /// The destination has these figures, or cannot be given others.
        case settled
        /// Nothing is known of the day.
        case nothingKnown
    }

    /// What would be sent of a day; nothing is stored or sent.
    ///
    /// - Parameter again: as for `ShareOrder.days`.
    /// - Throws: the history's error, or the destination's.
    public func previewShare(
        of user: User, on day: Day, to destination: any ShareDestination, again: Bool = false
    ) throws -> SharePreview {
        let data = try history.stepData(of: user, on: day)
        let withSamples = destination.traits.wantsSamples
        guard let shared = SharedDay(data, localTime: localTime, now: now(), withSamples: withSamples) else { return .nothingKnown }
        var entry =
            try ledger.entry(for: destination.name, of: user.id, on: day)
            ?? ShareEntry(user: user.id, day: day, destination: destination.name, changedAt: now())
        if again { entry.sendAgain(at: now()) }
        entry.isAsked = true
        let content = destination.traits.content(of: shared)
        if entry.step(content, destination.traits, readyAt: nil, now: now()) == .settled { return .settled }
        return .content(try destination.preview([ShareParcel(shared, entry, content: content, slugs: UserSlugs(try history.users()))]))
    }
}

extension StepDataService {
    /// The most syncs of a pedometer that are read: more than a year of nights, or about a week of a watch.
    private static let mostSyncs = 400

    /// Determines which notices hold now, and stores them until they have been shown.
    ///
    /// Everything except the notices in the reports can be found in the history again at any time, so a process that is killed before this
    /// call loses none of it.
    ///
    /// - Parameters:
    ///   - store: where they are kept.
    ///   - reports: of the run that has just ended.
    ///   - destinations: names of those that are configured; nil if not known: then stored notices about destinations stay unchanged.
    ///   - listening: of a watch, where there is one.
    /// - Throws: the history's error.
    @discardableResult
    public func keepNotices(
        in store: any NoticeStore, reports: [SyncReport] = [], destinations: [String]?, listening: ListeningState = ListeningState()
    ) throws -> StandingNotices {
        let moment = now()
        let standing = try store.standingNotices()
        let today = localTime.day(of: moment)
        let users = try history.users()
        let facts = NoticeFacts(
            users: users,
            devices: try history.pedometers().map { pedometer in
                .init(
                    pedometer, try history.syncs(of: pedometer.id, limit: Self.mostSyncs),
                    lastComplete: try history.lastCompleteSync(of: pedometer.id, until: moment + NoticeFacts.clockSlack))
            },
            reports: reports,
            sharing: try (destinations ?? []).map { name in
                .init(try ledger.state(of: name), try ledger.entries(for: name, in: [.pending, .sending, .unknown, .rejected]))
            },
            days: try users.flatMap { user in
                try history.stepData(of: user, on: [today.advanced(by: -1), today]).map {
                    DaySummary($0, localTime: localTime, now: moment)
                }
            },
            standing: standing, listening: listening, now: moment, localTime: localTime)
        var holding = facts.notices
        if destinations == nil {
            holding += standing.map(\.notice).filter { if case .destination = $0.subject { true } else { false } }
        }
        let begun = try store.keep(holding, withdrawn: facts.withdrawn, at: moment)
        return StandingNotices(notices: try store.standingNotices(), begun: begun)
    }
}

/// The notices that hold after an update.
public struct StandingNotices: Hashable, Sendable {
    /// Ordered by when they began.
    public var notices: [StoredNotice]
    /// Those that were not known before.
    public var begun: Set<StoredNotice.ID>

    public init(notices: [StoredNotice], begun: Set<StoredNotice.ID>) {
        self.notices = notices
        self.begun = begun
    }

    /// Those that were not known before, and that no user has seen.
    public var new: [StoredNotice] { notices.filter { $0.isNew && begun.contains($0.id) } }
}
