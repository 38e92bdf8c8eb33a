import StepDomain

/// Sending what was begun, and recording the results.
extension OutboxDelivery {
    /// The most deliveries in progress, after one was confirmed: while the network sends one, the next are prepared and
    /// the results of the last are taken. A transport still sends them one after another.
    private static let maximumInFlight = 8

    /// Sends the batches in order, and takes their results in the same order.
    ///
    /// - Returns: the entries as they are now, to be stored by the caller.
    func deliver(_ begun: [Item], _ run: inout Run) async throws -> [ShareEntry] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var ended: [ShareEntry] = []
            // Some were begun before it was known that their users are refused.
            var rest = accepted(begun, &ended, &run)[...]
            var size = traits.batch
            var inFlight = DeliveryQueue()
            var recorded = now()
            while true {
                // A destination that does not answer is not sent eight deliveries.
                let width = mayOverlap(run) && run.report.failure == nil ? Self.maximumInFlight : 1
                while !rest.isEmpty, inFlight.batches.count < width, !run.isOver, !isInterrupted {
                    let batch = Array(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    let number = inFlight.append(batch)
                    group.addTask { (number, await self.outcome(of: batch.map(\.payload))) }
                }
                guard !inFlight.batches.isEmpty else { break }
                while inFlight.isWaiting, let (number, outcome) = try await group.next() {
                    inFlight.take(outcome, number)
                }
                let (batch, outcome) = inFlight.removeFirst()
                if case .failure(let failure) = outcome, failure.kind == .rejected, batch.count > 1 {
                    // Only sending them one by one shows which was rejected.
                    size = 1
                    rest = (batch + rest)[...]
                    continue
                }
                if case .failure(let failure) = outcome, let users = failure.users,
                    batch.contains(where: { users.contains($0.entry.user) })
                {
                    for user in users { run.refusals[user] = failure }
                    rest = accepted(batch + rest, &ended, &run)[...]
                    reportProgress(run)
                    continue
                }
                ended += note(batch, outcome, &run)
                reportProgress(run)
                // A slow server's answers are not kept in memory for minutes.
                if now() - recorded >= 2 {
                    try await record(ended)
                    ended = []
                    recorded = now()
                }
            }
            return ended + rest.map(\.before)  // stored as `sending`, but never sent
        }
    }

    /// The days of users whom the destination accepts. The others are due again.
    private func accepted(_ items: [Item], _ ended: inout [ShareEntry], _ run: inout Run) -> [Item] {
        if run.refusals.isEmpty { return items }
        return items.filter { item in
            var entry = item.entry
            guard let failure = run.refusals[entry.user] else { return true }
            entry.fail(failure, before: item.before.state, at: now())
            run.note(entry, .queued(reason: failure.reason))
            ended.append(entry)
            return false
        }
    }

    /// Batches that are being delivered, in the order in which their deliveries began. Their results may come in
    /// another order.
    private struct DeliveryQueue {
        private(set) var batches: [[Item]] = []
        private var first = 0
        private var results: [Int: Outcome] = [:]

        /// - Returns: the number of the delivery.
        mutating func append(_ batch: [Item]) -> Int {
            batches.append(batch)
            return first + batches.count - 1
        }

        mutating func take(_ outcome: Outcome, _ number: Int) { results[number] = outcome }

        /// Whether the result of the first batch is not there yet.
        var isWaiting: Bool { results[first] == nil }

        mutating func removeFirst() -> ([Item], Outcome) {
            defer { first += 1 }
            return (batches.removeFirst(), results.removeValue(forKey: first)!)
        }
    }

    /// Stores the results of deliveries: a result that is lost would become unknown.
    func record(_ entries: [ShareEntry]) async throws {
        if entries.isEmpty { return }
        try await repeatedly { [ledger] in try ledger.record(entries) }
    }

    private typealias Outcome = Result<[ShareReceipt], ShareFailure>

    private func outcome(of payloads: [SharePayload]) async -> Outcome {
        do throws(ShareFailure) {
            let receipts = try await destination.deliver(payloads)
            guard receipts.count == payloads.count else {
                throw ShareFailure(.unanswered, "\(receipts.count) of \(payloads.count) days were confirmed")
            }
            return .success(receipts)
        } catch {
            return .failure(error.naming(destination.secretPlace))
        }
    }

    private func note(_ batch: [Item], _ outcome: Outcome, _ run: inout Run) -> [ShareEntry] {
        switch outcome {
        case .success(let receipts): return zip(batch, receipts).map { confirmed($0, $1, &run) }
        case .failure(let failure):
            // Concurrent deliveries fail together: this counts as one failure.
            if !run.isOver { run.report.state.fail(failure, at: now()) }
            return batch.map { failed($0, failure, &run) }
        }
    }

    private func confirmed(
        _ one: Item, _ receipt: ShareReceipt, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        if receipt.isFixed {
            run.note(entry, .fixed)
            entry.settle(recheckAt: recheck(one.payload.day.summary), at: now())
        } else {
            run.note(entry, entry.isConfirmed ? .corrected : .sent)
            entry.confirm(receipt, recheckAt: recheck(one.payload.day.summary), at: now())
        }
        if traits.showsLatestOnly { run.latest[entry.user] = max(run.latest[entry.user] ?? entry.day, entry.day) }
        run.hasAnswer = true
        if !run.isOver {
            run.report.state.succeed()
            run.report.failure = nil
            run.rejections = 0
        }
        return entry
    }

    private func failed(
        _ one: Item, _ failure: ShareFailure, _ run: inout Run
    ) -> ShareEntry {
        var entry = one.entry
        entry.fail(failure, before: one.before.state, at: now())
        run.report.failure = failure
        switch failure.kind {
        case .rejected:
            run.note(entry, .rejected(reason: failure.reason))
            run.rejections += 1
            if run.rejections == ShareRetry.maximumRejections {
                run.report.state.pause(after: failure, at: now())
                run.isOver = true
            }
        case .unanswered:
            if traits.resending == .repeats, !traits.canFind {
                entry.leaveToUser(failure.reason, at: now())
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
