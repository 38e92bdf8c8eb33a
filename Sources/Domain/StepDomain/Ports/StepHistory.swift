/// The history that the domain needs: what a database must do for it.
///
/// Every call is one transaction: it happens whole or not at all. Calls are synchronous, and may wait for the disk or
/// for another process's lock: tasks call them through `blocking`. An implementation must be safe to call from any
/// thread. Errors are those of the implementation.
public protocol StepHistory: Sendable {
    // People
    /// All users, by name.
    func users() throws -> [User]
    /// The user of that name, added if there is none. Names compare without regard to case.
    func addUser(named name: String) throws -> User
    /// All profiles of a user, oldest first.
    func profiles(of user: User.ID) throws -> [Profile]
    /// Replaces the profile that is valid from the same day.
    func setProfile(_ profile: Profile, of user: User.ID) throws
    /// Removes the profile that is valid from this day; nothing if there is none.
    func removeProfile(validFrom day: Day, of user: User.ID) throws
    /// All plans of a user, oldest first.
    func plans(of user: User.ID) throws -> [SportPlan]
    /// Replaces the plan that is valid from the same day.
    func setPlan(_ plan: SportPlan, of user: User.ID) throws
    /// Removes the plan that is valid from this day; nothing if there is none.
    func removePlan(validFrom day: Day, of user: User.ID) throws

    // Pedometers
    /// The pedometers in use, by name.
    func pedometers() throws -> [Pedometer]
    /// The sources in use that imports have made, by name.
    func importSources() throws -> [Pedometer]
    /// Adds a pedometer; the result has the `id` that the history assigns. A forgotten pedometer with the same address
    /// is restored with its samples, clock and cursor. An address or name in use is an error.
    func addPedometer(_ pedometer: Pedometer) throws -> Pedometer
    /// Gives a pedometer in use another name, and the standing notices about it, too. A name that another one in use
    /// has is an error.
    func renamePedometer(_ id: Pedometer.ID, to name: String) throws
    /// Takes a pedometer out of use; its samples stay.
    func forgetPedometer(_ id: Pedometer.ID) throws
    /// Records how istep set the clock of a pedometer.
    func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws

    // Syncs
    func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws -> SyncRecord.ID
    /// Merges a batch with its frames and moves the cursor, all or nothing.
    ///
    /// If a slot exists already, the greater number of steps is kept: a merge never loses steps, and merging the same
    /// batch again changes nothing.
    ///
    /// - Parameter localTime: decides to which days the batch's coverage belongs. Time that was accounted for before
    ///   keeps its offset.
    func merge(_ batch: SampleBatch, sync: SyncRecord.ID, localTime: LocalTime) throws -> MergeCounts
    /// Ends a sync; its counts have been summed up by `merge`.
    func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?,
        cause: FailureCause?) throws
    /// The syncs of a pedometer that began no later than `moment`, newest first, at most `limit`; nil for any moment.
    func syncs(of pedometer: Pedometer.ID, until moment: Timestamp?, limit: Int) throws -> [SyncRecord]
    /// The last complete sync that ended no later than `moment`, regardless of the number of syncs since.
    func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws -> SyncRecord?

    // Days
    /// All that is known of a user's day. Samples and coverage belong to the day by their own offset, wherever the user
    /// is now.
    func dayData(of user: User, on day: Day) throws -> DayData
    /// The same for many days in one transaction, in their order.
    func dayData(of user: User, on days: [Day]) throws -> [DayData]
    /// The first day about which anything is known: from a sample, from time that a pedometer has accounted for, or
    /// from a correction; nil if there is none. Only the last ten years of each accounted span count, because a clock
    /// that is far off can claim any time.
    func firstKnownDay(of user: User.ID) throws -> Day?
    /// What is known of consecutive days, without their samples: much faster than `dayData`, with the same figures.
    ///
    /// - Parameter progress: called while sums that are not stored yet are calculated from the samples, with the days
    ///   that are done and all of the range. What it throws ends the call; what is done by then stays.
    func daySeriesInput(of user: User, in days: ClosedRange<Day>, progress: (_ done: Int, _ all: Int) throws -> Void)
        throws -> DaySeriesInput
    /// The syncs that stored the present values of a user's day, by pedometer and oldest first.
    func syncs(behind day: Day, of user: User) throws -> [DaySync]
    /// The steps of a day that a pedometer has counted for other users, before it was passed on to its present one.
    func stepsOfOthers(by pedometer: Pedometer.ID, on day: Day) throws -> Int
    /// Sets the steps of a day by hand, or removes the correction with nil.
    func setCorrection(_ correction: StepCorrection?, of user: User.ID, on day: Day, at moment: Timestamp) throws
}

