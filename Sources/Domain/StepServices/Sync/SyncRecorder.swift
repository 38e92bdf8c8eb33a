import StepDomain
internal import Support
internal import Synchronization

/// Reads pedometers, and records their syncs in the history.
///
/// It accesses the history and the pedometers only through their ports, and reads only the clock that it was given.
/// `SyncService` adds to it what belongs to a whole run: the lock, sharing, notices, maintenance.
final class SyncRecorder: ReadingReceiver {
    /// Seconds for which settings of a pedometer's clock are kept: longer than any pedometer keeps steps.
    static let clockMemory = 62 * 86_400

    /// A sync that has begun.
    private struct Running {
        let sync: SyncRecord.ID
        let start: Timestamp
        let writer: BatchWriter
        /// Days (or readings of a counter) dealt with and planned; nil before the first.
        var days: (done: Int, planned: Int)?
        /// Days dealt with over earlier links that were lost.
        var doneBefore = 0
        var isAdapterRestarted = false

        mutating func note(_ progress: ReadProgress) {
            switch progress {
            case .reconnecting: doneBefore = days?.done ?? 0
            case .reading(let done, let planned): days = (doneBefore + done, doneBefore + planned)
            case .adapterRestarted: isAdapterRestarted = true
            case .searching, .connecting: break
            }
        }
    }

    private struct State {
        var running: [Pedometer.ID: Running] = [:]
        var reports: [Pedometer.ID: SyncReport] = [:]
    }

    private let history: any StepHistory
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp
    private let recordFrames: @Sendable ([RawFrame]) -> Void
    private let showProgress: @Sendable (Pedometer, ReadProgress) -> Void
    private let finished: @Sendable (SyncReport) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - record: called with the frames of each batch before it is stored.
    ///   - finished: called once for each pedometer as soon as its result is known and recorded, in any order. Its link
    ///     may still be up: `connectedSeconds` is only known when `read` returns.
    init(
        _ history: any StepHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp,
        record: @escaping @Sendable ([RawFrame]) -> Void = { _ in },
        progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void = { _, _ in },
        finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) {
        self.history = history
        self.localTime = localTime
        self.now = now
        recordFrames = record
        showProgress = progress
        self.finished = finished
    }

    /// Reads pedometers into the history.
    ///
    /// A failure of one does not stop the others; steps that came in before a failure stay. When the task is cancelled,
    /// the syncs that have not ended are recorded as failed.
    ///
    /// - Returns: one report for each pedometer, in their order, when no link is left.
    func read(_ pedometers: [Pedometer], by reader: any PedometerReader) async -> [SyncReport] {
        await record(pedometers) { await reader.read($0, for: $1) }
    }

    /// - Parameter read: as `PedometerReader.read`, of the pedometers whose sync has begun.
    func record(
        _ pedometers: [Pedometer], _ read: ([Pedometer], any ReadingReceiver) async -> Void
    ) async -> [SyncReport] {
        var begun: [Pedometer] = []
        for pedometer in pedometers where await begin(pedometer) { begun.append(pedometer) }
        if !begun.isEmpty { await read(begun, self) }
        var reports: [SyncReport] = []
        for pedometer in pedometers { reports.append(await report(pedometer)) }
        return reports
    }

    /// - Returns: false if the pedometer must not be read: the sync is cancelled, or the history cannot record its
    ///   start.
    private func begin(_ pedometer: Pedometer) async -> Bool {
        let start = now()
        do {
            try Task.checkCancellation()
            let sync = try await blocking { [history] in try history.beginSync(of: pedometer.id, at: start) }
            let writer = BatchWriter(history, sync: sync, localTime: pedometer.clock.localTime(localTime))
            state.withLock { $0.running[pedometer.id] = Running(sync: sync, start: start, writer: writer) }
            return true
        } catch {
            var report = SyncReport(pedometer: pedometer)
            report.fail(error)
            store(report)
            finished(report)
            return false
        }
    }

    /// The result of a pedometer's sync, after the reading has ended.
    private func report(_ pedometer: Pedometer) async -> SyncReport {
        if let report = state.withLock({ $0.reports[pedometer.id] }) { return report }
        // A pedometer that the reader did not report was not read.
        await end(of: pedometer, .failure(CancellationError()))
        return state.withLock { $0.reports[pedometer.id] } ?? SyncReport(pedometer: pedometer)
    }

    private func store(_ report: SyncReport) { state.withLock { $0.reports[report.pedometer.id] = report } }

    // MARK: What the reader reports

    func progress(_ progress: ReadProgress, of pedometer: Pedometer) {
        state.withLock { $0.running[pedometer.id]?.note(progress) }
        showProgress(pedometer, progress)
    }

    func merge(_ batch: SampleBatch, of pedometer: Pedometer) async throws {
        recordFrames(batch.frames)
        guard let running = state.withLock({ $0.running[pedometer.id] }) else { throw CancellationError() }
        try await running.writer.merge(batch)
    }

