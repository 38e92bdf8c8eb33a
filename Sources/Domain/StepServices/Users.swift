public import StepDomain

/// The users of a history: listed, added and renamed. `Deleting` removes one.
public struct Users: Sendable {
    private let store: EditableHistory
    /// The destinations of the configuration; their errors are those of sharing.
    private let destinations: @Sendable () throws -> [any ShareDestination]
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(
        _ store: EditableHistory,
        destinations: @escaping @Sendable () throws -> [any ShareDestination], localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.destinations = destinations
        self.localTime = localTime
        self.now = now
    }

    /// What a list of users shows of one.
    public struct Entry: Hashable, Sendable {
        public var user: User
        /// The names of the pedometers and sources in use.
        public var pedometers: [String]
        /// The first and the last day of which anything is known; nil if there is none.
        public var days: ClosedRange<Day>?
        /// How many days are known.
        public var count: Int
        /// The effective plan today.
        public var plan: SportPlan?

        public init(
            user: User, pedometers: [String] = [], days: ClosedRange<Day>? = nil, count: Int = 0, plan: SportPlan? = nil
        ) {
            self.user = user
            self.pedometers = pedometers
            self.days = days
            self.count = count
            self.plan = plan
        }
    }

    /// By name.
    ///
    /// - Throws: the history's error.
    public func list() throws -> [Entry] {
        let sources = try store.heldSources().filter(\.isInUse).map(\.pedometer)
        return try store.users().map { user in
            let today = localTime.day(of: now())
            let known = try store.knownDays(of: user.id, from: Validity.beginning, through: today)
            return Entry(
                user: user, pedometers: sources.filter { $0.user == user.id }.map(\.name),
                days: known.first.flatMap { first in known.last.map { first...$0 } }, count: known.count,
                plan: try store.plans(of: user.id).effective(on: today))
        }
    }

    /// - Throws: `ServiceError.userExists`; the history's error.
    public func add(_ name: String) throws -> User {
        if let known = try named(name) { throw ServiceError.userExists(known.name) }
        return try store.addUser(named: name)
    }

    /// A user who has another name.
    public struct Renaming: Hashable, Sendable {
        public var before: User
        public var after: User
        /// What destinations keep under the old name.
        public var kept: [Kept]

        public struct Kept: Hashable, Sendable {
            public var destination: String
            /// The first day that it has.
            public var first: Day
            /// How many it has.
            public var count: Int
        }
    }

    /// - Throws: `ServiceError.unknownUser`, `.userExists`; the history's error.
    public func rename(_ old: String, to new: String) throws -> Renaming {
        let before = try UserSelection(store, wanted: old, login: old).user()
        if let other = try named(new), other.id != before.id { throw ServiceError.userExists(other.name) }
        try store.renameUser(before.id, to: new)
        return Renaming(
            before: before, after: User(id: before.id, name: new), kept: try keptUnderName(of: before))
    }

    private func keptUnderName(of user: User) throws -> [Renaming.Kept] {
        try ((try? destinations()) ?? []).filter(\.traits.placesByName).compactMap { destination in
            let days = try store.entries(for: destination.name, in: Set(ShareEntry.State.allCases))
                .filter { $0.user == user.id && $0.hasOrMayHave }.map(\.day)
            guard let first = days.min() else { return nil }
            return Renaming.Kept(destination: destination.name, first: first, count: days.count)
        }
    }

    private func named(_ name: String) throws -> User? {
        try store.users().first { $0.name.lowercased() == name.lowercased() }
    }
}
