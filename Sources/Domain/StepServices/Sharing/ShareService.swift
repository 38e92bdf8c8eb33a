public import StepDomain
internal import Support

/// Sharing with the configured destinations: the same for every command, for a sync and for a watch.
public struct ShareService: Sendable {
    public let context: ServiceContext
    /// The users of the history.
    public let users: [User]
    public let destinations: [any ShareDestination]

    /// Progress of sharing.
    public enum Step: Sendable {
        case delivering(ShareProgress)
        /// Until the next attempt.
        case waiting(until: Timestamp)
    }

    /// - Throws: all errors of the configured destinations, whichever of them are chosen.
    public init(_ context: ServiceContext) throws {
        self.init(context, try context.history.users(), try context.destinations())
    }

    private init(_ context: ServiceContext, _ users: [User], _ destinations: [any ShareDestination]) {
        self.context = context
        self.users = users
        self.destinations = destinations
    }

    /// The same for the destinations of these names only; for all where none is named.
    ///
    /// - Throws: `ServiceError`.
    public func with(_ names: [String]) throws(ServiceError) -> ShareService {
        if names.isEmpty { return try checked() }
        var chosen: [any ShareDestination] = []
        for name in names {
            guard let found = destination(named: name) else {
                throw .unknownDestination(name, known: destinations.map(\.name))
            }
            if !chosen.contains(where: { $0.name == found.name }) { chosen.append(found) }
        }
        return try ShareService(context, users, chosen).checked()
    }

    /// - Throws: `ServiceError.noDestination` if there is nothing to share with.
    public func requireDestination() throws(ServiceError) {
        if destinations.isEmpty { throw .noDestination }
    }

    /// If two names differ only in case, the one that matches exactly.
    private func destination(named name: String) -> (any ShareDestination)? {
        destinations.first { $0.name == name } ?? destinations.first { $0.name.lowercased() == name.lowercased() }
    }

    private func checked() throws(ServiceError) -> ShareService {
        for destination in destinations {
            if let problem = RecipientProblem(destination, users: users) {
                throw .unclearRecipients(destination: destination.name, problem)
            }
        }
        return self
    }

    /// The same without the destinations whose terms do not fit the users, and what is wrong with the first of those.
    ///
    /// For a sync: destinations with clear recipients are used, and the days of two people are never put into one place
    /// by mistake.
    var withClearRecipients: (sharing: ShareService, problem: ServiceError?) {
        var problem: ServiceError?
        let clear = destinations.filter { destination in
            guard let found = RecipientProblem(destination, users: users) else { return true }
            problem = problem ?? .unclearRecipients(destination: destination.name, found)
            return false
        }
        return (ShareService(context, users, clear), problem)
    }

