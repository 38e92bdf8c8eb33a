/// Empties the outbox of one destination, as far as the destination lets it.
///
/// One drain at a time for a history: whoever makes one holds the lock for it. Then an entry found as `sending` was left by a
/// process that was killed.
struct ShareDrain: Sendable {
    let destination: any ShareDestination
    let users: [User]
    let history: any StepHistory
    let ledger: any ShareLedger
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp
    /// No delivery is begun after this moment.
    let deadline: Timestamp?
    let progress: @Sendable (ShareProgress) -> Void

    private var traits: ShareTraits { destination.traits }

    /// Entries taken at a time. Where sending again does harm, each is stored before and after by itself; else many share
    /// the cost of a durable write, and a kill has a few sent twice, which is what such a destination is for.
    private var window: Int { traits.resending == .replaces ? max(64, traits.batch) : 1 }

    /// Rejections in a row after which the rest waits: most likely the destination refuses something that all days have.
    static let mostRejections = 3

    /// Seconds after the end of a day for which a day with gaps waits for the sync that may fill them: two nights.
    static let patience = 36 * 3600

    func run() async -> ShareReport {
        var run = Run(report: ShareReport(
            destination: destination.name, kind: destination.kind, state: DestinationState(name: destination.name)))
        do {
            run.report.state = try ledger.state(of: destination.name)
            try recover()
            if traits.showsLatestOnly { run.latest = try latestDays() }
            run.all = try ledger.due(for: destination.name, users: users.map(\.id), at: now(), limit: .max).count
            while !run.isOver, try await pass(&run) {}
        } catch {
            run.report.fault = error
        }
        run.report.waiting = (try? waiting(run.report)) ?? 0
        return run.report
    }

    /// What happens while a drain runs.
    private struct Run {
        var report: ShareReport
        /// Entries that were due at the beginning.
        var all = 0
        var rejections = 0
        /// The latest days that the destination has, where it shows one a person.
        var latest: [User.ID: Day] = [:]
        var isOver = false

        mutating func note(_ entry: ShareEntry, _ outcome: ShareReport.Event.Outcome) {
            report.events.append(.init(user: entry.user, day: entry.day, outcome: outcome))
        }
    }

    /// A day on its way.
    private struct Shipment {
        /// As it was before it was begun.
        var before: ShareEntry
        var entry: ShareEntry
        var parcel: ShareParcel
    }

    private func recover() throws {
        let left = try ledger.entries(for: destination.name, in: [.sending])
        guard !left.isEmpty else { return }
        try ledger.record(left.map { entry in
            var entry = entry
            entry.abandon(at: now())
            return entry
        })
    }

    /// Entries that are due and were not dealt with.
    private func waiting(_ report: ShareReport) throws -> Int {
        let tried = Set(report.events.map { [Int($0.user), $0.day.daysSince1970] })
        return try ledger.due(for: destination.name, users: users.map(\.id), at: now(), limit: .max)
            .count { !tried.contains([Int($0.user), $0.day.daysSince1970]) }
    }

    private func latestDays() throws -> [User.ID: Day] {
        try ledger.entries(for: destination.name, in: Set(ShareEntry.State.allCases)).filter(\.isCorrection)
            .reduce(into: [:]) { $0[$1.user] = max($0[$1.user] ?? $1.day, $1.day) }
    }

    // MARK: One window

    /// - Returns: whether there may be more.
    private func pass(_ run: inout Run) async throws -> Bool {
        let moment = now()
        let before = run.report.state
        if run.report.state.stopped != nil { return false }
        if let notBefore = run.report.state.notBefore, moment < notBefore { return false }
        if Task.isCancelled || deadline.map({ moment >= $0 }) == true { return false }
        let due = try ledger.due(for: destination.name, users: users.map(\.id), at: moment, limit: window)
        guard !due.isEmpty else { return false }

        var settled: [ShareEntry] = []
        var begun: [Shipment] = []
        for entry in due {
            try await prepare(entry, at: moment, &settled, &begun, &run)
            if run.isOver { break }
        }
        try ledger.record(settled + begun.map(\.entry))
        tell(run)
        try await deliver(begun, &run)
        if run.report.state != before { try ledger.record(run.report.state) }
        return true
    }

    private func prepare(
        _ due: ShareEntry, at moment: Timestamp, _ settled: inout [ShareEntry],
        _ begun: inout [Shipment], _ run: inout Run
    ) async throws {
        var entry = due
        guard let user = users.first(where: { $0.id == entry.user }), let day = try content(of: user, on: entry.day) else {
            // A correction was taken back, or the day was asked for in vain.
            try ledger.remove(entry)
            return run.note(entry, .nothingKnown)
        }
        if let latest = run.latest[entry.user], entry.day < latest {
            entry.settle(at: moment)
            run.note(entry, .passed)
            return settled.append(entry)
        }
        let content = day.fingerprint
        var step = entry.step(content, traits, readyAt: readyAt(day.summary), now: moment)
        if step == .find {
            guard try await find(&entry, day, content, &run) else { return settled.append(entry) }
            // What was unclear is settled, so that this cannot ask to find it again.
            step = entry.step(content, traits, readyAt: readyAt(day.summary), now: moment)
        }
        let before = entry
        switch step {
        case .send:
            entry.begin(content, at: moment)
            return begun.append(Shipment(before: before, entry: entry, parcel: ShareParcel(day, entry, content: content)))
        case .settled:
            run.note(entry, entry.confirmed == content ? .unchanged : .fixed)
            entry.settle(lookAgain: lookAgain(day.summary), at: moment)
        case .hold(let until):
            run.note(entry, .held(until: until))
            entry.hold(until: until)
        case .ask, .find:
            entry.ask(entry.lastError ?? Self.untold, at: moment)
            run.note(entry, .unknown(reason: entry.lastError ?? Self.untold))
        case .leave:
            entry.hold(until: nil)
            run.note(entry, .rejected(reason: entry.lastError ?? "no reason given"))
        }
        settled.append(entry)
    }

