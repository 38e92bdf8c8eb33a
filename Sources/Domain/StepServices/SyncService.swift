public import StepDomain

/// Reads pedometers into a history.
///
/// It accesses the history and the pedometers only through their ports, and reads only the clock that it was given. `Synchronization` adds
/// to it what belongs to a whole run: the lock, sharing, notices, upkeep.
public struct SyncService: Sendable {
    private let history: any StepHistory
    private let reader: any PedometerReader
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(
        history: any StepHistory, reader: any PedometerReader, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp
    ) {
        self.history = history
        self.reader = reader
        self.localTime = localTime
        self.now = now
    }

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
