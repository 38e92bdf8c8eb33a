public import StepDomain

/// Determines which notices hold.
///
/// It accesses the history only through its ports, and reads only the clock that it was given.
public struct NoticeService: Sendable {
    private let history: History
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(_ history: History, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.localTime = localTime
        self.now = now
    }

    /// The most syncs of a pedometer that are read: more than a year of nights, or four days of a watch at its standard
    /// interval.
    private static let maximumSyncs = 400

    /// Determines which notices hold now, and stores them until they have been shown.
    ///
    /// Everything except the notices in the reports can be found in the history again at any time, so a process that is
    /// killed before this call loses none of it.
    ///
    /// - Parameters:
    ///   - reports: of the run that has just ended.
    ///   - destinations: names of those that are configured; nil if not known: then stored notices about destinations
    ///     stay unchanged.
    ///   - listening: of a watch, where there is one.
    /// - Throws: the history's error.
    @discardableResult
    public func updateNotices(
        reports: [SyncReport] = [], destinations: [String]?,
        listening: ListeningState = ListeningState()
    ) throws -> StandingNotices {
        let moment = now()
        let standing = try history.standingNotices()
        let today = localTime.day(of: moment)
        let users = try history.users()
        let facts = NoticeRules(
            users: users,
            devices: try history.pedometers().map { pedometer in
                .init(
                    pedometer, try history.recentSyncs(of: pedometer.id, at: moment, limit: Self.maximumSyncs).syncs,
                    lastComplete: try history.lastCompleteSync(of: pedometer.id, until: moment + NoticeRules.clockSlack)
                )
            },
            reports: reports,
            sharing: try (destinations ?? []).map { name in
                .init(
                    try history.state(of: name),
                    try history.entries(for: name, in: ShareEntry.State.unsettled))
            },
            days: try users.flatMap { user in
                try history.dayData(of: user, on: [today.advanced(by: -1), today]).map {
                    DaySummary($0, localTime: localTime, now: moment)
                }
            },
            standing: standing, listening: listening, now: moment, localTime: localTime)
        var holding = facts.notices
        if destinations == nil {
            holding += standing.map(\.notice).filter { if case .destination = $0.subject { true } else { false } }
        }
        let begun = try history.update(active: holding, withdrawn: facts.withdrawn, at: moment)
        return StandingNotices(notices: try history.standingNotices(), begun: begun)
    }
}

extension NoticeStore {
    /// The notices that have not ended and concern a user, or all users of the machine; ordered by when they began.
    ///
    /// - Parameter user: nil for the notices of every user.
    /// - Throws: the history's error.
    public func standingNotices(concerning user: User?) throws -> [StoredNotice] {
        try standingNotices().filter { user == nil || $0.notice.user == nil || $0.notice.user == user?.id }
    }
}

/// The notices that hold after an update.
public struct StandingNotices: Hashable, Sendable {
    /// Ordered by when they began.
    public var notices: [StoredNotice] = []
    /// Those that were not known before.
    public var begun: Set<StoredNotice.ID> = []

    /// Those that were not known before, and that no user has seen.
    public var new: [StoredNotice] { notices.filter { $0.isNew && begun.contains($0.id) } }
}
