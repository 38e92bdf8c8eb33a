public import StepDomain
internal import Support

/// One run that reads pedometers and then shares what is due: the same whether a user, a timer or a watch starts it.
public struct SyncService: Sendable {
    private let context: ServiceContext
    private let options: Options

    public struct Options: Sendable {
        /// The most days to request, including today; nil for all that is new.
        public var days: Int?
        public var isShared: Bool
        /// Whether to wait for an adapter that is just starting.
        public var waitsForAdapter: Bool
        /// Whether maintenance (backups, checks, deletion of old frames) follows, as in the nightly run.
        public var includesMaintenance: Bool
        /// The listening state of the watch, if a watch runs the sync.
        public var listening: ListeningState
        /// Called with the frames of each batch, in their order, before it is stored.
        public var record: @Sendable ([RawFrame]) -> Void

        public init(
            days: Int? = nil, isShared: Bool = true, waitsForAdapter: Bool = false, includesMaintenance: Bool = false,
            listening: ListeningState = ListeningState(), record: @escaping @Sendable ([RawFrame]) -> Void = { _ in }
        ) {
            self.days = days
            self.isShared = isShared
            self.waitsForAdapter = waitsForAdapter
            self.includesMaintenance = includesMaintenance
            self.listening = listening
            self.record = record
        }
    }

    /// Progress of the run.
    public enum Step: Sendable {
        case reading(Pedometer, ReadProgress)
        case sharing(ShareService.Step)
    }

    /// Result of the run.
    public struct Outcome: Sendable {
        /// When it began.
        public var start: Timestamp
        public var reports: [SyncReport] = []
        /// The imports of the configuration, in the nightly run.
        public var imports: [ScheduledImportReport] = []
        /// Nil if nothing was to be shared.
        public var shares: [ShareReport]?
        /// Users of the history, for the text about what was shared.
        public var users: [User] = []
        /// Why it could not be shared at all.
        public var sharingFailure: (any Error)?
        /// All notices that hold after the run, and which of them this run was the first to find.
        public var notices = StandingNotices()
        /// Why notices could not be stored.
        public var noticeFailure: (any Error)?
        /// Why the history could not be backed up or checked, or is damaged.
        public var maintenanceFailure: (any Error)?

        public init(start: Timestamp) { self.start = start }
    }

    public init(_ context: ServiceContext, _ options: Options = Options()) {
        self.context = context
        self.options = options
    }

    /// Seconds for sharing: a slow server must not delay the user who waits for the steps.
    private static let sharingTimeout = 120

    /// - Parameters:
    ///   - pedometers: which to read; they are read with the cursor and the clock that the history has once the lock is
    ///     held, and not at all if they were forgotten meanwhile.
    ///   - finished: called once for each pedometer, as soon as its result is known; the link may still be up.
    /// - Throws: the lock's error while another sync runs; the history's error where it is damaged or cannot be read,
    ///   before anything is written; `ServiceError.clockNotSet`, `.unknownZone`.
    public func run(
        _ pedometers: [Pedometer], progress: @escaping @Sendable (Step) -> Void = { _ in },
        finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) async throws -> Outcome {
        // A board without a battery-backed clock starts with a time in the past; a ring set by it would be wrong for
        // days.
        let start = context.now()
        guard start >= TimeFacts.earliest else { throw ServiceError.clockNotSet(context.localTime.day(of: start)) }
        // Slots of the clock of a pedometer would be stored at wrong times, and its clock set to UTC.
        if let zone = context.unknownZone { throw ServiceError.unknownZone(zone) }
        var outcome = Outcome(start: start)
        outcome.reports = try await context.lock.hold(for: .syncing) {
            try await context.maintenance.checkBeforeSync()
            return try await read(pedometers, progress, finished)
        }
        // Before sharing, which then has these days, too.
        if options.includesMaintenance, !Task.isCancelled { outcome.imports = await context.scheduledImports?() ?? [] }
        // Sharing may take long: what the pedometers have reported is stored before it.
        await updateNotices(&outcome)
        if options.isShared, !Task.isCancelled {
            await share(&outcome, progress)
            await updateNotices(&outcome)
        }
        if options.includesMaintenance, !Task.isCancelled { await runMaintenance(&outcome) }
        return outcome
    }

