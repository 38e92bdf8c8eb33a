/// The facts that decide which notices hold, gathered from a history, its ledger and the run that has just ended.
public struct NoticeRules: Sendable {
    /// A pedometer in use, with its last syncs.
    public struct Device: Sendable {
        public var pedometer: Pedometer
        /// Newest first.
        public var syncs: [SyncRecord]
        /// The end of the last complete sync, whether it is among `syncs` or before them; nil if there never was one.
        public var lastRead: Timestamp?

        /// - Parameters:
        ///   - syncs: the last ones, newest first.
        ///   - lastComplete: the last complete one, which may be older than `syncs`.
        public init(_ pedometer: Pedometer, _ syncs: [SyncRecord], lastComplete: SyncRecord? = nil) {
            self.pedometer = pedometer
            self.syncs = syncs
            lastRead = (lastComplete ?? syncs.first { $0.outcome == .complete }).map { $0.end ?? $0.start }
        }

        /// A copy without syncs that were dated into the future while the clock was ahead: they would count as the
        /// latest until that time is reached.
        func until(_ moment: Timestamp) -> Device {
            var device = self
            device.syncs = syncs.filter { max($0.start, $0.end ?? $0.start) <= moment }
            if let last = lastRead, last > moment {
                device.lastRead = device.syncs.first { $0.outcome == .complete }.map { $0.end ?? $0.start }
            }
            return device
        }
    }

    /// A configured destination, with its entries that were not sent.
    public struct Sharing: Sendable {
        public var state: DestinationState
        public var entries: [ShareEntry]

        public init(_ state: DestinationState, _ entries: [ShareEntry]) {
            self.state = state
            self.entries = entries
        }
    }

    public var users: [User]
    public var devices: [Device]
    /// Reports of the run that has just ended; empty if there are none.
    public var reports: [SyncReport]
    public var sharing: [Sharing]
    /// Today and yesterday of each user.
    public var days: [DaySummary]
    /// Notices that hold already: some states last longer than the condition that begins them.
    public var standing: [StoredNotice]
    /// The state of a watch: silence while it listens is as informative as a try.
    public var listening: ListeningState
    public var now: Timestamp
    public var localTime: LocalTime

    public init(
        users: [User] = [], devices: [Device] = [], reports: [SyncReport] = [], sharing: [Sharing] = [],
        days: [DaySummary] = [],
        standing: [StoredNotice] = [], listening: ListeningState = ListeningState(), now: Timestamp,
        localTime: LocalTime
    ) {
        self.users = users
        self.devices = devices.map { $0.until(now + Self.clockSlack) }
        self.reports = reports
        self.sharing = sharing
        self.days = days
        self.standing = standing
        self.listening = listening
        self.now = now
        self.localTime = localTime
    }

    /// The notices that hold now: all states, and the events that are found in these facts.
    public var notices: [Notice] {
        [machine].compactMap(\.self) + devices.flatMap { of($0) } + reports.flatMap(events) + sharing.flatMap { of($0) }
            + days.compactMap(goal)
    }

    /// Seconds. Clocks that differ by less do so for good reason, and do no harm.
    package static let clockSlack = 3600

    // MARK: Goals

    /// Keys of standing notices that no longer hold, though nothing else would end them: the day was corrected, or its
    /// goal raised.
    public var withdrawn: Set<String> {
        Set(
            standing.map(\.notice).filter { notice in
                guard case .goalReached(let day, _, _) = notice.content else { return false }
                return days.contains { $0.day == day && notice.subject == .user($0.user.id) && goal($0) == nil }
            }.map(\.key))
    }

    /// Reported for the day on which it was reached, even if its steps are read on the next.
    private func goal(_ day: DaySummary) -> Notice? {
        guard let goal = day.goal, let steps = day.steps, day.isPlausible, SportPlan.isMet(goal, by: steps) else {
            return nil
        }
        return Notice(
            .user(day.user.id), name: day.user.name, user: day.user.id, since: now,
            .goalReached(day: day.day, steps: steps, goal: goal))
    }
}

// Notices that follow from the syncs of the last nights.
extension NoticeRules {
    /// Nights without a sync before a pedometer's failure is reported: one may be chance, and pedometers keep some
    /// days.
    public static let nightsBeforeNotice = 3
    /// The same for Bluetooth of this machine, which seldom recovers on its own.
    public static let nightsBeforeMachineNotice = 2
    /// The same for syncs that are ended from outside: suspending the machine or pressing Ctrl-C is no fault of the
    /// pedometer, but a cause that ends every sync (such as a time limit) must be reported before the pedometer deletes
    /// its oldest days.
    public static let interruptedNightsBeforeNotice = 6

