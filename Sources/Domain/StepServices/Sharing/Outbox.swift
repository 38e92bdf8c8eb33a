public import StepDomain
internal import Support

/// The days of a history that are to be shared: fills the outbox, delivers what is due, and shows what would be sent.
///
/// It accesses the history, the ledger and the destinations only through their ports, and reads only the clock that it
/// was given. `ShareService` adds to it what belongs to a command: the lock, and the choice of destinations and users.
public struct Outbox: Sendable {
    private let history: any StepHistory
    private let ledger: any ShareLedger
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp
    private let isClockBelieved: @Sendable () -> Bool

    /// - Parameter isClockBelieved: as in `ServiceContext`.
    public init(
        history: any StepHistory, ledger: any ShareLedger, localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp, isClockBelieved: @escaping @Sendable () -> Bool = { true }
    ) {
        self.isClockBelieved = isClockBelieved
        self.history = history
        self.ledger = ledger
        self.localTime = localTime
        self.now = now
    }

    /// Puts into the outbox what is to be shared, and sends nothing.
    ///
    /// - Parameter users: of the history; each destination takes those of its terms.
    /// - Throws: the ledger's error.
    public func enqueue(_ order: ShareOrder, to destinations: [any ShareDestination], users: [User]) throws {
        let moment = now(), today = localTime.day(of: moment)
        for destination in destinations {
            var state = try ledger.state(of: destination.name)
            let layout = destination.traits.layout, wasUsed = state.firstDay != nil
            // It was noted by a clock that was ahead.
            let isAhead = state.firstDay.map { $0 > today.advanced(by: 1) } ?? false
            if isAhead, isClockBelieved(), try !hasLaterDays(users, than: today) { state.firstDay = nil }
            if state.firstDay == nil || state.layout != layout {
                // Two steps: if the process is killed between them, the days are enqueued again, and those that were
                // sent by then are settled.
                if wasUsed, state.layout < layout {
                    try ledger.enqueueSent(to: destination.name, at: moment)
                }
                // By a clock that is behind, the days of years would seem to be new.
                if try state.firstDay == nil && (isClockBelieved() || !hasLaterDays(users, than: today)) {
                    state.firstDay = today
                }
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

    /// Whether days are known that have not come yet: then the clock is behind, or has been ahead.
    private func hasLaterDays(_ users: [User], than today: Day) throws -> Bool {
        try users.contains { user in
            try !ledger.knownDays(
                of: user.id, from: today.advanced(by: 2), through: Period.calendar.upperBound
            ).isEmpty
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

    /// Puts what the order names into the outbox, then delivers what is due to each destination, all at the same time,
    /// so that none waits for another.
    ///
    /// Nothing is lost by failure or kill: what was not confirmed stays in the outbox. One caller at a time for a
    /// history.
    ///
    /// - Parameters:
    ///   - users: of the history; each destination takes those of its terms.
    ///   - deadline: no delivery is begun after it.
    /// - Returns: one report a destination, in their order.
    /// - Throws: the ledger's error, where not even the outbox could be filled.
    public func share(
        _ order: ShareOrder, to destinations: [any ShareDestination], users: [User], deadline: Timestamp? = nil,
        progress: @escaping @Sendable (ShareProgress) -> Void = { _ in }
    ) async throws -> [ShareReport] {
        let slugs = try await blocking {
            try enqueue(order, to: destinations, users: users)
            if case .days = order {
                // A request by name counts as an action of the user: a paused destination is contacted again.
                try Self.release(destinations, in: ledger)
            }
            return UserSlugs(try history.users())
        }
        return await withTaskGroup(of: (Int, ShareReport).self) { group in
            for (index, destination) in destinations.enumerated() {
                let delivery = OutboxDelivery(
                    destination: destination, users: users.filter { destination.terms.include($0) }, slugs: slugs,
                    history: history,
                    ledger: ledger, localTime: localTime, now: now, deadline: deadline, progress: progress,
                    traits: destination.traits)
                group.addTask { (index, await delivery.run()) }
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

    /// What would be sent of a day; nothing is stored or sent.
    ///
    /// - Parameters:
    ///   - again: as for `ShareOrder.days`.
    ///   - hasContent: whether the content is wanted; without it, the destination is not asked, and the content is
    ///     empty.
    /// - Throws: the history's error, or the destination's.
    public func preview(
        of user: User, on day: Day, to destination: any ShareDestination, again: Bool = false, hasContent: Bool = true
    ) throws -> SharePreview.Result {
        guard destination.terms.include(user) else { return .userExcluded }
        let data = try history.dayData(of: user, on: day)
        let traits = destination.traits
        let person = try history.person(of: user, for: traits)
        guard let shared = SharedDay(data, person, for: traits, localTime: localTime, now: now()) else {
            return .nothingKnown
        }
        var entry =
            try ledger.entry(for: destination.name, of: user.id, on: day)
            ?? ShareEntry(user: user.id, day: day, destination: destination.name, changedAt: now())
        guard shared.isShared(by: entry, traits) else { return .nothingKnown }
        let today = localTime.day(of: now())
        if traits.showsLatestOnly,
            let latest = try ledger.latestDays(at: destination.name, today: today)[user.id], day < latest
        {
            return .passed
        }
        if again { entry.sendAgain(at: now()) }
        entry.isRequested = true
        let content = traits.fingerprint(of: shared)
        switch entry.decision(content, traits, readyAt: nil, now: now()) {
        case .settled: return entry.confirmed == content ? .settled : .fixed
        case .unresolved: return .doubtful
        case .send, .find, .hold, .withhold, .leave: break
        }
        guard hasContent else { return .content("") }
        return .content(
            try destination.preview([
                SharePayload(shared, entry, content: content, slugs: UserSlugs(try history.users()))
            ]))
    }
}

/// What would be sent of a day to a destination, if the user shared it by name.
public struct SharePreview: Hashable, Sendable {
    public enum Result: Hashable, Sendable {
        /// Exactly what would be sent, with secrets masked.
        case content(String)
        /// The destination has these figures.
        case settled
        /// The destination has earlier figures, and they cannot be changed.
        case fixed
        /// An earlier delivery may have arrived, and only the user can find out.
        case doubtful
        case nothingKnown
        /// The destination shows only the latest day, and has a later one.
        case passed
        /// The destination does not take days of this user.
        case userExcluded

        /// Whether something would be sent.
        var isContent: Bool { if case .content = self { true } else { false } }
    }

    /// Its name.
    public var destination: String
    public var day: Day
    public var result: Result

    public init(destination: String, day: Day, result: Result) {
        self.destination = destination
        self.day = day
        self.result = result
    }
}
