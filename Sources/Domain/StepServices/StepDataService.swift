public import StepDomain

/// The business operations on step data: the figures of a day, the plan of a day, reading pedometers, sharing.
///
/// It accesses a history, pedometers, the ledger and the destinations of sharing only through its ports, and reads only the clock that it
/// was given.
public struct StepDataService: Sendable {
    let history: any StepHistory
    let reader: any PedometerReader
    let ledger: any ShareLedger
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - reader: what reads pedometers; without one `synchronize` fails for each of them, and nothing else needs it.
    ///   - ledger: what records sharing; without one `shareStepData` fails, and nothing else needs it.
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

/// Reads no pedometer: for a service that only reads the history.
public struct NoReader: PedometerReader {
    public struct Unreadable: Error, CustomStringConvertible {
        public var pedometer: String
        public var description: String {
            "'\(pedometer)' cannot be read here: the service was made without a pedometer reader."
        }
    }

    public init() {}

    public func read(_ pedometers: [Pedometer], for receiver: any ReadingReceiver) async {
        for pedometer in pedometers { await receiver.end(of: pedometer, .failure(Unreadable(pedometer: pedometer.name))) }
    }
}

extension StepDataService {
    /// Seconds for which settings of a pedometer's clock are kept: longer than any pedometer keeps steps.
    static let clockMemory = 62 * 86_400

    /// Reads pedometers into the history.
    ///
    /// A failure of one does not stop the others; steps that came in before a failure stay. When the task is cancelled, the
    /// syncs that have not ended are recorded as failed.
    ///
    /// - Parameters:
    ///   - finished: called once for each pedometer as soon as its result is known and recorded, in any order. Its link may still be up:
    ///     `connectedSeconds` is only known on return.
    /// - Returns: one report for each pedometer, in their order, when no link is left.
    public func synchronize(
        _ pedometers: [Pedometer], progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void = { _, _ in },
        finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) async -> [SyncReport] {
        let recorder = SyncRecorder(history, localTime: localTime, now: now, progress: progress, finished: finished)
        var begun: [Pedometer] = []
        for pedometer in pedometers where await recorder.begin(pedometer) { begun.append(pedometer) }
        if !begun.isEmpty { await reader.read(begun, for: recorder) }
        var reports: [SyncReport] = []
        for pedometer in pedometers { reports.append(await recorder.report(pedometer)) }
        return reports
    }
}
