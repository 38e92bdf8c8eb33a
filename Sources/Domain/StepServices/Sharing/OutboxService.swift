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

    /// The entries of a destination, or of all destinations, in these states, and the days that have changed since they
    /// were sent (`changes`). By destination, day and user.
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
        let changes = try changes(of: user, at: name)
        let changed = Dictionary(grouping: changes, by: \.destination).mapValues { Set($0.map(UserDay.init)) }
        let entries = try context.history.entries(for: name, in: states).filter { entry in
            (user == nil || entry.user == user?.id) && changed[entry.destination]?.contains(UserDay(entry)) != true
        }
        return (entries + changes).sorted { ($0.destination, $0.day, $0.user) < ($1.destination, $1.day, $1.user) }
    }

    /// What waits: the entries that are not settled, and the days that the next share sends again or for the first
    /// time, because the history has changed.
    ///
    /// - Parameter user: whose entries; nil for those of all users.
    /// - Throws: the ledger's error.
    public func waiting(of user: User? = nil) throws -> [ShareEntry] {
        try entries(of: nil, in: ShareEntry.State.unsettled, user: user)
    }

    /// The destinations that have earlier figures of a day, and get the present ones with the next share.
    ///
    /// - Throws: the ledger's error.
    public func destinationsToCorrect(_ day: Day, of user: User) throws -> [DestinationState] {
        let tried = try context.history.entries(for: nil, in: [.pending]).filter {
            $0.user == user.id && $0.day == day && $0.isConfirmed
        }
        let names = try Set((changes(of: user, on: day).filter(\.isChanged) + tried).map(\.destination))
        return try names.sorted().map(context.history.state(of:))
    }

    /// Days that the next share sends, although their entries do not show it yet: a day was corrected, excluded in
    /// part, deleted or moved, or an import has changed it. Only what the destinations of the configuration take.
    ///
    /// - Throws: the ledger's error.
    public func changes(of user: User? = nil, on day: Day? = nil, at destination: String? = nil) throws -> [ShareEntry]
    {
        // Each that is left is compared with what was sent, which takes a reading of its day.
        let found = try context.history.changes(at: context.now()).filter {
            (user == nil || $0.user == user?.id) && (day == nil || $0.day == day)
                && (destination == nil || $0.destination == destination)
        }
        // Where the configuration is wrong, nothing is sent.
        guard !found.isEmpty, let destinations = try? context.destinations() else { return [] }
        let users = try context.history.users()
        return try found.filter { entry in
            guard let destination = destinations.first(where: { $0.name == entry.destination }),
                let user = users.first(where: { $0.id == entry.user })
            else { return false }
            return try context.outbox.preview(of: user, on: entry.day, to: destination, hasContent: false).isContent
        }
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
            choice.day == nil ? [.pending, .rejected] : ShareEntry.State.unsettled
        try history.record(
            try entries(choice, in: states).entries.map { entry in
                var entry = entry
                entry.retry(at: now, canFind: canFind, isNamed: choice.day != nil)
                return entry
            })
        try Outbox.release(destinations, in: history)
    }

    /// What `drop` has removed from the outbox of a destination.
    public struct Dropped: Sendable {
        public var destination: DestinationState
        /// The entries as they were.
        public var entries: [ShareEntry]
        /// How many other days changed after they were sent: the next share sends them.
        public var changedDays: Int
    }

    /// Removes entries from the outbox, and updates the notices; an entry that may have arrived is treated as sent.
    ///
    /// - Throws: `ServiceError`, the lock's error, the ledger's error.
    @discardableResult
    public func drop(_ choice: Choice) async throws -> Dropped {
        let history = context.history, now = context.now()
        let dropped = try await context.lock.hold(for: .sharing) {
            try await blocking {
                let (name, entries) = try entries(choice, in: ShareEntry.State.unsettled)
                for entry in entries {
                    var entry = entry
                    if entry.drop(at: now) {
                        try history.remove(entry, evenIfEnqueued: true)
                    } else {
                        try history.record([entry])
                    }
                }
                let changed = try changes(of: choice.user, on: choice.day, at: name).count(where: \.isChanged)
                return Dropped(destination: try history.state(of: name), entries: entries, changedDays: changed)
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
        var entries = meant.filter { states.contains($0.state) }
        if let day = choice.day, entries.isEmpty {
            entries = try changes(of: choice.user, on: day, at: name).filter(\.isChanged)
        }
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
