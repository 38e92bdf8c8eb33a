public import StepDomain
internal import Synchronization

/// The ledger of a history without a database.
extension InMemoryHistory: ShareLedger {
    struct Ledger {
        struct Key: Hashable {
            var destination: String
            var user: User.ID
            var day: Day
        }

        struct Mark: Hashable {
            var destination: String
            var user: User.ID
        }

        var entries: [Key: ShareEntry] = [:]
        /// Enqueued since they were last returned as due.
        var stale: Set<Key> = []
        var destinations: [String: DestinationState] = [:]
        var watermarks: [Mark: (revision: Int, since: Day)] = [:]
        var changed: [User.ID: [Day: Int]] = [:]
        /// Days with data of a pedometer.
        var counted: [User.ID: Set<Day>] = [:]
        var revision = 0

        func due(for destination: String, users: [User.ID], at now: Timestamp) -> [Key: ShareEntry] {
            entries.filter { key, entry in
                key.destination == destination && users.contains(key.user) && entry.state != .sending
                    && (stale.contains(key) || entry.nextAttempt.map { $0 <= now } == true)
            }
        }

        mutating func change(_ days: ClosedRange<Day>, of user: User.ID, isCounted: Bool = true) {
            revision += 1
            for day in days { changed[user, default: [:]][day] = revision }
            if isCounted { counted[user, default: []].formUnion(days) }
        }

        fileprivate mutating func enqueue(
            _ day: Day, of user: User.ID, for destination: String, isRequested: Bool, at now: Timestamp
        ) {
            let key = Key(destination: destination, user: user, day: day)
            var entry = entries[key] ?? ShareEntry(user: user, day: day, destination: destination, changedAt: now)
            if isRequested { entry.isRequested = true }
            entry.nextAttempt = min(entry.nextAttempt ?? now, now)
            entries[key] = entry
            stale.insert(key)
        }
    }

    /// An entry in its current state.
    public func entry(_ user: User.ID, _ day: Day, _ destination: String) -> ShareEntry? {
        state.withLock { $0.ledger.entries[.init(destination: destination, user: user, day: day)] }
    }

    public func entry(for destination: String, of user: User.ID, on day: Day) -> ShareEntry? {
        entry(user, day, destination)
    }

    public func enqueueChanges(of user: User.ID, for destination: String, since: Day, at now: Timestamp) throws {
        try asked(.record) { state in
            let mark = Ledger.Mark(destination: destination, user: user)
            let before = state.ledger.watermarks[mark] ?? (revision: 0, since: since)
            for (day, revision) in state.ledger.changed[user, default: [:]] {
                let isNews = revision > before.revision
                let isKnown = state.ledger.entries[.init(destination: destination, user: user, day: day)] != nil
                let isWanted = day >= since && (isNews || day < before.since) && state.knows(day, of: user)
                if isKnown ? isNews : isWanted {
                    state.ledger.enqueue(day, of: user, for: destination, isRequested: false, at: now)
                }
            }
            state.ledger.watermarks[mark] = (state.ledger.revision, since)
        }
    }

    public func enqueue(_ days: [Day], of user: User.ID, for destination: String, at now: Timestamp) throws {
        try asked(.record) { state in
            for day in days { state.ledger.enqueue(day, of: user, for: destination, isRequested: true, at: now) }
        }
    }

    public func enqueueSent(to destination: String, at now: Timestamp) throws {
        try asked(.record) { state in
            for (key, var entry) in state.ledger.entries where key.destination == destination {
                let mayBeThere = [.sending, .unknown].contains(entry.state) && entry.fingerprint != nil
                guard entry.confirmed != nil || mayBeThere else { continue }
                entry.confirmed = entry.confirmed ?? entry.fingerprint
                entry.nextAttempt = min(entry.nextAttempt ?? now, now)
                state.ledger.entries[key] = entry
                state.ledger.stale.insert(key)
            }
        }
    }

    public func due(for destination: String, users: [User.ID], at now: Timestamp, limit: Int) -> [ShareEntry] {
        state.withLock { state in
            let due = state.ledger.due(for: destination, users: users, at: now)
                .sorted { ($0.key.day, $0.key.user) < ($1.key.day, $1.key.user) }
                .prefix(limit)
            for (key, _) in due {
                state.ledger.stale.remove(key)
                state.ledger.entries[key]?.nextAttempt = now
            }
            return due.compactMap { state.ledger.entries[$0.key] }
        }
    }