    /// Also runs after cancellation: every sync that has begun is ended.
    func end(of pedometer: Pedometer, _ result: Result<ReadReport, any Error>) async {
        guard let running = state.withLock({ $0.running.removeValue(forKey: pedometer.id) }) else { return }
        var report = SyncReport(pedometer: pedometer)
        do {
            let reading = try result.get()
            report.add(reading)
            if let setting = reading.clockSet {
                report.pedometer.clock.record(setting, memory: Self.clockMemory)
                // Its slots get their times by this setting: if it is lost, they are off until the clock is set again.
                try await repeatedly { [history, clock = report.pedometer.clock] in
                    try history.setClock(clock, of: pedometer.id)
                }
            }
        } catch {
            report.fail(error)
        }
        // A batch that was not stored is the cause of the reader's error, if the reader stopped at all.
        if let error = running.writer.writeError { report.fail(error) }
        report.counts = running.writer.counts
        if let days = running.days { (report.daysRead, report.daysPlanned) = (days.done, days.planned) }
        report.notices = running.writer.notices + report.notices
        // Taken from the cursor, so that a day which a second attempt received is not reported.
        if let gaps = running.writer.cursor?.reportedGaps, !gaps.isEmpty { report.notices.append(.missing(gaps)) }
        if running.isAdapterRestarted { report.notices.append(.adapterRestarted) }
        report.addNotices()
        await record(running, &report)
        store(report)
        finished(report)
    }

    func disconnected(_ pedometer: Pedometer, after seconds: Double) {
        state.withLock { $0.reports[pedometer.id]?.connectedSeconds = seconds }
    }

    private func record(_ running: Running, _ report: inout SyncReport) async {
        var record = SyncRecord(
            id: running.sync, pedometer: report.pedometer.id, start: running.start, end: now(),
            outcome: report.failure == nil ? .complete : .failed, battery: report.battery, counts: report.counts,
            failure: report.failureText, cause: report.cause)
        do {
            try await blocking { [history, record] in
                try history.endSync(
                    record.id, at: record.end ?? record.start, outcome: record.outcome, battery: record.battery,
                    failure: record.failure,
                    cause: record.cause)
            }
        } catch {
            // The history still shows the sync as running. The first failure is more informative than this one.
            record.outcome = .running
            record.end = nil
            if report.failure == nil { report.fail(error) }
        }
        report.record = record
    }
}

extension SyncReport {
    fileprivate mutating func add(_ reading: ReadReport) {
        battery = reading.battery.flatMap { (0...100).contains($0) ? $0 : nil }
        readSeconds = reading.readSeconds
        firmware = reading.firmware
        notices = reading.notices
    }

    fileprivate mutating func fail(_ error: any Error) {
        failure = error
        failureText =
            FailureCause(error) == .interrupted
            ? "interrupted" : (error as? any ReportableError)?.problem ?? String(describing: error)
    }

    /// Adds the notices of the domain itself.
    fileprivate mutating func addNotices() {
        if let battery, battery < BatteryLevel.low { notices.append(.batteryLow(battery)) }
        // The reader reports implausible samples that it left out, the history those that it stored separately: one
        // notice for both.
        var implausible = counts.implausible
        notices.removeAll { notice in
            guard case .implausible(let samples) = notice else { return false }
            implausible += samples
            return true
        }
        if implausible > 0 { notices.append(.implausible(samples: implausible)) }
    }
}

/// Merges the batches of one sync into the history, counts the result, and closes at the first batch that the history
/// refuses.
///
/// It stays closed, because a batch after a lost one would move the cursor past the gap.
final class BatchWriter: Sendable {
    private struct State {
        var counts = MergeCounts()
        var notices: [SyncNotice] = []
        var cursor: PedometerCursor?
        var writeError: (any Error)?
    }

    private let history: any StepHistory
    private let sync: SyncRecord.ID
    private let localTime: LocalTime
    private let state = Mutex(State())

    /// - Parameter localTime: that of the places where the pedometer was.
    init(_ history: any StepHistory, sync: SyncRecord.ID, localTime: LocalTime) {
        self.history = history
        self.sync = sync
        self.localTime = localTime
    }

    var counts: MergeCounts { state.withLock { $0.counts } }
    /// The notices of all batches that were committed.
    var notices: [SyncNotice] { state.withLock { $0.notices } }
    /// The last one that was committed; nil if no batch had one.
    var cursor: PedometerCursor? { state.withLock { $0.cursor } }
    /// Why the history refused a batch, if it did: the cause of the error that the reader reports.
    var writeError: (any Error)? { state.withLock { $0.writeError } }

    /// One batch at a time, as a `ReadingReceiver` is called.
    ///
    /// - Throws: why the history refuses the batch, or has refused an earlier one.
    func merge(_ batch: SampleBatch) async throws {
        if let writeError { throw writeError }
        do {
            let counts = try await blocking { [history, sync, localTime] in
                try history.merge(batch, sync: sync, localTime: localTime)
            }
            state.withLock { state in
                state.counts += counts
                state.notices += batch.notices
                state.cursor = batch.cursor ?? state.cursor
            }
        } catch {
            state.withLock { $0.writeError = error }
            throw error
        }
    }
}
