public import StepDomain

/// The state at this moment: what is new, each user's day so far, and the last syncs of each pedometer.
public struct StatusReport: Sendable {
    public struct Device: Sendable {
        public var pedometer: Pedometer
        public var recent: RecentSyncs
    }

    public struct Person: Sendable {
        public var today: DaySummary
        public var pedometers: [Device]
    }

    public var people: [Person]
    /// Those that have not ended, of these people and of the machine.
    public var notices: [StoredNotice]
    /// Whether the history has several users, even if the report is about one of them.
    public var isHousehold: Bool

    /// - Parameter user: whom it is about; nil for all users.
    /// - Throws: the history's error.
    public init(_ history: History, of user: User?, localTime: LocalTime, now: Timestamp) throws {
        let users = try history.users(), pedometers = try history.pedometers()
        let statistics = StepStatistics(history, localTime: localTime, now: { now })
        isHousehold = users.count > 1
        notices = try history.standingNotices(concerning: user)
        people = try users.filter { user == nil || $0.id == user?.id }.map { person in
            Person(
                today: try statistics.summary(of: person, on: localTime.day(of: now)),
                pedometers: try pedometers.filter { $0.user == person.id }.map {
                    Device(pedometer: $0, recent: try history.recentSyncs(of: $0.id, at: now))
                })
        }
    }
}