    private static let untold = "it cannot be told whether it arrived"

    /// Asks what became of an attempt without an answer.
    ///
    /// - Returns: whether it is clear now; if not, the entry is left as it is to be stored.
    private func find(_ entry: inout ShareEntry, _ day: SharedDay, _ content: String, _ run: inout Run) async throws -> Bool {
        do throws(ShareFailure) {
            switch try await destination.find(ShareParcel(day, entry, content: content)) {
            case .arrived(let receipt):
                entry.confirm(receipt, lookAgain: nil, at: now())
                return true
            case .absent:
                entry.notArrived(at: now())
                return true
            case .unclear:
                entry.ask(entry.lastError ?? Self.untold, at: now())
            }
        } catch {
            run.report.state.fail(error, at: now())
            run.report.failure = error
            run.isOver = true
            entry.lastError = error.reason
        }
        run.note(entry, .unknown(reason: entry.lastError ?? Self.untold))
        return false
    }

    private func content(of user: User, on day: Day) throws -> SharedDay? {
        let data = try history.stepData(of: user, on: day)
        let summary = DaySummary(data, localTime: localTime, now: now())
        let tracks = traits.wantsSamples ? data.tracks.map { SharedDay.Track(pedometer: $0.name, samples: $0.samples) } : []
        return SharedDay(summary, tracks: tracks)
    }

    /// From when on a day may go out by itself; nil for at once.
    private func readyAt(_ summary: DaySummary) -> Timestamp? {
        if destination.terms.takesUnfinishedDays ?? traits.takesUnfinishedDays { return nil }
        let end = localTime.span(of: summary.day).end
        if summary.isRunning { return end }
        return summary.completeness == .complete ? nil : end + Self.patience
    }

    private func lookAgain(_ summary: DaySummary) -> Timestamp? {
        summary.isRunning ? localTime.span(of: summary.day).end : nil
    }

    // MARK: Delivery

    private func deliver(_ begun: [Shipment], _ run: inout Run) async throws {
        var ended: [ShareEntry] = []
        var rest = begun[...]
        var size = traits.batch
        while !rest.isEmpty {
            let batch = Array(rest.prefix(size))
            if run.isOver || Task.isCancelled {
                ended += rest.map(\.before)     // stored as being sent, and never were
                break
            }
            do throws(ShareFailure) {
                let receipts = try await destination.deliver(batch.map(\.parcel))
                guard receipts.count == batch.count else {
                    throw ShareFailure(.unanswered, "\(receipts.count) of \(batch.count) days were confirmed")
                }
                for (one, receipt) in zip(batch, receipts) { ended.append(confirmed(one, receipt, &run)) }
            } catch {
                if error.kind == .rejected, batch.count > 1 {
                    // Which of them, only one by one will tell.
                    size = 1
                    continue
                }
                run.report.state.fail(error, at: now())
                for one in batch { ended.append(failed(one, error, &run)) }
            }
            rest = rest.dropFirst(batch.count)
            tell(run)
        }
        if !ended.isEmpty { try ledger.record(ended) }
    }

    private func confirmed(
        _ one: Shipment, _ receipt: ShareReceipt, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        run.note(entry, entry.isCorrection ? .corrected : .sent)
        entry.confirm(receipt, lookAgain: lookAgain(one.parcel.day.summary), at: now())
        if traits.showsLatestOnly { run.latest[entry.user] = max(run.latest[entry.user] ?? entry.day, entry.day) }
        run.report.state.succeed()
        run.report.failure = nil
        run.rejections = 0
        return entry
    }

    private func failed(
        _ one: Shipment, _ failure: ShareFailure, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        entry.fail(failure, before: one.before.state, at: now())
        run.report.failure = failure
        switch failure.kind {
        case .rejected:
            run.note(entry, .rejected(reason: failure.reason))
            run.rejections += 1
            run.isOver = run.rejections >= Self.mostRejections
        case .unanswered:
            run.note(entry, .unknown(reason: failure.reason))
            run.isOver = true
        case .unreachable, .busy, .credentials, .misconfigured:
            run.note(entry, .queued(reason: failure.reason))
            run.isOver = true
        }
        return entry
    }

    private func tell(_ run: Run) {
        let done = run.report.events.count
        progress(ShareProgress(destination: destination.name, done: done, all: max(run.all, done)))
    }
}
