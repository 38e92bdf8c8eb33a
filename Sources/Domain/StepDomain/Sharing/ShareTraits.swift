/// How a destination behaves, as far as it matters to when and how often it is sent something.
public struct ShareTraits: Hashable, Sendable {
    /// What the destination makes of the same day sent twice.
    public enum Resending: Hashable, Sendable {
        /// The later one takes the place of the earlier: sending again does no harm.
        case replaces
        /// It recognises an idempotency key for so many seconds; after that it would have the day twice.
        case keyed(seconds: Int)
        /// It has the day twice.
        case repeats
    }

    public var resending: Resending
    /// Whether figures that were sent can be corrected later.
    public var corrects: Bool
    /// Whether `find` can tell what became of an attempt without an answer.
    public var canFind: Bool
    /// Whether a day is sent while it runs or may miss steps, to be corrected later. Else it waits for its end, and for
    /// its completeness a while longer.
    public var takesUnfinishedDays: Bool
    /// Days that fit into one delivery, at least 1; more than 1 only where sending again replaces.
    public var batch: Int
    /// Whether it is given the samples besides the day's figures.
    public var wantsSamples: Bool
    /// Whether it shows one day of a person, the last that it was given: then no day is sent after a later one.
    public var showsLatestOnly: Bool
    /// Whether it is one person's (an account, a profile), and does not tell whose days it is given.
    public var isPersonal: Bool

    public init(
        resending: Resending, corrects: Bool, canFind: Bool = false, takesUnfinishedDays: Bool, batch: Int = 1,
        wantsSamples: Bool = false, showsLatestOnly: Bool = false, isPersonal: Bool = false
    ) {
        self.resending = resending
        self.corrects = corrects
        self.canFind = canFind
        self.takesUnfinishedDays = takesUnfinishedDays
        self.batch = batch
        self.wantsSamples = wantsSamples
        self.showsLatestOnly = showsLatestOnly
        self.isPersonal = isPersonal
    }

    /// For most of them: a day has one place at the destination, and what is put there replaces what was there.
    public static let replacing = ShareTraits(resending: .replaces, corrects: true, takesUnfinishedDays: true)
}

/// What the user laid down for a destination.
public struct ShareTerms: Hashable, Sendable {
    /// Names of the users whose days go there; nil for all of the history.
    public var users: [String]?
    /// The first day that goes there by itself; nil for the day on which the destination was first met.
    public var since: Day?
    /// Overrides the trait of that name.
    public var takesUnfinishedDays: Bool?

    public init(users: [String]? = nil, since: Day? = nil, takesUnfinishedDays: Bool? = nil) {
        self.users = users
        self.since = since
        self.takesUnfinishedDays = takesUnfinishedDays
    }

    public func include(_ user: User) -> Bool {
        users.map { $0.contains { $0.lowercased() == user.name.lowercased() } } ?? true
    }
}
