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

    var traits: ShareTraits { destination.traits }

    /// Entries taken at a time. Where sending again does harm, each is stored before and after by itself; else many share
    /// the cost of a durable write, and a kill has a few sent twice, which is what such a destination is for.
    private var window: Int { traits.resending == .replaces ? max(256, traits.batch) : 1 }

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
    struct Run {
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
    struct Shipment {
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

    /// Whether nothing more is to be begun.
    var isInterrupted: Bool { Task.isCancelled || deadline.map { now() >= $0 } == true }

    // MARK: One window

    /// - Returns: whether there may be more.
    private func pass(_ run: inout Run) async throws -> Bool {
        let moment = now()
        let before = run.report.state
        if run.report.state.stopped != nil { return false }
        // One that lies further ahead than any was ever put comes from a clock that was wrong.
        if let notBefore = run.report.state.notBefore, moment < notBefore, notBefore - moment <= DestinationState.longestWait { return false }
        if isInterrupted { return false }
        let due = try ledger.due(for: destination.name, users: users.map(\.id), at: moment, limit: window)
        guard !due.isEmpty else { return false }

        var settled: [ShareEntry] = []
        var begun: [Shipment] = []
        let contents = try contents(of: due)
        for entry in due {
            try await prepare(entry, contents[ContentKey(entry)], at: moment, &settled, &begun, &run)
            if run.isOver { break }
        }
        try ledger.record(settled + begun.map(\.entry))
        tell(run)
        try await deliver(begun, &run)
        if run.report.state != before { try ledger.record(run.report.state) }
        return true
    }

    func tell(_ run: Run) {
        let done = run.report.events.count
        progress(ShareProgress(destination: destination.name, done: done, all: max(run.all, done)))
    }
}
