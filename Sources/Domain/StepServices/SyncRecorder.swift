import StepDomain
internal import Synchronization

/// Records the syncs of one reading in the history.
final class SyncRecorder: ReadingReceiver {
    /// A sync that has begun.
    private struct Running {
        let sync: SyncRecord.ID
        let start: Timestamp
        let gate: MergeGate
        /// Days (or readings of a counter) dealt with and planned; nil before the first.
        var extent: (done: Int, planned: Int)?
        /// Days dealt with over earlier links that were lost.
        var doneBefore = 0
        var isAdapterRestarted = false

        mutating func note(_ progress: ReadProgress) {
            switch progress {
            case .reconnecting: doneBefore = extent?.done ?? 0
            case .reading(let done, let planned): extent = (doneBefore + done, doneBefore + planned)
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
    private let showProgress: @Sendable (Pedometer, ReadProgress) -> Void
    private let finished: @Sendable (SyncReport) -> Void
    private let state = Mutex(State())

    init(
        _ history: any StepHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp,
        progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void, finished: @escaping @Sendable (SyncReport) -> Void
    ) {
        self.history = history
        self.localTime = localTime
        self.now = now
        showProgress = progress
        self.finished = finished
    }

    /// - Returns: false if the pedometer must not be read: the sync is cancelled, or the history cannot record its start.
    func begin(_ pedometer: Pedometer) async -> Bool {
        let start = now()
        do {
            try Task.checkCancellation()
            let sync = try await blocking { [history] in try history.beginSync(of: pedometer.id, at: start) }
            let gate = MergeGate(history, sync: sync, place: pedometer.clock.place(localTime))
            state.withLock { $0.running[pedometer.id] = Running(sync: sync, start: start, gate: gate) }
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
    func report(_ pedometer: Pedometer) async -> SyncReport {
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
        guard let running = state.withLock({ $0.running[pedometer.id] }) else { throw CancellationError() }
        try await running.gate.merge(batch)
    }

    /// Also runs after cancellation: every sync that has begun is ended.
    func end(of pedometer: Pedometer, _ result: Result<ReadReport, any Error>) async {
        guard let running = state.withLock({ $0.running.removeValue(forKey: pedometer.id) }) else { return }
        var report = SyncReport(pedometer: pedometer)
        do {
            let reading = try result.get()
            report.add(reading)
            // A reader that ignored a refused batch reports more than was stored.
            if let refusal = running.gate.refusal { throw refusal }
            if let setting = reading.clockSet {
                report.pedometer.clock.record(setting, memory: SyncService.clockMemory)
                try await blocking { [history, clock = report.pedometer.clock] in try history.setClock(clock, of: pedometer.id) }
            }
        } catch {
            report.fail(running.gate.refusal ?? error)
        }
        report.counts = running.gate.counts
        if let extent = running.extent { (report.daysRead, report.daysPlanned) = (extent.done, extent.planned) }
        report.notices = running.gate.notices + report.notices
        // Taken from the cursor, so that a day which a second attempt received is not reported.
        if let gaps = running.gate.cursor?.reportedGaps, !gaps.isEmpty { report.notices.append(.missing(gaps)) }
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
                    record.id, at: record.end ?? record.start, outcome: record.outcome, battery: record.battery, failure: record.failure,
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
            FailureCause(error) == .interrupted ? "interrupted" : (error as? any ReportableError)?.problem ?? String(describing: error)
    }

    /// Adds the notices of the domain itself.
    fileprivate mutating func addNotices() {
        if let battery, battery < BatteryLevel.low { notices.append(.batteryLow(battery)) }
        // The reader reports samples that it left out, the history those that it kept apart: one notice for both.
        var apart = counts.implausible
        notices.removeAll { notice in
            guard case .implausible(let samples) = notice else { return false }
            apart += samples
            return true
        }
        if apart > 0 { notices.append(.implausible(samples: apart)) }
    }
}

/// Merges the batches of one sync into the history, counts the result, and closes at the first batch that the history refuses.
///
/// It stays closed, because a batch after a lost one would move the cursor past the gap.
final class MergeGate: Sendable {
    private struct State {
        var counts = MergeCounts()
        var notices: [SyncNotice] = []
        var cursor: PedometerCursor?
        var refusal: (any Error)?
    }

    private let history: any StepHistory
    private let sync: SyncRecord.ID
    private let place: LocalTime
    private let state = Mutex(State())

    /// - Parameter place: the location of the pedometer over time.
    init(_ history: any StepHistory, sync: SyncRecord.ID, place: LocalTime) {
        self.history = history
        self.sync = sync
        self.place = place
    }

    var counts: MergeCounts { state.withLock { $0.counts } }
    /// Of all batches that were committed.
    var notices: [SyncNotice] { state.withLock { $0.notices } }
    /// The last one that was committed; nil where no batch had one.
    var cursor: PedometerCursor? { state.withLock { $0.cursor } }
    /// Why the history refused a batch, if it did: the cause of the error that the reader reports.
    var refusal: (any Error)? { state.withLock { $0.refusal } }

    /// One batch at a time, as a `ReadingReceiver` is called.
    ///
    /// - Throws: why the history refuses the batch, or has refused an earlier one.
    func merge(_ batch: SampleBatch) async throws {
        if let refusal { throw refusal }
        do {
            let counts = try await blocking { [history, sync, place] in try history.merge(batch, sync: sync, place: place) }
            state.withLock { state in
                state.counts += counts
                state.notices += batch.notices
                state.cursor = batch.cursor ?? state.cursor
            }
        } catch {
            state.withLock { $0.refusal = error }
            throw error
        }
    }
}
