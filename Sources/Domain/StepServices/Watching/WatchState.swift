import StepDomain
internal import Support

/// The state of a watch, and the decisions that follow from it: which pedometers to listen for, to read and to follow,
/// and when to decide again.
///
/// A value: it receives events and returns decisions; the watch carries them out.
struct WatchState: Sendable {
    /// A pedometer as it is stored in the history.
    struct Entry {
        var pedometer: Pedometer
        var lastComplete: Timestamp?
        var holdsTodayOnly: Bool
        /// It advertises its steps, perhaps from another address than its own.
        var isAdvertised = false
    }

    /// What to do now.
    struct Decision: Equatable {
        /// The pedometer to read. No other pedometer is used meanwhile.
        var sync: Pedometer.ID?
        /// The pedometer to connect to and follow.
        var follow: Pedometer.ID?
        /// The pedometers to disconnect, because they are due to be read or are not watched any more.
        var disconnect: [Pedometer.ID] = []
        /// The addresses to listen for.
        var scan: Set<String> = []
        /// Those of `scan` that advertise their steps.
        var advertised: Set<String> = []
        /// When to decide again at the latest; nil for never.
        var wake: Timestamp?
    }

    /// Failed readings in a row.
    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    let schedule: ReadingSchedule
    let localTime: LocalTime
    /// Whether pedometers that support it are followed while they are in range.
    let isLive: Bool

    private(set) var entries: [Pedometer.ID: Entry] = [:]
    /// When this watch itself last read each pedometer completely.
    private var reads: [Pedometer.ID: Timestamp] = [:]
    private var failures: [Pedometer.ID: Failures] = [:]
    private var discovered: Set<Pedometer.ID> = []
    /// The pedometer that is being read or connected to.
    private(set) var busy: Pedometer.ID?
    private(set) var followed: Set<Pedometer.ID> = []
    /// Pedometers that must not be followed now.
    private var unfollowed: [Pedometer.ID: Pause] = [:]
    /// Number of consecutive links lost while following.
    private var losses: [Pedometer.ID: Int] = [:]

    /// How long a pedometer is not followed.
    private enum Pause {
        case until(Timestamp)
        /// It cannot be followed at all.
        case always
    }

    /// How following a pedometer has ended.
    enum Ending: Sendable {
        /// This watch has disconnected it, because it is due to be read.
        case released
        case lost
        /// It cannot be followed at all.
        case impossible
    }

    /// How long a pedometer whose link was lost is not followed again.
    static let linkBackoff = ExponentialBackoff(first: .seconds(30), longest: .seconds(1800))

    init(schedule: ReadingSchedule, localTime: LocalTime, isLive: Bool) {
        self.schedule = schedule
        self.localTime = localTime
        self.isLive = isLive
    }

    // MARK: Events

    /// Replaces the pedometers by those that were read from the history.
    mutating func update(_ entries: [Entry]) {
        self.entries = Dictionary(entries.map { ($0.pedometer.id, $0) }) { $1 }
        discovered.formIntersection(self.entries.keys)
        for (id, failed) in failures where (self.entries[id]?.lastComplete).map({ $0 > failed.last }) ?? false {
            failures[id] = nil
        }
    }

    mutating func recordAdvertisement(of address: String) {
        // An advertisement of the pedometer that is being read was sent before the reading.
        for entry in entries.values where entry.pedometer.address == address && entry.pedometer.id != busy {
            discovered.insert(entry.pedometer.id)
        }
    }

    mutating func beginSync(of id: Pedometer.ID) {
        busy = id
        discovered.remove(id)
    }

    /// - Parameter isComplete: nil if it could not begin because another sync runs.
    mutating func endSync(of id: Pedometer.ID, isComplete: Bool?, at now: Timestamp) {
        busy = nil
        switch isComplete {
        case true?:
            failures[id] = nil
            entries[id]?.lastComplete = now
            reads[id] = now
            // It is in range, and must still be followed.
            if followable(id, at: now) != nil { discovered.insert(id) }
        case false?: failures[id] = Failures(count: (failures[id]?.count ?? 0) + 1, last: now)
        case nil: failures[id] = Failures(count: max(failures[id]?.count ?? 0, 1), last: now)
        }
    }

