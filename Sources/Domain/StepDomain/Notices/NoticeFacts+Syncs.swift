// What the syncs of the last nights come to.
extension NoticeFacts {
    /// Nights without a sync before a pedometer's trouble is worth a word: one is bad luck, and pedometers keep some days.
    public static let patience = 3
    /// The same for Bluetooth of this machine, which seldom mends itself.
    public static let machinePatience = 2
    /// The same for syncs that are ended from outside: whoever suspends the machine or presses Ctrl-C has not broken the pedometer, but
    /// what ends each one (a time limit, say) must be told before the pedometer forgets its oldest days.
    public static let interruptedPatience = 6
    /// Per cent from which on a battery that was low is not any more.
    public static let batteryRecovered = 30

    /// Bluetooth itself is broken: one notice, however many pedometers wait.
    var machine: Notice? {
        let tries = devices.flatMap(self.tries)
        // Whatever else came of a try, Bluetooth was there for it.
        let worked = tries.filter { $0.cause != .machine && $0.cause != .interrupted }.map(\.start).max()
        let failed = tries.filter { sync in sync.cause == .machine && worked.map { $0 < sync.start } ?? true }
        if let first = failed.min(by: { $0.start < $1.start }), let last = failed.max(by: { $0.start < $1.start }) {
            let nights = self.nights(failed)
            if nights >= Self.machinePatience { return Notice(.machine, since: first.start, .nightsFailed(nights: nights, reason: last.reason)) }
        }
        return unheard(worked)
    }

    /// The same where a watch tells it, which tries nothing while it cannot listen.
    ///
    /// - Parameter worked: when a sync last showed that Bluetooth works.
    private func unheard(_ worked: Timestamp?) -> Notice? {
        let known = standing.map(\.notice).first { $0.subject == .machine }
        if let deafness = listening.deafness {
            let nights = (now - deafness.since) / 86_400
            if nights >= Self.machinePatience {
                return Notice(.machine, since: deafness.since, .nightsFailed(nights: nights, reason: deafness.reason))
            }
        }
        // Whoever else looks meanwhile has not heard the watch: only what works ends it.
        guard let known, listening.since.isEmpty, !devices.isEmpty, worked.map({ $0 < known.since }) ?? true else { return nil }
        return known
    }

    func of(_ device: Device) -> [Notice] { [trouble(device), battery(device)].compactMap(\.self) }

    /// What is broken comes before what is only away: a pedometer that was heard some of the time has more than distance against it.
    private func trouble(_ device: Device) -> Notice? {
        let failures = Array(tries(device).prefix { $0.outcome == .failed })
        let broken = failures.filter { $0.cause != .outOfRange && $0.cause != .machine && $0.cause != .interrupted }
        let interrupted = failures.filter { $0.cause == .interrupted }
        for (syncs, patience) in [(broken, Self.patience), (interrupted, Self.interruptedPatience)] {
            guard let first = syncs.last, let last = syncs.first, nights(syncs) >= patience else { continue }
            return notice(device, since: first.start, .nightsFailed(nights: nights(syncs), reason: last.reason))
        }
        let away = failures.filter { $0.cause == .outOfRange }
        let lastRead = device.lastRead
        let known = self.known(.notSeen, device)
        let watched = listening.since[device.pedometer.id]
        let listened = watched.map { now - $0 >= Self.patience * 86_400 } ?? false
        // One look after a journey says nothing of the days before it.
        guard nights(away) > 1 || listened || known != nil else { return nil }
        guard let since = lastRead ?? known?.since ?? away.last?.start ?? watched, now - since >= Self.patience * 86_400 else {
            return nil
        }
        return notice(device, since: since, .notSeen(lastRead: lastRead))
    }

    /// Low until it is well charged again, so that a value that wavers is not told every night.
    private func battery(_ device: Device) -> Notice? {
        let told = device.syncs.filter { $0.battery != nil }
        guard let latest = told.first, let percent = latest.battery, percent < Self.batteryRecovered else { return nil }
        let sinceCharged = told.prefix { ($0.battery ?? 0) < Self.batteryRecovered }
        let low = sinceCharged.last { ($0.battery ?? 0) < StepDataService.lowBattery }
        if let low { return notice(device, since: low.start, .batteryLow(percent: percent)) }
        return known(.batteryLow, device).map { notice(device, since: $0.since, .batteryLow(percent: percent)) }
    }

    /// What the run that has just ended noticed and the user should hear.
    func events(_ report: SyncReport) -> [Notice] {
        report.notices.compactMap { noticed in
            switch noticed {
            case .clockWasOff, .counterRestarted, .lost, .dayNotClosed:
                Notice(
                    .pedometer(report.pedometer.id), name: report.pedometer.name, user: report.pedometer.user,
                    since: report.record?.start ?? now, .noticed(noticed))
            // A state of its own; and what is kept for whoever looks into it.
            case .batteryLow, .undecodable, .implausible: nil
            }
        }
    }

    private func notice(_ device: Device, since: Timestamp, _ content: Notice.Content) -> Notice {
        Notice(.pedometer(device.pedometer.id), name: device.pedometer.name, user: device.pedometer.user, since: since, content)
    }

    private func known(_ kind: Notice.Kind, _ device: Device) -> Notice? {
        standing.map(\.notice).first { $0.kind == kind && $0.subject == .pedometer(device.pedometer.id) }
    }

    /// From noon to noon by local clocks: a try before midnight and one after it are of the same night.
    private func nights(_ syncs: [SyncRecord]) -> Int { Set(syncs.map { localTime.day(of: $0.start - 12 * 3600) }).count }

    /// Without what runs still, newest first. What was begun long ago and never ended was killed.
    private func tries(_ device: Device) -> [SyncRecord] {
        device.syncs.compactMap { sync in
            guard sync.outcome == .running else { return sync }
            guard sync.start < now - Self.longestSync else { return nil }
            var killed = sync
            killed.outcome = .failed
            killed.cause = .interrupted
            killed.failure = "it was ended in the middle"
            return killed
        }
    }

    /// Seconds. None takes as long.
    private static let longestSync = 3600
}

extension SyncRecord {
    fileprivate var reason: String { failure ?? "no reason given" }
}
