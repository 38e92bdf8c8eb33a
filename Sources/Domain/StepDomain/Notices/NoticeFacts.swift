/// All that decides which notices hold: gathered from a history, its ledger and the run that has just ended.
public struct NoticeFacts: Sendable {
    /// A pedometer in use, with its last syncs.
    public struct Device: Sendable {
        public var pedometer: Pedometer
        /// Newest first.
        public var syncs: [SyncRecord]

        public init(_ pedometer: Pedometer, _ syncs: [SyncRecord]) {
            self.pedometer = pedometer
            self.syncs = syncs
        }
    }

    /// A destination that is configured, with its entries that were not sent.
    public struct Sharing: Sendable {
        public var state: DestinationState
        public var entries: [ShareEntry]

        public init(_ state: DestinationState, _ entries: [ShareEntry]) {
            self.state = state
            self.entries = entries
        }
    }

    public var users: [User]
    public var devices: [Device]
    /// Of the run that has just ended, if any.
    public var reports: [SyncReport]
    public var sharing: [Sharing]
    /// Today and yesterday of each user.
    public var days: [DaySummary]
    /// What holds already: some states end later than they begin.
    public var standing: [KeptNotice]
    /// Since when a watch has listened for all of them without a break: then silence tells as much as a try. Nil where none does.
    public var watchedSince: Timestamp?
    public var now: Timestamp
    public var localTime: LocalTime

    public init(
        users: [User] = [], devices: [Device] = [], reports: [SyncReport] = [], sharing: [Sharing] = [], days: [DaySummary] = [],
        standing: [KeptNotice] = [], watchedSince: Timestamp? = nil, now: Timestamp, localTime: LocalTime
    ) {
        self.users = users
        self.devices = devices
        self.reports = reports
        self.sharing = sharing
        self.days = days
        self.standing = standing
        self.watchedSince = watchedSince
        self.now = now
        self.localTime = localTime
    }

    /// What holds now: states all of them, events those that are seen in these facts.
    public var notices: [Notice] {
        [machine].compactMap(\.self) + devices.flatMap { of($0) } + reports.flatMap(events) + sharing.flatMap { of($0) }
            + days.compactMap(goal)
    }

    // MARK: Goals

    /// Told for the day on which it was reached, also when its steps come home on the next.
    private func goal(_ day: DaySummary) -> Notice? {
        guard let goal = day.goal, goal > 0, let steps = day.steps, steps >= goal else { return nil }
        return Notice(
            .user(day.user.id), name: day.user.name, user: day.user.id, since: now,
            .goalReached(day: day.day, steps: steps, goal: goal))
    }
}
