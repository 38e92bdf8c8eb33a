/// What is deleted from a history.
public enum Deletion: Hashable, Sendable {
    /// All that is known of days of a user. Later syncs and imports leave these days out.
    case days(ClosedRange<Day>, of: User)
    /// A pedometer or a source of imports, with all that it has counted.
    case source(HeldSource, of: User)
    /// A user with all that belongs to the user.
    case user(User)

    /// The user whose history it is.
    public var owner: User {
        switch self {
        case .days(_, let user), .source(_, let user), .user(let user): user
        }
    }
}

/// A day of which a user has deleted what was known.
public struct DeletedDay: Hashable, Sendable {
    public var day: Day
    /// When it was deleted.
    public var at: Timestamp
    /// Whether syncs and imports leave it out. If not, only destinations are told of it.
    public var isClosed: Bool

    public init(_ day: Day, at: Timestamp, isClosed: Bool) {
        self.day = day
        self.at = at
        self.isClosed = isClosed
    }
}

/// A pedometer or a source of imports of which the history has something, in use or not.
public struct HeldSource: Hashable, Sendable {
    public var pedometer: Pedometer
    /// Whether it is not forgotten.
    public var isInUse: Bool

    public init(_ pedometer: Pedometer, isInUse: Bool) {
        self.pedometer = pedometer
        self.isInUse = isInUse
    }
}

/// A day with other steps than before; nil if nothing is known of it.
public struct DayChange: Hashable, Sendable {
    public var day: Day
    public var before: Int?
    public var after: Int?

    public init(day: Day, before: Int?, after: Int?) {
        self.day = day
        self.before = before
        self.after = after
    }
}

/// What a deletion takes from a history.
public struct DeletionLosses: Hashable, Sendable {
    /// A destination and how many of the days it has, or may have.
    public struct Shared: Hashable, Sendable {
        public var destination: String
        public var days: Int

        public init(destination: String, days: Int) {
            self.destination = destination
            self.days = days
        }
    }

    /// The days whose steps change, by day. Steps that were entered by hand count as they do on the day.
    public var days: [DayChange]
    /// Days whose steps were entered by hand.
    public var corrections: Int
    /// Blocks of time that were excluded.
    public var exclusions: Int
    /// The names of pedometers and sources of imports that are removed.
    public var pedometers: [String]
    /// Imports of which nothing is left.
    public var imports: Int
    public var plans: Int
    public var profiles: Int
    /// The destinations that have days of which nothing is known any more, by name.
    public var shared: [Shared]

    public init(
        days: [DayChange] = [], corrections: Int = 0, exclusions: Int = 0, pedometers: [String] = [],
        imports: Int = 0, plans: Int = 0, profiles: Int = 0, shared: [Shared] = []
    ) {
        self.days = days
        self.corrections = corrections
        self.exclusions = exclusions
        self.pedometers = pedometers
        self.imports = imports
        self.plans = plans
        self.profiles = profiles
        self.shared = shared
    }

    /// The steps that are lost.
    public var steps: Int { days.reduce(0) { $0 + max(0, ($1.before ?? 0) - ($1.after ?? 0)) } }

    public var isEmpty: Bool { self == DeletionLosses() }
}
