extension StepDataService {
    /// Syncs of a pedometer that are looked at: more than a year of nights, or about a week of a watch.
    private static let syncsLookedAt = 400

    /// Finds out which notices hold now, and keeps them until they have been told.
    ///
    /// All but what the reports noticed is found in the history again at any time: whoever is killed before this has lost nothing.
    ///
    /// - Parameters:
    ///   - store: where they are kept.
    ///   - reports: of the run that has just ended.
    ///   - destinations: names of those that are configured; nil where that cannot be told, and what is kept of any stays as it is.
    ///   - listening: of a watch, where there is one.
    /// - Throws: the history's error.
    @discardableResult
    public func keepNotices(
        in store: any NoticeStore, reports: [SyncReport] = [], destinations: [String]?, listening: Listening = Listening()
    ) throws -> StandingNotices {
        let moment = now()
        let standing = try store.standingNotices()
        let today = localTime.day(of: moment)
        let users = try history.users()
        let facts = NoticeFacts(
            users: users,
            devices: try history.pedometers().map { pedometer in
                .init(
                    pedometer, try history.syncs(of: pedometer.id, limit: Self.syncsLookedAt),
                    lastComplete: try history.lastCompleteSync(of: pedometer.id, until: moment + NoticeFacts.clockSlack))
            },
            reports: reports,
            sharing: try (destinations ?? []).map { name in
                .init(try ledger.state(of: name), try ledger.entries(for: name, in: [.pending, .sending, .unknown, .rejected]))
            },
            days: try users.flatMap { user in
                try history.stepData(of: user, on: [today.advanced(by: -1), today]).map {
                    DaySummary($0, localTime: localTime, now: moment)
                }
            },
            standing: standing, listening: listening, now: moment, localTime: localTime)
        var holding = facts.notices
        if destinations == nil {
            holding += standing.map(\.notice).filter { if case .destination = $0.subject { true } else { false } }
        }
        let begun = try store.keep(holding, withdrawn: facts.withdrawn, at: moment)
        return StandingNotices(notices: try store.standingNotices(), begun: begun)
    }
}

/// What stands after it was found out what holds.
public struct StandingNotices: Hashable, Sendable {
    /// By when they began.
    public var notices: [KeptNotice]
    /// Which of them nobody knew of before.
    public var begun: Set<KeptNotice.ID>

    public init(notices: [KeptNotice], begun: Set<KeptNotice.ID>) {
        self.notices = notices
        self.begun = begun
    }
}
