/// The business operations on step data: a day's figures, the plan of a day, bringing steps home, sharing them.
///
/// It reaches a history, pedometers, the ledger and the destinations of sharing through its ports only, and reads no clock but the one it was given.
public struct StepDataService: Sendable {
    let history: any StepHistory
    let reader: any PedometerReader
    let ledger: any ShareLedger
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - reader: what reads pedometers; without one `synchronize` fails for each of them, and nothing else needs it.
    ///   - ledger: what keeps account of sharing; without one `shareStepData` fails, and nothing else needs it.
    public init(
        history: any StepHistory, reader: any PedometerReader = NoReader(), ledger: any ShareLedger = NoLedger(),
        localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.history = history
        self.reader = reader
        self.ledger = ledger
        self.localTime = localTime
        self.now = now
    }

    /// A user's day in figures; from the history alone.
    ///
    /// - Throws: the history's error.
    public func summary(of user: User, on day: Day) throws -> DaySummary {
        let data = try history.stepData(of: user, on: day)
        return DaySummary(data, localTime: localTime, now: now())
    }

    /// The sport plan in force on a day; nil before a user's first.
    ///
    /// - Throws: the history's error.
    public func sportPlan(of user: User, on day: Day) throws -> SportPlan? {
        try history.plans(of: user.id).inForce(on: day)
    }
}

/// Reads no pedometer: for a service that only looks into the history.
public struct NoReader: PedometerReader {
    public struct Unreadable: Error, CustomStringConvertible {
        public var pedometer: String
        public var description: String {
            "'\(pedometer)' cannot be read here: the service was made without a pedometer reader."
        }
    }

    public init() {}

    public func read(
        _ pedometer: Pedometer, progress: @escaping @Sendable (ReadProgress) -> Void,
        merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> ReadReport {
        throw Unreadable(pedometer: pedometer.name)
    }
}