extension StepHistory {
    /// The pedometers in use of one user, by name.
    public func pedometers(of user: User.ID) throws -> [Pedometer] { try pedometers().filter { $0.user == user } }

    /// The syncs of a pedometer, newest first, at most `limit`.
    public func syncs(of pedometer: Pedometer.ID, limit: Int) throws -> [SyncRecord] {
        try syncs(of: pedometer, until: nil, limit: limit)
    }

    /// The last syncs of a pedometer: as many as its state is derived from, and before them the last complete one if it
    /// is older.
    public func recentSyncs(of pedometer: Pedometer.ID, at now: Timestamp, limit: Int = 20) throws -> RecentSyncs {
        let end = now + NoticeRules.clockSlack
        let latest = try syncs(of: pedometer, until: nil, limit: 1).first
        var recent = try syncs(of: pedometer, until: end, limit: limit)
        if recent.count == limit, !recent.contains(where: { $0.outcome == .complete }) {
            recent += [try lastCompleteSync(of: pedometer, until: end)].compactMap(\.self)
        }
        return RecentSyncs(
            syncs: recent,
            ahead: latest.flatMap { $0.start > end ? $0.start : nil })
    }
}

/// Stores notices until they have been shown: what a database must do for them.
///
/// As with `StepHistory`, every call is one transaction.
public protocol NoticeStore: Sendable {
    /// Makes the stored notices agree with all that hold now, as `NoticeMerge` decides. A repeated call with the same
    /// notices changes nothing.
    ///
    /// - Parameter withdrawn: keys of notices that have ended, whatever their kind.
    /// - Returns: the notices that began with this call. If several callers store the same notice at once, it is
    ///   returned to only one.
    @discardableResult
    func update(active: [Notice], withdrawn: Set<String>, at now: Timestamp) throws -> Set<StoredNotice.ID>
    /// The notices that have not ended, ordered by when they began.
    func standingNotices() throws -> [StoredNotice]
    /// Marks notices as seen by a user; notices that were seen before, or are no longer stored, stay as they are.
    func markSeen(_ ids: [StoredNotice.ID], at now: Timestamp) throws
    /// Claims notices before they are sent to the desktop: if several processes want to show the same notice, only one
    /// may.
    ///
    /// - Returns: the notices that the caller may show. The others were claimed or seen meanwhile, or have ended.
    func claim(_ ids: [StoredNotice.ID], at now: Timestamp) throws -> Set<StoredNotice.ID>
    /// Releases notices that the caller has claimed and the desktop did not accept: the next process may show them.
    func release(_ ids: [StoredNotice.ID]) throws
}

/// Gives access to the user's history: what a database must do for a use case that may begin before there is a history.
public protocol HistorySource: Sendable {
    /// The history as it is now. May be called many times: if its file was replaced meanwhile, the new one is opened.
    ///
    /// - Throws: an error for which `isMissing` is true if there is no history yet; why it cannot be opened.
    func history() throws -> History

    /// Whether an error of `history` means that nothing was ever stored.
    func isMissing(_ error: any Error) -> Bool
}

/// A history as the use cases see it: steps, an outbox, and notices.
public typealias History = any StepHistory & ShareLedger & NoticeStore