    mutating func beginFollowing(_ id: Pedometer.ID) {
        busy = id
        discovered.remove(id)
        followed.insert(id)
    }

    /// The pedometer is connected.
    ///
    /// - Parameter hasSteps: whether it has also sent steps.
    mutating func isFollowing(_ id: Pedometer.ID, hasSteps: Bool) {
        if busy == id { busy = nil }
        if hasSteps { losses[id] = nil }
    }

    mutating func endFollowing(_ id: Pedometer.ID, as ending: Ending, at now: Timestamp) {
        if busy == id { busy = nil }
        followed.remove(id)
        switch ending {
        case .released:
            losses[id] = nil
            unfollowed[id] = nil
            discovered.insert(id)
        case .lost:
            losses[id, default: 0] += 1
            unfollowed[id] = .until(now + Self.linkBackoff.seconds(after: losses[id, default: 1]))
        case .impossible: unfollowed[id] = .always
        }
    }

    // MARK: Decisions

    func due(_ id: Pedometer.ID, at now: Timestamp) -> Timestamp? {
        entries[id].map { entry in
            schedule.due(
                ReadingSchedule.State(
                    lastComplete: lastComplete(entry, at: now), lastFailure: failures[id]?.last,
                    failures: failures[id]?.count ?? 0,
                    holdsTodayOnly: entry.holdsTodayOnly),
                now: now, localTime: localTime)
        }
    }

    /// The later of the times in the history and in this watch. A time in the future was recorded while the clock was
    /// ahead.
    private func lastComplete(_ entry: Entry, at now: Timestamp) -> Timestamp? {
        [entry.lastComplete, reads[entry.pedometer.id]].compactMap(\.self).filter { $0 <= now }.max()
            ?? [entry.lastComplete, reads[entry.pedometer.id]].compactMap(\.self).min()
    }

    /// The time from which to follow it; nil for never.
    private func followable(_ id: Pedometer.ID, at now: Timestamp) -> Timestamp? {
        guard isLive, !followed.contains(id) else { return nil }
        switch unfollowed[id] {
        case nil: return now
        // A moment further ahead is of a clock that was.
        case .until(let moment)?: return moment - now <= Self.linkBackoff.seconds(after: .max) ? moment : now
        case .always?: return nil
        }
    }

    func decision(at now: Timestamp) -> Decision {
        var decision = Decision()
        let dues = entries.keys.compactMap { id in due(id, at: now).map { (id, $0) } }.sorted {
            ($0.1, $0.0) < ($1.1, $1.0)
        }
        let overdue = dues.filter { $0.1 <= now }.map(\.0)
        let following = entries.keys.sorted().compactMap { id in followable(id, at: now).map { (id, $0) } }
        decision.wake = (dues.map(\.1) + following.map(\.1)).filter { $0 > now }.min()
        guard busy == nil else { return decision }

        // A pedometer that was forgotten meanwhile has no entry.
        decision.disconnect = overdue.filter(followed.contains) + followed.filter { entries[$0] == nil }.sorted()
        decision.sync = overdue.first { discovered.contains($0) && !followed.contains($0) }
        guard decision.sync == nil else { return decision }
        let wanted = following.filter { $0.1 <= now && !overdue.contains($0.0) }.map(\.0)
        decision.follow = wanted.first(where: discovered.contains)
        guard decision.follow == nil else { return decision }
        let missing = (overdue.filter { !followed.contains($0) } + wanted).compactMap { entries[$0] }
        decision.scan = Set(missing.map(\.pedometer.address))
        decision.advertised = Set(missing.filter(\.isAdvertised).map(\.pedometer.address))
        return decision
    }

    /// What the watch does after a decision, while it neither reads nor connects.
    func status(after decision: Decision, at now: Timestamp) -> WatchStatus {
        let names = entries.values.map(\.pedometer).filter { decision.scan.contains($0.address) }.map(\.name).sorted()
        if !names.isEmpty { return .searching(names) }
        // When the next pedometer is due to be read.
        return entries.keys.compactMap { due($0, at: now) }.min().map { .idle(next: $0) } ?? .noPedometer
    }
}
