/// A destination that keeps enough of days to build a history from them again.
public protocol RestorableDestination: ShareDestination {
    /// What each machine has sent there, as far as this machine may read it.
    ///
    /// - Parameter user: the name of the user whose days they are, without regard to case; nil for any.
    func heldHistories(of user: String?) async throws(ShareFailure) -> [HeldHistory]

    /// The rows of one of them. Each reading asks the destination, on the thread of the caller.
    func export(_ held: HeldHistory) -> any ExportedHistory
}

/// What a machine has sent of a user to a destination.
public struct HeldHistory: Hashable, Sendable {
    /// The user's name there.
    public var subject: String
    /// The user's name in a history.
    public var user: String
    public var machine: String
    /// Whether this machine has the same name there.
    public var isOwn: Bool
    /// The first and the last day of which steps are known; nil if there is none.
    public var firstDay: Day?
    public var lastDay: Day?
    /// Days of which steps are known, and these steps.
    public var days: Int
    public var steps: Int
    /// Days of which it has only the figures.
    public var daysWithoutSamples: Int
    /// Days of which it has only the samples: how complete they were is not known.
    public var daysWithoutCoverage: Int
    /// The names of the pedometers with samples.
    public var pedometers: [String]
    public var hasProfile: Bool
    public var hasPlan: Bool

    public init(
        subject: String, user: String, machine: String, isOwn: Bool = false, firstDay: Day? = nil, lastDay: Day? = nil,
        days: Int, steps: Int, daysWithoutSamples: Int = 0, daysWithoutCoverage: Int = 0, pedometers: [String] = [],
        hasProfile: Bool = false, hasPlan: Bool = false
    ) {
        self.subject = subject
        self.user = user
        self.machine = machine
        self.isOwn = isOwn
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.days = days
        self.steps = steps
        self.daysWithoutSamples = daysWithoutSamples
        self.daysWithoutCoverage = daysWithoutCoverage
        self.pedometers = pedometers
        self.hasProfile = hasProfile
        self.hasPlan = hasPlan
    }
}
