public import StepDomain

/// The users of a history: listed, added and renamed. `Deleting` removes one.
public struct Users: Sendable {
    private let store: any StepHistory & DeletionStore & ShareLedger
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(
        _ store: any StepHistory & DeletionStore & ShareLedger, localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
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
        /// The plan in force today.
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
                plan: try store.plans(of: user.id).inForce(on: today))
        }
    }

    /// - Throws: `ServiceError.userExists`; the history's error.
    public func add(_ name: String) throws -> User {
        if let known = try named(name) { throw ServiceError.userExists(known.name) }
        return try store.addUser(named: name)
    }

    /// - Throws: `ServiceError.unknownUser`, `.userExists`; the history's error.
    public func rename(_ old: String, to new: String) throws -> (before: User, after: User) {
        let before = try UserSelection(store, wanted: old, login: old).user()
        if let other = try named(new), other.id != before.id { throw ServiceError.userExists(other.name) }
        try store.renameUser(before.id, to: new)
        return (before, User(id: before.id, name: new))
    }

    private func named(_ name: String) throws -> User? {
        try store.users().first { $0.name.lowercased() == name.lowercased() }
    }
}
