import StepDomain
internal import Support

/// Delivers what is due to one destination, as far as the destination accepts it.
///
/// One delivery runs at a time for a history: the caller holds the lock for it. An entry found as `sending` was
/// therefore left by a process that was killed.
struct OutboxDelivery: Sendable {
    let destination: any ShareDestination
    let users: [User]
    /// The identifiers of all users of the history.
    let slugs: UserSlugs
    let history: any StepHistory
    let ledger: any ShareLedger
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp
    /// No delivery is begun after this moment.
    let deadline: Timestamp?
    let progress: @Sendable (ShareProgress) -> Void

    /// As far as the destination is known: before its server was asked, what is true of the kind.
    var traits: ShareTraits

    /// Entries taken at a time. Where sending twice does harm, each entry is stored separately before and after it is
    /// sent. Otherwise many entries share the cost of a durable write; after a kill a few are sent twice, which such a
    /// destination permits. Few are taken until the destination has answered: the first are sent soon, and little work
    /// is wasted if it does not answer.
    private func windowSize(_ run: Run) -> Int {
        // Only all of them show which is the latest.
        if traits.showsLatestOnly { return .max }
        return switch traits.resending {
        // Two windows are in memory: 256 days of minutes have 25 MB.
        case .replaces: max(!run.hasAnswer ? 32 : traits.includesSamples ? 2 * traits.batch : 256, traits.batch)
        case .repeats: 1
        }
    }

    func run() async -> ShareReport {
        var run = Run(
            report: ShareReport(
                destination: destination.name, kind: destination.kind, state: DestinationState(name: destination.name)))
        do {
            (run.report.state, run.latest, run.all) = try await blocking { try begin() }
            var delivery = self
            if traits.needsRestoring { run.all += try await sendLostAgain(run) }
            // A server that does not answer fails the first delivery in the same way.
            if run.all > 0, isReady(run), let current = try? await destination.currentTraits() {
                delivery.traits = current
            }
            try await delivery.drain(&run)
            if traits.needsRestoring { try await restore(&run) }
        } catch {
            run.report.fault = error
        }
        run.report.refused = Set(run.refusals.keys)
        run.report.failure = run.report.failure ?? run.refusals.min { $0.key < $1.key }?.value
        run.report.waiting = (try? await blocking { [report = run.report] in try waiting(report) }) ?? 0
        return run.report
    }

    /// The state of a delivery that runs.
    struct Run {
        var report: ShareReport
        /// Entries that were due at the beginning.
        var all = 0
        var rejections = 0
        /// Only for `showsLatestOnly`: the last day that was sent, by user.
        var latest: [User.ID: Day] = [:]
        var isOver = false
        /// Whether the destination has confirmed a delivery in this run.
        var hasAnswer = false
        /// The users whose days the destination does not accept, and why. The next run tries them again.
        var refusals: [User.ID: ShareFailure] = [:]

        mutating func note(_ entry: ShareEntry, _ outcome: ShareReport.Event.Outcome) {
            report.events.append(
                .init(user: entry.user, day: entry.day, outcome: outcome, isRequested: entry.isRequested))
        }
    }

    /// A day that is being sent.
    struct Item {
        /// The entry before its delivery began.
        var before: ShareEntry
        var entry: ShareEntry
        var payload: SharePayload
    }

    private func begin() throws -> (DestinationState, latest: [User.ID: Day], due: Int) {
        let state = try ledger.state(of: destination.name)
        try recover()
        let due = try ledger.dueDays(for: destination.name, users: users.map(\.id), at: now()).count
        return (state, traits.showsLatestOnly ? try ledger.latestDays(at: destination.name, today: today) : [:], due)
    }

    var today: Day { localTime.day(of: now()) }

    private func recover() throws {
        let left = try ledger.entries(for: destination.name, in: [.sending])
        guard !left.isEmpty else { return }
        try ledger.record(
            left.map { entry in
                var entry = entry
                entry.abandon(at: now())
                return entry
            })
    }

    /// Entries that are due and were not dealt with. A sent day that has changed is one if its figures have.
    private func waiting(_ report: ShareReport) throws -> Int {
        let tried = Set(report.events.map { UserDay(user: $0.user, day: $0.day) })
        let outbox = Outbox(history: history, ledger: ledger, localTime: localTime, now: now)
        return try ledger.dueDays(for: destination.name, users: users.map(\.id), at: now()).count { due in
            if tried.contains(due) { return false }
            guard let user = users.first(where: { $0.id == due.user }),
                try ledger.entry(for: destination.name, of: due.user, on: due.day)?.state == .sent
            else { return true }
            return try outbox.preview(of: user, on: due.day, to: destination, hasContent: false).isContent
        }
    }

    /// Whether no further delivery may begin.
    var isInterrupted: Bool { Task.isCancelled || deadline.map { now() >= $0 } == true }

    // MARK: Window by window

