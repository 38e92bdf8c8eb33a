public import StepDomain
internal import Support

/// Listing, retrying and dropping the days that wait to be shared.
public struct OutboxService: Sendable {
    private let context: ServiceContext

    public init(_ context: ServiceContext) { self.context = context }

    /// The entries that the user chose: of a destination, and of a day and a user if they are given.
    public struct Choice: Sendable {
        public var destination: String
        public var day: Day?
        public var user: User?

        public init(destination: String, day: Day? = nil, user: User? = nil) {
            self.destination = destination
            self.day = day
            self.user = user
        }
    }

    /// The entries of a destination, or of all destinations, in these states.
    ///
    /// - Parameter user: whose entries; nil for those of all users.
    /// - Throws: `ServiceError.neverShared` for a destination that neither the ledger nor the configuration has; the
    ///   ledger's error.
    public func entries(of destination: String?, in states: Set<ShareEntry.State>, user: User? = nil) throws
        -> [ShareEntry]
    {
        var name: String?
        if let destination {
            name = try self.name(
                of: destination, in: context.history.entries(for: nil, in: Set(ShareEntry.State.allCases)))
        }
        return try context.history.entries(for: name, in: states).filter { user == nil || $0.user == user?.id }
    }

    /// Ends the pause of a destination, and makes the entries due again that were attempted or rejected.
    ///
    /// A day that was named is sent also if it is not over or has gaps. Without a named day, such days go on waiting,
    /// and so does a day that may have arrived. Where the destination can be asked for a day that may have arrived, it
    /// is asked first. Everything is stored under one hold of the lock for sharing: no other process sends at the same
    /// time.
    ///
    /// - Returns: sharing with the chosen destination, which sends them.
    /// - Throws: `ServiceError`, the errors of the configured destinations, the lock's error, the ledger's error.
    @discardableResult
    public func retry(_ choice: Choice) async throws -> ShareService {
        let (context, now) = (context, context.now())
        let sharing = try await blocking { try ShareService(context).with([choice.destination]) }
        try await context.lock.hold(for: .sharing) {
            try await blocking { try retryNow(choice, at: sharing.destinations, now) }
        }
        return sharing
    }

    private func retryNow(_ choice: Choice, at destinations: [any ShareDestination], _ now: Timestamp) throws {
        let history = context.history
        let canFind = destinations.contains { $0.traits.canFind }
        let states: Set<ShareEntry.State> =
            choice.day == nil ? [.pending, .rejected] : [.pending, .rejected, .unknown, .sending]
        try history.record(
            try entries(choice, in: states).entries.map { entry in
                var entry = entry
                entry.retry(at: now, canFind: canFind, isNamed: choice.day != nil)
                return entry
            })
        try Outbox.release(destinations, in: history)
    }

    /// Removes entries from the outbox, and updates the notices; an entry that may have arrived is treated as sent.
    ///
    /// - Returns: the destination's name as the ledger has it, its state, and the entries as they were.
    /// - Throws: `ServiceError`, the lock's error, the ledger's error.
    public func drop(_ choice: Choice) async throws -> (name: String, state: DestinationState, entries: [ShareEntry]) {
        let history = context.history, now = context.now()
        let dropped: (name: String, state: DestinationState, entries: [ShareEntry]) = try await context.lock.hold(
            for: .sharing
        ) {
            try await blocking {
                let (name, entries) = try entries(choice, in: [.pending, .unknown, .rejected, .sending])
                for entry in entries {
                    var entry = entry
                    if entry.drop(at: now) { try history.remove(entry) } else { try history.record([entry]) }
                }
                return (name, try history.state(of: name), entries)
            }
        }
        // Notices that cannot be stored now are found again by the next run.
        _ = try? await context.updateNotices()
        return dropped
    }

    /// - Throws: `ServiceError` where nothing was ever shared with the destination, or where a day was named that is
    ///   not in the outbox.
    private func entries(_ choice: Choice, in states: Set<ShareEntry.State>) throws -> (
        name: String, entries: [ShareEntry]
    ) {
        let all = try context.history.entries(for: nil, in: Set(ShareEntry.State.allCases))
        let name = try self.name(of: choice.destination, in: all)
        let meant = all.filter {
            $0.destination == name && (choice.day == nil || $0.day == choice.day)
                && (choice.user == nil || $0.user == choice.user?.id)
        }
        let entries = meant.filter { states.contains($0.state) }
        if let day = choice.day, entries.isEmpty {
            throw meant.isEmpty
                ? ServiceError.notInOutbox(day, destination: name) : .alreadySent(day, destination: name)
        }
        return (name, entries)
    }

    /// The name of a destination as the ledger or the configuration has it. If two names differ only in case, the one
    /// that matches exactly.
    private func name(of destination: String, in entries: [ShareEntry]) throws(ServiceError) -> String {
        let names = entries.map(\.destination) + context.destinationNames
        let found = names.first { $0 == destination } ?? names.first { $0.lowercased() == destination.lowercased() }
        guard let found else { throw .neverShared(destination) }
        return found
    }
}
