public import StepDomain

/// Histories of tests read days one by one.
extension StepHistory {
    public func dayData(of user: User, on days: [Day]) throws -> [DayData] {
        try days.map { try dayData(of: user, on: $0) }
    }

    public func daySeriesInput(
        of user: User, in days: ClosedRange<Day>, progress: (_ done: Int, _ all: Int) throws -> Void
    ) throws -> DaySeriesInput {
        let data = try dayData(of: user, on: Array(days))
        return DaySeriesInput(
            user: user, sums: data.map { DaySums($0.tracks, of: $0.day) },
            corrections: data.reduce(into: [:]) { $0[$1.day] = $1.correction },
            profiles: try profiles(of: user.id), plans: try plans(of: user.id))
    }
}

/// Locks of tests take both kinds of work for an exclusive use.
extension WorkLock {
    public func holdExclusively<R: Sendable>(as activity: HistoryActivity, _ body: () async throws -> R) async throws
        -> R
    {
        try await hold(for: .syncing) { try await hold(for: .sharing, body) }
    }
}