    /// Sends window after window until nothing is due, or the destination has failed.
    ///
    /// The results of one window are stored with the beginning of a later one in one transaction, because each commit
    /// waits for the disk. Where sending a day twice does harm, they are stored at once.
    private func drain(_ run: inout Run) async throws {
        guard isReady(run) else { return }
        var storedState = run.report.state
        var unstored: [ShareEntry] = []
        var next = try await begin(after: [], &run)
        while let window = next {
            reportProgress(run)
            async let preparation = beginAhead(after: unstored, run)
            let results = try await deliver(window, &run)
            let prepared = await preparation
            let ahead = try? prepared.get()
            // `beginAhead` stores `unstored` in its transaction.
            unstored = ahead == nil ? unstored + results : results
            run.report.events += ahead?.events ?? []
            next = ahead?.window
            if run.report.state != storedState {
                storedState = run.report.state
                // Repeated, as for the results: they would be lost if this failed before they are stored.
                try await repeatedly { [ledger, storedState] in try ledger.record(storedState) }
            }
            let isLast = run.isOver || !isReady(run)
            if isLast || next == nil {
                // What was begun ahead is not sent.
                try await record(unstored + (next?.map(\.before) ?? []))
                unstored = []
            }
            if isLast { return }
            // An error in `beginAhead` ends the sharing only after the results are stored.
            _ = try prepared.get()
            // Steps that came in while days were being sent are sent as well.
            if next == nil { next = try await begin(after: [], &run) }
        }
    }

    /// Whether the destination may be sent something now.
    func isReady(_ run: Run) -> Bool {
        !isInterrupted && !run.report.state.isHeldBack(at: now())
    }

    /// Whether several deliveries may be in progress at a time. Not before the destination has confirmed one.
    func mayOverlap(_ run: Run) -> Bool { traits.resending == .replaces && !traits.isSequential && run.hasAnswer }

    /// Whether a window may be begun while another is sent, so that the network and the processor work at the same
    /// time: the results of one must not matter to the other.
    private func mayBeginAhead(_ run: Run) -> Bool { mayOverlap(run) && !traits.showsLatestOnly }

    /// - Returns: the window, if anything is due, and what happened to days that are not sent; nil if nothing may be
    ///   begun ahead.
    private func beginAhead(
        after ended: [ShareEntry], _ run: Run
    ) async -> Result<(window: [Item]?, events: [ShareReport.Event])?, any Error> {
        guard mayBeginAhead(run) else { return .success(nil) }
        var ahead = run
        ahead.report.events = []
        do { return .success((try await begin(after: ended, &ahead), ahead.report.events)) } catch {
            return .failure(error)
        }
    }

    /// Reads the entries that are due, and stores what becomes of them, with the results of an earlier window.
    ///
    /// - Returns: the days that are about to be sent, stored as `sending`; nil if nothing is due.
    private func begin(after ended: [ShareEntry], _ run: inout Run) async throws -> [Item]? {
        let (due, contents) = try await read(
            windowSize(run), of: users.map(\.id).filter { run.refusals[$0] == nil })
        var window: [Item] = []
        var settled: [ShareEntry] = []
        let moment = now()
        // Where only the latest day is shown, the others are not sent: newest first.
        var newest: [User.ID: Day] = [:]
        for entry in traits.showsLatestOnly ? due.reversed() : due {
            if let day = newest[entry.user], entry.day < day, entry.day != run.latest[entry.user] {
                var entry = entry
                entry.settle(at: moment)
                run.note(entry, .passed)
                settled.append(entry)
                continue
            }
            switch try await prepare(entry, contents[UserDay(entry)], at: moment, &run) {
            case .removed: break
            case .settled(let entry): settled.append(entry)
            case .begun(let item):
                window.append(item)
                newest[entry.user] = max(newest[entry.user] ?? entry.day, entry.day)
            }
            if run.isOver { break }
        }
        if traits.showsLatestOnly { window.reverse() }
        try await record(ended + settled + window.map(\.entry))
        return due.isEmpty ? nil : window
    }

    /// Entries that are due, with what there is to share of each.
    private func read(_ limit: Int, of users: [User.ID]) async throws -> ([ShareEntry], [UserDay: SharedDay]) {
        if isInterrupted { return ([], [:]) }
        return try await blocking {
            let due = try ledger.due(for: destination.name, users: users, at: now(), limit: limit)
            return (due, try contents(of: due))
        }
    }

    func reportProgress(_ run: Run) {
        let events = run.report.events
        let done = events.count { !$0.outcome.isOpen }
        progress(ShareProgress(destination: destination.name, done: done, all: max(run.all, events.count)))
    }
}

extension UserDay {
    init(_ entry: ShareEntry) { self.init(user: entry.user, day: entry.day) }
}

extension StepHistory {
    /// What a destination is given of a user besides days; nil if nothing.
    func person(of user: User, for traits: ShareTraits) throws -> SharedPerson? {
        guard traits.includesPerson else { return nil }
        return SharedPerson(
            profiles: try profiles(of: user.id), plans: try plans(of: user.id), pedometers: try pedometers(of: user.id))
    }
}

extension SharedDay {
    /// As much of a day as a destination is given; nil if nothing is known of it.
    init?(_ data: DayData, _ person: SharedPerson?, for traits: ShareTraits, localTime: LocalTime, now: Timestamp) {
        self.init(
            data, localTime: localTime, now: now, includesSamples: traits.includesSamples,
            includesEvidence: traits.includesEvidence)
        self.person = person
    }

    /// Whether it is sent: a day that was deleted only to a destination that has it, and can replace it.
    func isShared(by entry: ShareEntry, _ traits: ShareTraits) -> Bool {
        !isDeletion || traits.takesDeletions && entry.wasSent
    }
}
