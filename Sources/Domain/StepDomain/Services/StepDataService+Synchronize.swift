extension StepDataService {
    /// Per cent below which a battery is worth a word.
    public static let lowBattery = 15
    /// Seconds for which settings of a pedometer's clock are remembered: longer than any pedometer keeps steps.
    static let clockMemory = 62 * 86_400

    /// Reads pedometers one after another into the history.
    ///
    /// A failure of one does not hold up the next; steps that came in before a failure stay. When the task is cancelled, the
    /// sync under way is recorded as failed and those not begun are reported as cancelled.
    ///
    /// - Returns: one report for each pedometer, in their order.
    public func synchronize(
        _ pedometers: [Pedometer], progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void = { _, _ in }
    ) async -> [SyncReport] {
        var reports: [SyncReport] = []
        for pedometer in pedometers {
            reports.append(await synchronize(pedometer) { progress(pedometer, $0) })
        }
        return reports
    }

    private func synchronize(
        _ pedometer: Pedometer, progress: @escaping @Sendable (ReadProgress) -> Void
    ) async -> SyncReport {
        var report = SyncReport(pedometer: pedometer)
        let start = now()
        let sync: SyncRecord.ID
        do {
            try Task.checkCancellation()
            sync = try history.beginSync(of: pedometer.id, at: start)
        } catch {
            report.fail(error)
            return report
        }

        let gate = MergeGate(history, sync: sync, place: pedometer.clock.place(localTime))
        do {
            let reading = try await reader.read(pedometer, progress: progress) { try gate.merge($0) }
            report.take(reading)
            // A reader that made light of a refused batch has not read what it says.
            if let refusal = gate.refusal { throw refusal }
            if let setting = reading.clockSet { try record(setting, in: &report) }
        } catch {
            report.fail(gate.refusal ?? error)
        }
        report.counts = gate.counts
        report.notice()
        end(sync, from: start, &report)
        return report
    }

    private func record(_ setting: ClockState.Setting, in report: inout SyncReport) throws {
        report.pedometer.clock.record(setting, memory: Self.clockMemory)
        try history.setClock(report.pedometer.clock, of: report.pedometer.id)
    }

    /// Not hindered by cancellation: what is begun is ended.
    private func end(_ sync: SyncRecord.ID, from start: Timestamp, _ report: inout SyncReport) {
        var record = SyncRecord(
            id: sync, pedometer: report.pedometer.id, start: start, end: now(),
            outcome: report.failure == nil ? .complete : .failed, battery: report.battery, counts: report.counts,
            failure: report.failureText, cause: report.cause)
        do {
            try history.endSync(
                sync, at: record.end ?? start, outcome: record.outcome, battery: record.battery, failure: record.failure,
                cause: record.cause)
        } catch {
            // In the history it runs still; the first failure tells more than this one.
            record.outcome = .running
            record.end = nil
            if report.failure == nil { report.fail(error) }
        }
        report.record = record
    }
}

extension SyncReport {
    fileprivate mutating func take(_ reading: ReadReport) {
        battery = reading.battery.flatMap { (0...100).contains($0) ? $0 : nil }
        connectedSeconds = reading.connectedSeconds
        notices = reading.notices
    }

    fileprivate mutating func fail(_ error: any Error) {
        failure = error
        failureText = error is CancellationError ? "interrupted" : String(describing: error)
    }

    /// Adds what the domain itself has noticed.
    fileprivate mutating func notice() {
        if let battery, battery < StepDataService.lowBattery { notices.append(.batteryLow(battery)) }
        // The reader tells of samples that it left out, the history of those that it kept apart: one notice for both.
        var apart = counts.implausible
        notices.removeAll { notice in
            guard case .implausible(let samples) = notice else { return false }
            apart += samples
            return true
        }
        if apart > 0 { notices.append(.implausible(samples: apart)) }
    }
}