    public func dueDays(for destination: String, users: [User.ID], at now: Timestamp) -> [UserDay] {
        state.withLock { state in
            state.ledger.due(for: destination, users: users, at: now).map {
                UserDay(user: $0.key.user, day: $0.key.day)
            }
            .sorted { ($0.day, $0.user) < ($1.day, $1.user) }
        }
    }

    public func entries(for destination: String?, in states: Set<ShareEntry.State>) -> [ShareEntry] {
        state.withLock { state in
            state.ledger.entries.values
                .filter { (destination == nil || $0.destination == destination) && states.contains($0.state) }
                .sorted { ($0.destination, $0.day, $0.user) < ($1.destination, $1.day, $1.user) }
        }
    }

    public func changes(at now: Timestamp) -> [ShareEntry] {
        state.withLock { state in
            let unmarked = state.ledger.entries.keys.filter {
                state.ledger.watermarks[.init(destination: $0.destination, user: $0.user)] == nil
                    && state.ledger.destinations[$0.destination] != nil
            }
            let due = state.ledger.entries.filter { $0.value.nextAttempt.map { $0 <= now } ?? false }.keys
            var found = state.ledger.stale.union(unmarked).union(due)
            for (mark, watermark) in state.ledger.watermarks {
                for (day, revision) in state.ledger.changed[mark.user, default: [:]]
                where revision > watermark.revision {
                    let key = Ledger.Key(destination: mark.destination, user: mark.user, day: day)
                    let isWanted = day >= watermark.since && state.knows(day, of: mark.user)
                    if state.ledger.entries[key] != nil || isWanted { found.insert(key) }
                }
            }
            return found.compactMap { key -> ShareEntry? in
                guard var entry = state.ledger.entries[key] else {
                    return ShareEntry(
                        user: key.user, day: key.day, destination: key.destination, nextAttempt: now, changedAt: now)
                }
                guard entry.state == .sent else { return nil }
                entry.isChanged = true
                return entry
            }.sorted { ($0.destination, $0.day, $0.user) < ($1.destination, $1.day, $1.user) }
        }
    }

    public func record(_ entries: [ShareEntry]) throws {
        try asked(.record) { state in
            for entry in entries {
                let key = Ledger.Key(destination: entry.destination, user: entry.user, day: entry.day)
                var entry = entry
                if state.ledger.stale.contains(key) {
                    entry.isRequested = entry.isRequested || state.ledger.entries[key]?.isRequested == true
                    entry.nextAttempt = entry.nextAttempt ?? entry.changedAt
                }
                state.ledger.entries[key] = entry
            }
        }
    }

    public func remove(_ entry: ShareEntry, evenIfEnqueued: Bool) throws {
        try asked(.record) { state in
            let key = Ledger.Key(destination: entry.destination, user: entry.user, day: entry.day)
            if !evenIfEnqueued, state.ledger.stale.contains(key) { return }
            state.ledger.entries[key] = nil
            state.ledger.stale.remove(key)
        }
    }

    public func state(of destination: String) -> DestinationState {
        state.withLock { $0.ledger.destinations[destination] ?? DestinationState(name: destination) }
    }

    public func record(_ destination: DestinationState) throws {
        try asked(.record) { $0.ledger.destinations[destination.name] = destination }
    }

    public func knownDays(of user: User.ID, from first: Day, through last: Day) -> [Day] {
        state.withLock { state in
            state.ledger.changed[user, default: [:]].keys
                .filter { first <= $0 && $0 <= last && state.knows($0, of: user) }.sorted()
        }
    }

    public func deletedDays(of user: User.ID, from first: Day, through last: Day) -> [Day] {
        state.withLock { state in
            state.deleted.keys.filter { day in
                first <= day && day <= last
                    && state.ledger.entries.values.contains { $0.user == user && $0.day == day && $0.wasSent }
            }.sorted()
        }
    }
}

extension InMemoryHistory.State {
    fileprivate func knows(_ day: Day, of user: User.ID) -> Bool {
        ledger.counted[user]?.contains(day) == true || corrections[user]?[day] != nil
    }
}

extension CoveredSpan {
    /// The days of the span in the local time in which it was recorded.
    var days: ClosedRange<Day> {
        let first = Day(of: span.start, utcOffset: utcOffset)
        return first...max(first, Day(of: span.end - 1, utcOffset: utcOffset))
    }
}
