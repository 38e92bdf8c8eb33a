import StepDatabase
import StepDomain

extension Check {
    /// Who works on the history at this moment.
    static func lock(_ context: CheckupContext) -> Check {
        Check("lock", .history, "lock") {
            guard let path = context.database else { return [] }
            let works: [SyncLock.Work] = [.syncing, .sharing]
            return try await blocking { works.compactMap { work in
                SyncLock.holder(ofDatabase: path, for: work).map {
                    Remark(.note, "lock", "a \(work.rawValue) is running (process \($0))")
                }
            } }
        }
    }
}
