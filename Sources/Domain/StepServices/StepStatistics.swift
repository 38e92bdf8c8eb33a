public import StepDomain
internal import Support
internal import Synchronization

/// The figures of a day, and the statistics of weeks, months and years, from the history alone.
///
/// `figures` reads all days of a user once; everything else is calculated from the value that it returns:
/// `DaySeries.statistics`, `.comparison`, `.streaks`.
public struct StepStatistics: Sendable {
    private let history: any StepHistory
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(_ history: any StepHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.localTime = localTime
        self.now = now
    }

    /// A user's day in figures, as it is known now.
    ///
    /// - Throws: the history's error.
    public func summary(of user: User, on day: Day) throws -> DaySummary {
        DaySummary(try data(of: user, on: day), localTime: localTime, now: now())
    }

    /// What a day is calculated from.
    ///
    /// - Throws: the history's error.
    public func data(of user: User, on day: Day) throws -> DayData {
        let moment = now()
        var data = try history.dayData(of: user, on: day)
        // Recorded while this machine's clock was ahead.
        if let last = data.lastSync, last > moment + NoticeRules.clockSlack {
            data.lastSync = try history.pedometers(of: user.id).compactMap {
                try history.lastCompleteSync(of: $0.id, until: moment + NoticeRules.clockSlack).map {
                    $0.end ?? $0.start
                }
            }.max()
        }
        return data
    }

    /// A day in the figures that tables have.
    ///
    /// - Throws: the history's error.
    public func figures(of user: User, on day: Day) throws -> DayFigures? {
        let input = try history.daySeriesInput(of: user, in: day...day) { _, _ in }
        return DaySeries(input, localTime: localTime, now: now()).days.first
    }

    /// All days of a user in figures, from the first known day to today. Ten years take some milliseconds; the first
    /// time after an upgrade of istep some seconds.
    ///
    /// - Parameter progress: called while figures are calculated that the history has not stored yet: days that are
    ///   done, of all days.
    /// - Throws: the history's error; `CancellationError`: what was calculated by then is stored.
    public func figures(of user: User, progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in })
        async throws
        -> DaySeries
    {
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await blocking {
                try figures(of: user) { done, all in
                    if isCancelled.withLock({ $0 }) { throw CancellationError() }
                    progress(done, all)
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// The same on the caller's thread, which waits for the disk.
    public func figures(of user: User, progress: (_ done: Int, _ all: Int) throws -> Void) throws -> DaySeries {
        let moment = now()
        let today = localTime.day(of: moment)
        guard let first = try history.firstKnownDay(of: user.id), first <= today else {
            return DaySeries(user: user, today: today, days: [])
        }
        let input = try history.daySeriesInput(of: user, in: first...today, progress: progress)
        return DaySeries(input, localTime: localTime, now: moment)
    }
}
