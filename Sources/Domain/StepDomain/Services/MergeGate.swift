internal import Synchronization

/// The way of batches into the history during one sync: it counts what they brought, and closes at the first that the
/// history refuses.
///
/// Closed for good, because a batch after a lost one would move the cursor over the gap.
final class MergeGate: Sendable {
    private struct State {
        var counts = MergeCounts()
        var refusal: (any Error)?
    }

    private let history: any StepHistory
    private let sync: SyncRecord.ID
    private let place: LocalTime
    private let state = Mutex(State())

    /// - Parameter place: where the pedometer was when.
    init(_ history: any StepHistory, sync: SyncRecord.ID, place: LocalTime) {
        self.history = history
        self.sync = sync
        self.place = place
    }

    var counts: MergeCounts { state.withLock { $0.counts } }
    /// Why the history refused a batch, if it did: the cause of whatever the reader made of it.
    var refusal: (any Error)? { state.withLock { $0.refusal } }

    func merge(_ batch: SampleBatch) throws {
        // Under the lock: batches come one after another anyway, and none may slip past a refusal.
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            do {
                state.counts += try history.merge(batch, sync: sync, place: place)
            } catch {
                state.refusal = error
                throw error
            }
        }
    }
}
