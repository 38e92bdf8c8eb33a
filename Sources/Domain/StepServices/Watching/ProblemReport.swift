internal import StepDomain
internal import Synchronization

/// Reports each problem of a watch once, until it is over or another one has taken its place. For several tasks.
final class ProblemReport: Sendable {
    /// What a watch does that can fail. The problem of one does not end the problem of another.
    enum Concern: Hashable, Sendable {
        /// Reading the history.
        case history
        /// Receiving advertisements.
        case scanning
        case reading(Pedometer.ID)
        /// Staying connected.
        case following(Pedometer.ID)
        /// Storing live values.
        case storing(Pedometer.ID)
        /// Reporting a sync.
        case reporting
        /// Looking for pedometers that were not heard for days.
        case silence
    }

    /// The problems that stand.
    private let standing = Mutex<[Concern: Problem]>([:])
    private let report: @Sendable (any Error) -> Void

    init(_ report: @escaping @Sendable (any Error) -> Void) { self.report = report }

    /// A problem that several concerns have, such as a history that cannot be read, is reported for the first of them
    /// only.
    func begin(_ concern: Concern, _ error: any Error) {
        let problem = Problem(error)
        let isNew = standing.withLock { standing in
            defer { standing[concern] = problem }
            return !standing.values.contains(problem)
        }
        if isNew { report(error) }
    }

    func end(_ concern: Concern) { standing.withLock { $0[concern] = nil } }
}
