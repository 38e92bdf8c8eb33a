public import StepDomain

/// The state at this moment: what is new, each user's day so far, and the last syncs of each pedometer.
public struct StatusReport: Sendable {
    public struct Device: Sendable {
        public var pedometer: Pedometer
        public var recent: RecentSyncs

        public init(pedometer: Pedometer, recent: RecentSyncs) {
            self.pedometer = pedometer
            self.recent = recent
        }
    }

    public struct Person: Sendable {
        public var today: DaySummary
        /// Nil if nothing is known.
        public var firstDay: Day?
        public var pedometers: [Device]

        public init(today: DaySummary, firstDay: Day? = nil, pedometers: [Device]) {
            self.today = today
            self.firstDay = firstDay
            self.pedometers = pedometers
        }
    }

    /// Days that wait for a destination that has failed.
    public struct Backlog: Hashable, Sendable {
        public var destination: String
        public var days: Int
        public var oldest: Day
        /// Why the last delivery failed; nil if that is not known.
        public var reason: String?

        public init(destination: String, days: Int, oldest: Day, reason: String?) {
            self.destination = destination
            self.days = days
            self.oldest = oldest
            self.reason = reason
        }
    }

    public var people: [Person]
    /// Those that have not ended, of these people and of the machine.
    public var notices: [StoredNotice]
    /// Of these people, by the name of the destination.
    public var backlogs: [Backlog]
    /// Whether the history has several users, even if the report is about one of them.
    public var isHousehold: Bool

    /// - Parameter user: whom it is about; nil for all users.
    /// - Throws: the history's error.
    public init(_ history: History, of user: User?, localTime: LocalTime, now: Timestamp) throws {
        let users = try history.users(), pedometers = try history.pedometers()
        let statistics = StepStatistics(history, localTime: localTime, now: { now })
        isHousehold = users.count > 1
        notices = try history.standingNotices(concerning: user)
        backlogs = try Self.backlogs(history, of: user?.id)
        people = try users.filter { user == nil || $0.id == user?.id }.map { person in
            Person(
                today: try statistics.summary(of: person, on: localTime.day(of: now)),
                firstDay: try history.firstKnownDay(of: person.id),
                pedometers: try pedometers.filter { $0.user == person.id }.map {
                    Device(pedometer: $0, recent: try history.recentSyncs(of: $0.id, at: now))
                })
        }
    }

    private static func backlogs(_ history: History, of user: User.ID?) throws -> [Backlog] {
        let waiting = try history.unsettledEntries(of: user).filter { $0.state != .rejected }
        return try Dictionary(grouping: waiting, by: \.destination).sorted { $0.key < $1.key }.compactMap {
            name, entries in
            let state = try history.state(of: name)
            guard state.failures > 0 || state.stopped != nil, let oldest = entries.map(\.day).min() else { return nil }
            return Backlog(
                destination: name, days: entries.count, oldest: oldest,
                reason: state.stopped ?? state.lastError)
        }
    }
}
