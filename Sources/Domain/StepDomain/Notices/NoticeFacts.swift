/// All that decides which notices hold: gathered from a history, its ledger and the run that has just ended.
public struct NoticeFacts: Sendable {
    /// A pedometer in use, with its last syncs.
    public struct Device: Sendable {
        public var pedometer: Pedometer
        /// Newest first.
        public var syncs: [SyncRecord]
        /// The end of the last complete one, be it among `syncs` or before them; nil where there never was one.
        public var lastRead: Timestamp?

        /// - Parameters:
        ///   - syncs: the last ones, newest first.
        ///   - lastComplete: the last complete one, where it may be before those.
        public init(_ pedometer: Pedometer, _ syncs: [SyncRecord], lastComplete: SyncRecord? = nil) {
            self.pedometer = pedometer
            self.syncs = syncs
            lastRead = (lastComplete ?? syncs.first { $0.outcome == .complete }).map { $0.end ?? $0.start }
        }

        /// Without what a clock that was ahead has dated into the future: it would be the latest for as long as it is not reached.
        func until(_ moment: Timestamp) -> Device {
            var device = self
            device.syncs = syncs.filter { max($0.start, $0.end ?? $0.start) <= moment }
            if let last = lastRead, last > moment {
                device.lastRead = device.syncs.first { $0.outcome == .complete }.map { $0.end ?? $0.start }
            }
            return device
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
    /// Of a watch: its silence tells as much as a try.
    public var listening: Listening
    public var now: Timestamp
    public var localTime: LocalTime

    public init(
        users: [User] = [], devices: [Device] = [], reports: [SyncReport] = [], sharing: [Sharing] = [], days: [DaySummary] = [],
        standing: [KeptNotice] = [], listening: Listening = Listening(), now: Timestamp, localTime: LocalTime
    ) {
        self.users = users
        self.devices = devices.map { $0.until(now + Self.clockSlack) }
        self.reports = reports
        self.sharing = sharing
        self.days = days
        self.standing = standing
        self.listening = listening
        self.now = now
        self.localTime = localTime
    }

    /// What holds now: states all of them, events those that are seen in these facts.
    public var notices: [Notice] {
        [machine].compactMap(\.self) + devices.flatMap { of($0) } + reports.flatMap(events) + sharing.flatMap { of($0) }
            + days.compactMap(goal)
    }

    /// Seconds. Clocks that differ by less have a reason to, and do no harm.
    static let clockSlack = 3600

    // MARK: Goals

    /// Keys of those that stand and do not hold any more, though nothing else would end them: the day was corrected, or its goal raised.
    public var withdrawn: Set<String> {
        Set(standing.map(\.notice).filter { notice in
            guard case .goalReached(let day, _, _) = notice.content else { return false }
            return days.contains { $0.day == day && notice.subject == .user($0.user.id) && goal($0) == nil }
        }.map(\.key))
    }

    /// Told for the day on which it was reached, also when its steps come home on the next.
    private func goal(_ day: DaySummary) -> Notice? {
        guard let goal = day.goal, goal > 0, let steps = day.steps, steps >= goal else { return nil }
        return Notice(
            .user(day.user.id), name: day.user.name, user: day.user.id, since: now,
            .goalReached(day: day.day, steps: steps, goal: goal))
    }
}
