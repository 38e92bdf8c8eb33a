extension StepDataService {
    /// What is to be shared.
    public enum ShareOrder: Hashable, Sendable {
        /// All that is due.
        case due
        /// These days of a user, wherever they stand, and with them what waits in the outbox already.
        case days([Day], of: User)
    }

    /// Puts into the outbox what is to be shared, and sends nothing.
    ///
    /// - Parameter users: of the history; each destination takes those of its terms.
    /// - Throws: the ledger's error.
    public func enqueueShares(_ order: ShareOrder, to destinations: [any ShareDestination], users: [User]) throws {
        let moment = now()
        for destination in destinations {
            var state = try ledger.state(of: destination.name)
            if state.firstDay == nil {
                state.firstDay = localTime.day(of: moment)
                try ledger.record(state)
            }
            if case .days(let days, let user) = order {
                if destination.terms.include(user) { try ledger.enqueue(days, of: user.id, for: destination.name, at: moment) }
                continue
            }
            guard let since = destination.terms.since ?? state.firstDay else { continue }
            for user in users where destination.terms.include(user) {
                try ledger.enqueueChanges(of: user.id, for: destination.name, since: since, at: moment)
            }
        }
    }

    /// Shares step data: puts what the order names into the outbox, then empties the outboxes of the destinations, all at the
    /// same time, so that none waits for another.
    ///
    /// Nothing is lost by failure or kill: what was not confirmed stays in the outbox. One caller at a time for a history.
    ///
    /// - Parameters:
    ///   - users: of the history; each destination takes those of its terms.
    ///   - deadline: no delivery is begun after it.
    /// - Returns: one report a destination, in their order.
    /// - Throws: the ledger's error, where not even the outbox could be filled.
    public func shareStepData(
        _ order: ShareOrder, to destinations: [any ShareDestination], users: [User], deadline: Timestamp? = nil,
        progress: @escaping @Sendable (ShareProgress) -> Void = { _ in }
    ) async throws -> [ShareReport] {
        try enqueueShares(order, to: destinations, users: users)
        if case .days = order {
            // Whoever asks by name has acted: a destination that was stopped is tried again.
            for destination in destinations {
                var state = try ledger.state(of: destination.name)
                state.release()
                try ledger.record(state)
            }
        }
        return await withTaskGroup(of: (Int, ShareReport).self) { group in
            for (index, destination) in destinations.enumerated() {
                let drain = ShareDrain(
                    destination: destination, users: users.filter { destination.terms.include($0) }, history: history,
                    ledger: ledger, localTime: localTime, now: now, deadline: deadline, progress: progress)
                group.addTask { (index, await drain.run()) }
            }
            var reports: [Int: ShareReport] = [:]
            for await (index, report) in group { reports[index] = report }
            return destinations.indices.compactMap { reports[$0] }
        }
    }

    /// What would become of a day that is shared by name.
    public enum SharePreview: Hashable, Sendable {
        /// Exactly what would be sent, with secrets masked.
        case content(String)
        /// The destination has these figures, or cannot be given others.
        case settled
        /// Nothing is known of the day.
        case nothingKnown
    }

    /// What would be sent of a day; nothing is stored or sent.
    ///
    /// - Throws: the history's error, or the destination's.
    public func previewShare(of user: User, on day: Day, to destination: any ShareDestination) throws -> SharePreview {
        let data = try history.stepData(of: user, on: day)
        let tracks = destination.traits.wantsSamples
            ? data.tracks.map { SharedDay.Track(pedometer: $0.name, samples: $0.samples) } : []
        guard let shared = SharedDay(DaySummary(data, localTime: localTime, now: now()), tracks: tracks) else { return .nothingKnown }
        var entry = try ledger.entry(for: destination.name, of: user.id, on: day)
            ?? ShareEntry(user: user.id, day: day, destination: destination.name, changedAt: now())
        entry.isAsked = true
        let content = shared.fingerprint
        if entry.step(content, destination.traits, readyAt: nil, now: now()) == .settled { return .settled }
        return .content(try destination.preview([ShareParcel(shared, entry, content: content)]))
    }
}
