import StepDatabase
import StepDomain
import Synchronization
import TestSupport

/// A history on a machine that loses power: from a certain merge on, nothing more is written, not even the end of the
/// sync.
final class PowerCutHistory: StepHistory {
    struct PowerCut: Error {}

    private let database: StepDatabase
    /// The number of merges before the power fails; nil if it does not fail.
    private let left: Mutex<Int?>

    init(_ database: StepDatabase, merges: Int?) {
        self.database = database
        left = Mutex(merges)
    }

    var hasLostPower: Bool { left.withLock { $0 == -1 } }

    private func checkPower() throws { if hasLostPower { throw PowerCut() } }

    func merge(_ batch: SampleBatch, sync: SyncRecord.ID, localTime: LocalTime) throws -> MergeCounts {
        try left.withLock { left in
            guard let merges = left else { return }
            left = max(merges - 1, -1)
            if merges <= 0 { throw PowerCut() }
        }
        return try database.merge(batch, sync: sync, localTime: localTime)
    }

    func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?,
        cause: FailureCause?
    ) throws {
        try checkPower()
        try database.endSync(id, at: end, outcome: outcome, battery: battery, failure: failure, cause: cause)
    }

    func syncs(behind day: Day, of user: User) throws -> [DaySync] { try database.syncs(behind: day, of: user) }

    func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws {
        try checkPower()
        try database.setClock(clock, of: pedometer)
    }

    func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws -> SyncRecord.ID {
        try database.beginSync(of: pedometer, at: start)
    }

    func users() throws -> [User] { try database.users() }
    func addUser(named name: String) throws -> User { try database.addUser(named: name) }
    func profiles(of user: User.ID) throws -> [Profile] { try database.profiles(of: user) }
    func setProfile(_ profile: Profile, of user: User.ID) throws { try database.setProfile(profile, of: user) }
    func plans(of user: User.ID) throws -> [SportPlan] { try database.plans(of: user) }
    func setPlan(_ plan: SportPlan, of user: User.ID) throws { try database.setPlan(plan, of: user) }
    func removeProfile(validFrom day: Day, of user: User.ID) throws {
        try database.removeProfile(validFrom: day, of: user)
    }
    func removePlan(validFrom day: Day, of user: User.ID) throws {
        try database.removePlan(validFrom: day, of: user)
    }
    func stepsOfOthers(by pedometer: Pedometer.ID, on day: Day) throws -> Int {
        try database.stepsOfOthers(by: pedometer, on: day)
    }
    func pedometers() throws -> [Pedometer] { try database.pedometers() }
    func importSources() throws -> [Pedometer] { try database.importSources() }
    func addPedometer(_ pedometer: Pedometer) throws -> Pedometer { try database.addPedometer(pedometer) }
    func renamePedometer(_ id: Pedometer.ID, to name: String) throws { try database.renamePedometer(id, to: name) }
    func forgetPedometer(_ id: Pedometer.ID) throws { try database.forgetPedometer(id) }
    func syncs(of pedometer: Pedometer.ID, until moment: Timestamp?, limit: Int) throws -> [SyncRecord] {
        try database.syncs(of: pedometer, until: moment, limit: limit)
    }
    func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws -> SyncRecord? {
        try database.lastCompleteSync(of: pedometer, until: moment)
    }
    func dayData(of user: User, on day: Day) throws -> DayData { try database.dayData(of: user, on: day) }
    func firstKnownDay(of user: User.ID) throws -> Day? { try database.firstKnownDay(of: user) }
    func setCorrection(_ correction: StepCorrection?, of user: User.ID, on day: Day, at moment: Timestamp) throws {
        try database.setCorrection(correction, of: user, on: day, at: moment)
    }
}