    /// Shares under the lock that keeps two processes from sending the same, and updates the notices afterwards.
    ///
    /// - Parameter waits: goes on, with pauses, until nothing is left that another attempt could deliver.
    /// - Throws: the lock's error, the ledger's error.
    public func share(
        _ order: ShareOrder, waits: Bool = false, progress: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws -> [ShareReport] {
        let reports = try await deliver(order, waits: waits, progress: progress)
        // Notices that cannot be stored now are found again by the next run.
        _ = try? await context.updateNotices()
        return reports
    }

    /// The same without the notices: a sync updates them with what its pedometers have reported.
    ///
    /// - Parameter deadline: no delivery is begun after it.
    func deliver(
        _ order: ShareOrder, deadline: Timestamp? = nil, waits: Bool = false,
        progress: @escaping @Sendable (Step) -> Void
    ) async throws -> [ShareReport] {
        // Not during a pause: it can take hours, and other destinations get their days meanwhile.
        func attempt(_ order: ShareOrder) async throws -> [ShareReport] {
            try await context.lock.hold(for: .sharing) {
                try await context.outbox.share(order, to: destinations, users: users, deadline: deadline) {
                    progress(.delivering($0))
                }
            }
        }
        var began = context.now()
        var reports = try await attempt(order)
        while waits, let moment = nextAttempt(reports, since: began) {
            progress(.waiting(until: moment))
            try await context.clock.sleep(for: .seconds(max(1, moment - context.now())))
            let begins = context.now()
            do {
                let again = try await attempt(.due)
                reports = zip(reports, again).map { $0.followed(by: $1) }
                began = begins
            } catch  where context.lock.conflictingWork(in: error) != nil {
                // Another process shares now.
                progress(.waiting(until: context.now() + Self.pauseForOthers))
                try await context.clock.sleep(for: .seconds(Self.pauseForOthers))
            }
        }
        return reports
    }

    /// Seconds.
    private static let pauseForOthers = 10

    /// Puts what the order names into the outbox, and sends nothing.
    ///
    /// - Throws: the lock's error, the ledger's error.
    public func enqueue(_ order: ShareOrder) async throws {
        guard case .days(_, _, again: true) = order else {
            return try await blocking { try context.outbox.enqueue(order, to: destinations, users: users) }
        }
        // Under the lock: an entry that is being sent must not be reset meanwhile.
        try await context.lock.hold(for: .sharing) {
            try await blocking { try context.outbox.enqueue(order, to: destinations, users: users) }
        }
    }

    /// What would be sent of these days to each destination, in the order of the destinations; nothing is stored or
    /// sent.
    ///
    /// - Parameters: as for `Outbox.preview`.
    /// - Throws: the history's error, or a destination's.
    public func previews(of days: [Day], of user: User, again: Bool = false, hasContent: Bool = true) throws
        -> [SharePreview]
    {
        try destinations.flatMap { destination in
            try days.map { day in
                SharePreview(
                    destination: destination.name, day: day,
                    result: try context.outbox.preview(
                        of: user, on: day, to: destination, again: again, hasContent: hasContent))
            }
        }
    }

    /// Nil where another attempt would change nothing.
    ///
    /// - Parameter began: when the attempts of the reports began. A pause that began since can be over: another
    ///   destination took longer.
    private func nextAttempt(_ reports: [ShareReport], since began: Timestamp) -> Timestamp? {
        reports.filter {
            $0.queued > 0 && $0.state.stopped == nil && $0.fault == nil
                && ![.misconfigured, .rejected].contains($0.failure?.kind)
        }
        .compactMap { $0.state.nextAttempt(after: context.now()) ?? $0.state.nextAttempt(after: began) }.min()
    }

    /// Asks each destination whether it answers and accepts the user. All are asked at the same time: one that does not
    /// answer does not delay the others.
    public func check() async -> [String: Result<String, ShareFailure>] {
        await withTaskGroup(of: (String, Result<String, ShareFailure>).self) { group in
            for destination in destinations {
                group.addTask {
                    do throws(ShareFailure) {
                        return (destination.name, .success(try await destination.check(for: users)))
                    } catch {
                        return (destination.name, .failure(error.naming(destination.secretPlace)))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}

extension ShareOrder {
    /// What decides how the command ends: where it names a user, days of others that wait in the outbox do not.
    public func worst(of reports: [ShareReport], isUserNamed: Bool) -> FailureCategory? {
        guard isUserNamed, case .days(_, let user, _) = self else { return reports.compactMap(\.worst).worst }
        return reports.compactMap { $0.concerning(user.id).worst }.worst
    }
}

extension ShareReport {
    /// What decides how a command that shares ends, of every day and attempt; nil if nothing has failed.
    public var worst: FailureCategory? {
        var categories = [fault.map(FailureCategory.init), failure?.category].compactMap(\.self)
        if state.stopped != nil { categories.append(ShareFailure.Kind.credentials.category) }
        if queued > 0 { categories.append(ShareFailure.Kind.unreachable.category) }
        for event in events {
            switch event.outcome {
            case .rejected, .withheld: categories.append(ShareFailure.Kind.rejected.category)
            case .doubtful: categories.append(ShareFailure.Kind.unanswered.category)
            default: break
            }
        }
        return categories.worst
    }

    /// One report of two consecutive runs: what was queued or unknown is reported by the later one.
    fileprivate func followed(by later: ShareReport) -> ShareReport {
        var report = later
        report.events =
            events.filter { event in
                switch event.outcome {
                case .queued, .unknown: false
                default: true
                }
            } + later.events
        return report
    }
}
