public import StepDomain

/// The users of a history: listed, added and renamed. `Deleting` removes one.
public struct Users: Sendable {
    private let store: EditableHistory
    /// The destinations of the configuration; their errors are those of sharing.
    private let destinations: @Sendable () throws -> [any ShareDestination]
    private let configured: String?
    private let imports: [ScheduledImport]
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - configured: the user of the configuration.
    ///   - imports: those of the configuration.
    public init(
        _ store: EditableHistory,
        destinations: @escaping @Sendable () throws -> [any ShareDestination], configured: String?,
        imports: [ScheduledImport], localTime: LocalTime, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.destinations = destinations
        self.configured = configured
        self.imports = imports
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
        if let known = try store.users().named(name) { throw ServiceError.userExists(known.name) }
        return try store.addUser(named: name)
    }

    /// A user who has another name.
    public struct Renaming: Hashable, Sendable {
        public var before: User
        public var after: User
        /// What destinations keep in a place of the old name, which the new one does not share.
        public var kept: [Kept]
        /// What names the user in the configuration.
        public var settings: [Setting]

        public enum Setting: Hashable, Sendable {
            /// The user of the commands.
            case user
            case destination(String)
            case scheduledImport(String)
        }

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
        let before = try store.user(named: old)
        if let other = try store.users().named(new), other.id != before.id { throw ServiceError.userExists(other.name) }
        let after = User(id: before.id, name: new)
        let slugs = UserSlugs(try store.users())
        try store.renameUser(before.id, to: new)
        let newSlugs = UserSlugs(try store.users())
        let moving = ((try? destinations()) ?? []).filter { destination in
            let old = destination.place(of: before, slug: slugs[before])
            let new = destination.place(of: after, slug: newSlugs[after])
            // By bytes: in Swift, two spellings of an accented letter are equal.
            return old.map { Array($0.utf8) } != new.map { Array($0.utf8) }
        }
        return Renaming(
            before: before, after: after, kept: try moving.compactMap { try kept(of: before, at: $0) },
            settings: settings(naming: before))
    }

    private func settings(naming user: User) -> [Renaming.Setting] {
        func names(_ name: String?) -> Bool { name?.lowercased() == user.name.lowercased() }
        let ofDestinations = (try? destinations())?.filter { $0.terms.users?.contains { names($0) } == true } ?? []
        return (names(configured) ? [Renaming.Setting.user] : [])
            + ofDestinations.map { Renaming.Setting.destination($0.name) }
            + imports.filter { names($0.user) }.map { Renaming.Setting.scheduledImport($0.name) }
    }

    private func kept(of user: User, at destination: any ShareDestination) throws -> Renaming.Kept? {
        let days = try store.entries(for: destination.name, in: Set(ShareEntry.State.allCases))
            .filter { $0.user == user.id && $0.hasOrMayHave }.map(\.day)
        return days.min().map { Renaming.Kept(destination: destination.name, first: $0, count: days.count) }
    }
}