    private func read(
        _ pedometers: [Pedometer], _ progress: @escaping @Sendable (Step) -> Void,
        _ finished: @escaping @Sendable (SyncReport) -> Void
    ) async throws -> [SyncReport] {
        // A run that only imports, shares and maintains.
        if pedometers.isEmpty { return [] }
        if options.waitsForAdapter { await context.waitForAdapter() }
        // Under the lock: another sync may have stored a later cursor and clock since the caller read the pedometers.
        let known = try await blocking { [history = context.history] in try history.pedometers() }
        let current = pedometers.compactMap { chosen in known.first { $0.id == chosen.id } }
        let registered = Set(known.map(\.address))
        let recorder = SyncRecorder(
            context.history, localTime: context.localTime, now: context.now, record: options.record,
            progress: { progress(.reading($0, $1)) }, finished: finished)
        return await recorder.read(current, by: context.reader(options.days, registered))
    }

    // The steps are stored by now: a later failure is reported beside them, and the next run does the work again.

    private func updateNotices(_ outcome: inout Outcome) async {
        do {
            var notices = try await context.updateNotices(reports: outcome.reports, listening: options.listening)
            notices.begun.formUnion(outcome.notices.begun)
            outcome.notices = notices
            outcome.noticeFailure = nil
        } catch {
            outcome.noticeFailure = error
        }
    }

    private func share(_ outcome: inout Outcome, _ progress: @escaping @Sendable (Step) -> Void) async {
        do {
            let (sharing, problem) = try await blocking { [context] in try ShareService(context).withClearRecipients }
            outcome.sharingFailure = problem
            guard !sharing.destinations.isEmpty else { return }
            outcome.users = sharing.users
            outcome.shares = try await sharing.deliver(.due, deadline: context.now() + Self.sharingTimeout) {
                progress(.sharing($0))
            }
        } catch {
            // New days are sent by the other process, or by the next sync.
            if context.lock.conflictingWork(in: error) != .sharing { outcome.sharingFailure = error }
        }
    }

    private func runMaintenance(_ outcome: inout Outcome) async {
        do {
            try await context.maintenance.run()
        } catch is CancellationError {
            // Due again with the next sync.
        } catch {
            outcome.maintenanceFailure = error
        }
    }
}

extension SyncService.Outcome {
    /// What failed besides reading a pedometer and sharing with a destination.
    public var otherFailures: [any Error] {
        imports.compactMap(\.failure) + [sharingFailure, noticeFailure, maintenanceFailure].compactMap(\.self)
    }

    /// What decides how the command ends; nil if nothing has failed.
    public var worst: FailureCategory? {
        ((reports.compactMap(\.failure) + otherFailures).map(FailureCategory.init)
            + (shares ?? []).compactMap(\.worst)).worst
    }

    /// The notices that the view of this run has already shown to the user.
    public var shownNotices: [StoredNotice] {
        notices.notices.filter { stored in
            switch stored.notice.subject {
            case .machine: reports.contains { $0.cause == .machine }
            case .user: false
            case .pedometer(let id): reports.contains { $0.pedometer.id == id && shows(stored.notice, $0) }
            case .destination(let name): (shares ?? []).contains { $0.destination == name && shows(stored.notice, $0) }
            }
        }
    }

    private func shows(_ notice: Notice, _ report: SyncReport) -> Bool {
        switch notice.content {
        case .nightsFailed, .notSeen: report.failure != nil
        case .batteryLow: report.notices.contains { if case .batteryLow = $0 { true } else { false } }
        case .daysMissing: !report.gaps.isEmpty
        case .noticed(let noticed): report.notices.contains(noticed) && notice.since >= start
        case .shareRejected, .shareWithheld, .shareInDoubt, .destinationStopped, .shareWaiting, .goalReached: false
        }
    }

    private func shows(_ notice: Notice, _ report: ShareReport) -> Bool {
        switch notice.content {
        case .destinationStopped: report.state.stopped != nil
        case .shareWaiting: report.queued > 0
        case .shareRejected(_, let day, _), .shareWithheld(_, let day), .shareInDoubt(_, let day, _):
            report.events.contains { event in
                switch event.outcome {
                case .rejected, .withheld, .doubtful: event.day == day && event.user == notice.user
                default: false
                }
            }
        case .nightsFailed, .notSeen, .batteryLow, .daysMissing, .noticed, .goalReached: false
        }
    }
}
