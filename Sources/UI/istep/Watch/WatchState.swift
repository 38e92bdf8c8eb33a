import BlueZ
import StepDomain

/// What a watch knows, and what follows from it: whom to look for, whom to read, whom to follow, when to look again.
///
/// A value: it is told what happens and says what to do; the watch does it.
struct WatchState {
    /// One pedometer as the history has it.
    struct Entry {
        var pedometer: Pedometer
        var lastComplete: Timestamp?
        var keepsTodayOnly: Bool
    }

    /// What is to be done now.
    struct Decision: Equatable {
        /// To be read. Nobody else is touched while it is.
        var sync: Pedometer.ID?
        /// To be connected to and followed.
        var follow: Pedometer.ID?
        /// To be let go, since they are to be read.
        var letGo: [Pedometer.ID] = []
        /// To be looked for.
        var seek: Set<DeviceAddress> = []
        /// When there is something to do again at the latest; nil for never.
        var wake: Timestamp?
    }

    private struct Trouble {
        var count: Int
        var last: Timestamp
    }

    let timing: SyncTiming
    let localTime: LocalTime
    /// Whether those that can be are followed while they are in range.
    let isLive: Bool

    private(set) var entries: [Pedometer.ID: Entry] = [:]
    /// When this watch itself last read each completely.
    private var reads: [Pedometer.ID: Timestamp] = [:]
    private var troubles: [Pedometer.ID: Trouble] = [:]
    private var heard: Set<Pedometer.ID> = []
    /// The one that is being read, or connected to.
    private(set) var busy: Pedometer.ID?
    private(set) var followed: Set<Pedometer.ID> = []
    /// Whom not to follow before then; nil stands for ever.
    private var unfollowed: [Pedometer.ID: Timestamp?] = [:]
    /// Links lost one after the other while following.
    private var losses: [Pedometer.ID: Int] = [:]

    /// How following one has ended.
    enum Ending {
        /// By ourselves, since it is to be read.
        case released
        case lost
        /// It cannot be followed at all.
        case impossible
    }

    /// Seconds for which a pedometer whose link was lost is not followed again; twice as long each time, up to half an hour.
    static let breath = 30

    init(timing: SyncTiming, localTime: LocalTime, isLive: Bool) {
        self.timing = timing
        self.localTime = localTime
        self.isLive = isLive
    }

    // MARK: What happens

    /// The history was looked at.
    mutating func take(_ entries: [Entry]) {
        self.entries = Dictionary(entries.map { ($0.pedometer.id, $0) }) { $1 }
        heard.formIntersection(self.entries.keys)
        for (id, trouble) in troubles where (self.entries[id]?.lastComplete).map({ $0 > trouble.last }) ?? false { troubles[id] = nil }
    }

    mutating func hear(_ address: DeviceAddress) {
        // What is heard of one that is being read was said before it was.
        for entry in entries.values where DeviceAddress(entry.pedometer.address) == address && entry.pedometer.id != busy {
            heard.insert(entry.pedometer.id)
        }
    }

    mutating func beginSync(of id: Pedometer.ID) {
        busy = id
        heard.remove(id)
    }

    /// - Parameter isComplete: nil where it could not even begin, since another sync runs.
    mutating func endSync(of id: Pedometer.ID, isComplete: Bool?, at now: Timestamp) {
        busy = nil
        switch isComplete {
        case true?:
            troubles[id] = nil
            entries[id]?.lastComplete = now
            reads[id] = now
            // It is near, and still to be followed.
            if followable(id, at: now) != nil { heard.insert(id) }
        case false?: troubles[id] = Trouble(count: (troubles[id]?.count ?? 0) + 1, last: now)
        case nil: troubles[id] = Trouble(count: max(troubles[id]?.count ?? 0, 1), last: now)
        }
    }

    mutating func beginFollowing(_ id: Pedometer.ID) {
        busy = id
        heard.remove(id)
        followed.insert(id)
    }

    /// It is connected.
    ///
    /// - Parameter tells: and has told steps.
    mutating func follows(_ id: Pedometer.ID, tells: Bool) {
        if busy == id { busy = nil }
        if tells { losses[id] = nil }
    }

    mutating func endFollowing(_ id: Pedometer.ID, as ending: Ending, at now: Timestamp) {
        if busy == id { busy = nil }
        followed.remove(id)
        switch ending {
        case .released:
            losses[id] = nil
            unfollowed.updateValue(now, forKey: id)
            heard.insert(id)
        case .lost:
            losses[id, default: 0] += 1
            unfollowed.updateValue(now + min(Self.breath << min(losses[id, default: 1] - 1, 6), 1800), forKey: id)
        case .impossible: unfollowed.updateValue(nil, forKey: id)
        }
    }

    // MARK: What follows

    func due(_ id: Pedometer.ID, at now: Timestamp) -> Timestamp? {
        entries[id].map { entry in
            timing.due(
                SyncTiming.Standing(
                    lastComplete: lastComplete(entry, at: now), lastFailure: troubles[id]?.last, failures: troubles[id]?.count ?? 0,
                    keepsTodayOnly: entry.keepsTodayOnly),
                now: now, localTime: localTime)
        }
    }

    /// The later of what the history and this watch know of; what lies in the future was noted by a clock that was ahead.
    private func lastComplete(_ entry: Entry, at now: Timestamp) -> Timestamp? {
        [entry.lastComplete, reads[entry.pedometer.id]].compactMap(\.self).filter { $0 <= now }.max()
            ?? [entry.lastComplete, reads[entry.pedometer.id]].compactMap(\.self).min()
    }

    /// From when on it is to be followed; nil for never.
    private func followable(_ id: Pedometer.ID, at now: Timestamp) -> Timestamp? {
        guard isLive, !followed.contains(id) else { return nil }
        guard let until = unfollowed[id] else { return now }
        return until
    }

    func decision(at now: Timestamp) -> Decision {
        var decision = Decision()
        let dues = entries.keys.compactMap { id in due(id, at: now).map { (id, $0) } }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        let ripe = dues.filter { $0.1 <= now }.map(\.0)
        let following = entries.keys.sorted().compactMap { id in followable(id, at: now).map { (id, $0) } }
        decision.wake = (dues.map(\.1) + following.map(\.1)).filter { $0 > now }.min()
        guard busy == nil else { return decision }

        decision.letGo = ripe.filter(followed.contains)
        decision.sync = ripe.first { heard.contains($0) && !followed.contains($0) }
        guard decision.sync == nil else { return decision }
        let wanted = following.filter { $0.1 <= now && !ripe.contains($0.0) }.map(\.0)
        decision.follow = wanted.first(where: heard.contains)
        guard decision.follow == nil else { return decision }
        let sought = ripe.filter { !followed.contains($0) } + wanted
        decision.seek = Set(sought.compactMap { entries[$0].flatMap { DeviceAddress($0.pedometer.address) } })
        return decision
    }

    /// When the next one is to be read.
    func next(at now: Timestamp) -> Timestamp? { entries.keys.compactMap { due($0, at: now) }.min() }
}