    /// Bluetooth itself is broken: one notice, regardless of the number of pedometers that wait.
    package var machine: Notice? {
        let tries = devices.flatMap(self.tries)
        // Bluetooth worked for a try with any other result.
        let worked = tries.filter { $0.cause != .machine && $0.cause != .interrupted }.map(\.start).max()
        let failed = tries.filter { sync in sync.cause == .machine && worked.map { $0 < sync.start } ?? true }
        if let first = failed.min(by: { $0.start < $1.start }), let last = failed.max(by: { $0.start < $1.start }) {
            let nights = self.nights(failed)
            if nights >= Self.nightsBeforeMachineNotice {
                return Notice(.machine, since: first.start, .nightsFailed(nights: nights, reason: last.reason))
            }
        }
        return listeningOutage(worked)
    }

    /// The same notice for a watch, which tries nothing while it cannot listen.
    ///
    /// - Parameter worked: when a sync last showed that Bluetooth works.
    private func listeningOutage(_ worked: Timestamp?) -> Notice? {
        let known = standing.map(\.notice).first { $0.subject == .machine }
        if let outage = listening.outage {
            let nights = (now - outage.since) / 86_400
            if nights >= Self.nightsBeforeMachineNotice {
                return Notice(.machine, since: outage.since, .nightsFailed(nights: nights, reason: outage.reason))
            }
        }
        // Another process does not know the state of the watch: only a sync that works ends the notice.
        guard let known, listening.since.isEmpty, !devices.isEmpty, worked.map({ $0 < known.since }) ?? true else {
            return nil
        }
        return known
    }

    package func of(_ device: Device) -> [Notice] {
        [failing(device), battery(device), missing(device)].compactMap(\.self)
    }

    /// A fault takes precedence over absence: a pedometer that was heard some of the time has another problem besides
    /// distance.
    private func failing(_ device: Device) -> Notice? {
        let failures = Array(tries(device).prefix { $0.outcome == .failed })
        let broken = failures.filter { $0.cause != .outOfRange && $0.cause != .machine && $0.cause != .interrupted }
        // Nights in which no sync came to another end.
        let ended = Set(failures.filter { $0.cause != .interrupted }.map(night))
        let interrupted = failures.filter { $0.cause == .interrupted && !ended.contains(night($0)) }
        for (syncs, limit) in [(broken, Self.nightsBeforeNotice), (interrupted, Self.interruptedNightsBeforeNotice)] {
            guard let first = syncs.last, let last = syncs.first, nights(syncs) >= limit else { continue }
            return notice(device, since: first.start, .nightsFailed(nights: nights(syncs), reason: last.reason))
        }
        let away = failures.filter { $0.cause == .outOfRange }
        let lastRead = device.lastRead
        let known = self.known(.notSeen, device)
        let watched = listening.since[device.pedometer.id]
        let listened = watched.map { now - $0 >= Self.nightsBeforeNotice * 86_400 } ?? false
        // A single try after a journey says nothing about the days before it.
        guard nights(away) > 1 || listened || known != nil else { return nil }
        guard let since = lastRead ?? known?.since ?? away.last?.start ?? watched,
            now - since >= Self.nightsBeforeNotice * 86_400
        else {
            return nil
        }
        return notice(device, since: since, .notSeen(lastRead: lastRead))
    }

    /// Low until it is well charged again, so that a fluctuating value is not reported every night.
    private func battery(_ device: Device) -> Notice? {
        let withBattery = device.syncs.filter { $0.battery != nil }
        guard let latest = withBattery.first, let percent = latest.battery, percent < BatteryLevel.recovered else {
            return nil
        }
        let sinceCharged = withBattery.prefix { ($0.battery ?? 0) < BatteryLevel.recovered }
        let low = sinceCharged.last { ($0.battery ?? 0) < BatteryLevel.low }
        if let low { return notice(device, since: low.start, .batteryLow(percent: percent)) }
        return known(.batteryLow, device).map { notice(device, since: $0.since, .batteryLow(percent: percent)) }
    }

    /// Holds for as long as the cursor lists days: each sync requests them again.
    private func missing(_ device: Device) -> Notice? {
        let gaps = device.pedometer.cursor.reportedGaps
        return gaps.isEmpty ? nil : notice(device, since: known(.daysMissing, device)?.since ?? now, .daysMissing(gaps))
    }

