/// Sending what was begun, and noting down what became of it.
extension ShareDrain {
    /// Deliveries under way at a time, once one has arrived: while the network has one, the next are made ready. A transport sends
    /// them one after another all the same.
    private static let together = 8

    func deliver(_ begun: [Shipment], _ run: inout Run) async throws {
        var ended: [ShareEntry] = []
        var rest = begun[...]
        var size = traits.batch
        var width = 1
        var recorded = now()
        while !rest.isEmpty {
            if run.isOver || isInterrupted {
                ended += rest.map(\.before)     // stored as being sent, and never were
                break
            }
            let batches = stride(from: 0, to: min(size * width, rest.count), by: size).map { Array(rest.dropFirst($0).prefix(size)) }
            for (batch, outcome) in zip(batches, await outcomes(of: batches)) {
                if case .failure(let failure) = outcome, failure.kind == .rejected, batch.count > 1 {
                    // Which of them, only one by one will tell.
                    size = 1
                    break
                }
                ended += note(batch, outcome, &run)
                rest = rest.dropFirst(batch.count)
            }
            // Whoever does not answer is not asked eight times.
            width = traits.resending == .replaces && run.report.failure == nil ? Self.together : 1
            tell(run)
            // A slow server's answers are not kept in memory for minutes.
            if now() - recorded >= 2 {
                try record(ended)
                ended = []
                recorded = now()
            }
        }
        try record(ended)
    }

    /// Notes down what became of deliveries. To lose that because another program keeps the history locked for a while would
    /// make it unknown, so that each of several tries waits as long as the history waits by itself.
    private func record(_ entries: [ShareEntry]) throws {
        if entries.isEmpty { return }
        for _ in 1..<Self.mostTries {
            do { return try ledger.record(entries) } catch { continue }
        }
        try ledger.record(entries)
    }

    private static let mostTries = 12

    private typealias Outcome = Result<[ShareReceipt], ShareFailure>

    /// In the order of the batches.
    private func outcomes(of batches: [[Shipment]]) async -> [Outcome] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, batch) in batches.enumerated() {
                let parcels = batch.map(\.parcel)
                group.addTask { [destination] in
                    do throws(ShareFailure) {
                        let receipts = try await destination.deliver(parcels)
                        guard receipts.count == parcels.count else {
                            throw ShareFailure(.unanswered, "\(receipts.count) of \(parcels.count) days were confirmed")
                        }
                        return (index, .success(receipts))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func note(_ batch: [Shipment], _ outcome: Outcome, _ run: inout Run) -> [ShareEntry] {
        switch outcome {
        case .success(let receipts): return zip(batch, receipts).map { confirmed($0, $1, &run) }
        case .failure(let failure):
            // Deliveries under way together fail together: that is one failure.
            if !run.isOver { run.report.state.fail(failure, at: now()) }
            return batch.map { failed($0, failure, &run) }
        }
    }

    private func confirmed(
        _ one: Shipment, _ receipt: ShareReceipt, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        run.note(entry, entry.isCorrection ? .corrected : .sent)
        entry.confirm(receipt, lookAgain: lookAgain(one.parcel.day.summary), at: now())
        if traits.showsLatestOnly { run.latest[entry.user] = max(run.latest[entry.user] ?? entry.day, entry.day) }
        if !run.isOver {
            run.report.state.succeed()
            run.report.failure = nil
            run.rejections = 0
        }
        return entry
    }

    private func failed(
        _ one: Shipment, _ failure: ShareFailure, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        entry.fail(failure, before: one.before.state, resending: traits.resending, at: now())
        run.report.failure = failure
        switch failure.kind {
        case .rejected:
            run.note(entry, .rejected(reason: failure.reason))
            run.rejections += 1
            run.isOver = run.rejections >= Self.mostRejections
        case .unanswered:
            if traits.resending == .repeats, !traits.canFind {
                entry.ask(failure.reason, at: now())
                run.note(entry, .doubtful(reason: failure.reason))
            } else {
                run.note(entry, .unknown(reason: failure.reason))
            }
            run.isOver = true
        case .unreachable, .busy, .credentials, .misconfigured:
            run.note(entry, .queued(reason: failure.reason))
            run.isOver = true
        }
        return entry
    }
}
