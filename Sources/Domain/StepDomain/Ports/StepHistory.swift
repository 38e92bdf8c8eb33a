/// The history that the domain needs: what a database must do for it.
///
/// Every call is one transaction: it happens whole or not at all. Calls are short (milliseconds), so they are plain
/// functions; whoever conforms is safe to call from any task. Errors are the conformer's own.
public protocol StepHistory: Sendable {
    // People
    /// By name.
    func users() throws -> [User]
    /// The user of that name, made if there is none. Names compare without regard to case.
    func addUser(named name: String) throws -> User
    /// Oldest first.
    func profiles(of user: User.ID) throws -> [Profile]
    /// Replaces the profile that is valid from the same day.
    func setProfile(_ profile: Profile, of user: User.ID) throws
    /// Oldest first.
    func plans(of user: User.ID) throws -> [SportPlan]
    /// Replaces the plan that is valid from the same day.
    func setPlan(_ plan: SportPlan, of user: User.ID) throws

    // Pedometers
    /// Those in use, by name.
    func pedometers() throws -> [Pedometer]
    /// Adds one (its `id` is given by the history and stands in the result). One that was forgotten and has the same address comes back with its
    /// samples, clock and cursor. An address or name in use is an error.
    func addPedometer(_ pedometer: Pedometer) throws -> Pedometer
    /// Takes it out of use; its samples stay.
    func forgetPedometer(_ id: Pedometer.ID) throws
    /// Records what istep did to its clock.
    func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws

    // Syncs
    func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws -> SyncRecord.ID
    /// Merges a batch with its frames and moves the cursor, all or nothing.
    ///
    /// A slot that is there already keeps the greater of its steps: a merge never loses steps, and the same batch again changes nothing.
    ///
    /// - Parameter place: where the batch's coverage was made. Time that was accounted for before keeps the offset it had.
    func merge(_ batch: SampleBatch, sync: SyncRecord.ID, place: LocalTime) throws -> MergeCounts
    /// Ends a sync; its counts have been summed up by `merge`.
    func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?, cause: FailureCause?) throws
    /// Newest first, at most `limit`.
    func syncs(of pedometer: Pedometer.ID, limit: Int) throws -> [SyncRecord]
    /// The complete one that ended last, but not after `moment`; however many there are since.
    func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws -> SyncRecord?

    // Days
    /// All that is known of a user's day. Samples and coverage belong to the day by their own offset, wherever the user is now.
    func stepData(of user: User, on day: Day) throws -> StepData
    /// The same of many days in one transaction, in their order.
    func stepData(of user: User, on days: [Day]) throws -> [StepData]
    /// Sets the steps of a day by hand, or takes that back with nil.
    func setCorrection(_ steps: Int?, of user: User.ID, on day: Day, at moment: Timestamp) throws
}

extension StepHistory {
    public func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?
    ) throws {
        try endSync(id, at: end, outcome: outcome, battery: battery, failure: failure, cause: outcome == .failed ? .other : nil)
    }

    public func stepData(of user: User, on days: [Day]) throws -> [StepData] { try days.map { try stepData(of: user, on: $0) } }
}