    /// Events of the run that has just ended that the user should know.
    package func events(_ report: SyncReport) -> [Notice] {
        report.notices.compactMap { noticed in
            switch noticed {
            case .clockWasOff, .counterRestarted, .lost, .dayNotClosed, .tooOld, .stepsInDoubt:
                Notice(
                    .pedometer(report.pedometer.id), name: report.pedometer.name, user: report.pedometer.user,
                    since: report.record?.start ?? now, .noticed(noticed))
            // States with notices of their own; and notices that only the report of the sync mentions.
            case .batteryLow, .missing: nil
            case .undecodable, .implausible, .oversized, .undecided, .countingStarted: nil
            case .clockCorrected, .zoneChanged, .zoneDiffers, .appOutdated, .adapterRestarted: nil
            }
        }
    }

    private func notice(_ device: Device, since: Timestamp, _ content: Notice.Content) -> Notice {
        Notice(
            .pedometer(device.pedometer.id), name: device.pedometer.name, user: device.pedometer.user, since: since,
            content)
    }

    private func known(_ kind: Notice.Kind, _ device: Device) -> Notice? {
        standing.map(\.notice).first { $0.kind == kind && $0.subject == .pedometer(device.pedometer.id) }
    }

    /// The number of nights, each from noon to noon by local clocks: a try before midnight and one after it belong to
    /// the same night.
    private func nights(_ syncs: [SyncRecord]) -> Int { Set(syncs.map(night)).count }

    private func night(_ sync: SyncRecord) -> Day { localTime.day(of: sync.start - 12 * 3600) }

    /// The syncs that have ended, newest first. A sync that was abandoned counts as interrupted.
    private func tries(_ device: Device) -> [SyncRecord] {
        device.syncs.compactMap { sync in
            guard sync.outcome == .running else { return sync }
            guard sync.isAbandoned(at: now) else { return nil }
            var killed = sync
            killed.outcome = .failed
            killed.cause = .interrupted
            killed.failure = "interrupted"
            return killed
        }
    }
}

extension SyncRecord {
    fileprivate var reason: String { failure ?? "no reason given" }
}

// Notices that follow from sharing.
extension NoticeRules {
    /// Seconds for which days wait before this is reported.
    package static let shareWait = 3 * 86_400

    package func of(_ sharing: Sharing) -> [Notice] {
        let state = sharing.state
        if let reason = state.stopped {
            return [notice(state, since: now, .destinationStopped(reason: reason))]
                + sharing.entries.compactMap(answered)
        }
        return sharing.entries.compactMap(answered) + [waiting(sharing)].compactMap(\.self)
    }

    /// A notice of what the destination answered about a day, or that it did not answer.
    private func answered(_ entry: ShareEntry) -> Notice? {
        let reason = entry.lastError ?? "no reason given"
        // Rejected entries stay in the ledger for ever: only recent ones are reported.
        guard now - entry.changedAt < NoticeMerge.memory / 3, let user = users.first(where: { $0.id == entry.user })
        else { return nil }
        let content: Notice.Content
        switch entry.state {
        case .rejected where entry.isWithheld: content = .shareWithheld(user: user.name, day: entry.day)
        case .rejected: content = .shareRejected(user: user.name, day: entry.day, reason: reason)
        case .unknown where entry.isInDoubt: content = .shareInDoubt(user: user.name, day: entry.day, reason: reason)
        case .pending, .sending, .sent, .unknown: return nil
        }
        return Notice(
            .destination(entry.destination), name: entry.destination, user: entry.user, since: entry.changedAt, content)
    }

    private func waiting(_ sharing: Sharing) -> Notice? {
        let tried = sharing.entries.filter(\.isWaiting)
        // Without the user nothing changes.
        let refused = tried.filter(\.isOfRefusedUser)
        if let since = refused.map({ $0.firstAttempt ?? $0.changedAt }).min() {
            let owners = Set(refused.map(\.user))
            let days = sharing.entries.count { owners.contains($0.user) && [.pending, .unknown].contains($0.state) }
            return notice(sharing.state, since: since, .shareWaiting(days: days, reason: refused.last?.lastError))
        }
        guard let since = tried.compactMap(\.firstAttempt).min(), now - since >= Self.shareWait else { return nil }
        let latest = tried.max { $0.changedAt < $1.changedAt }
        return notice(sharing.state, since: since, .shareWaiting(days: tried.count, reason: latest?.lastError))
    }

    private func notice(_ state: DestinationState, since: Timestamp, _ content: Notice.Content) -> Notice {
        Notice(.destination(state.name), name: state.name, since: since, content)
    }
}
