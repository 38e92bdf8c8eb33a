internal import StepDomain

/// Stores the batches of a reading while the reading continues.
///
/// Batches that follow each other quickly are stored together, in one transaction: a transaction takes longer than the
/// samples of a day in it, and competes with the reading for the processor and the disk. Over the radio a day usually
/// takes longer than `delay`, and each is stored while the next one arrives.
struct BatchStorage {
    /// The history refused a batch: it would refuse more of them, too.
    struct Refusal: Error { let cause: any Error }

    /// The longest time that a batch waits for others while notifications arrive. If the program ends suddenly, the
    /// pedometer still has the data of waiting batches, because the cursor is stored with the batch.
    static let delay = Duration.milliseconds(250)

    private let store: @Sendable (SampleBatch) async throws -> Void
    private let report: @Sendable (ReadProgress) -> Void
    private var waiting: SampleBatch?
    /// The progress that is reported once `waiting` is stored.
    private var progress: [ReadProgress] = []
    /// When the first batch of `waiting` was added.
    private var start = Duration.zero
    private var task: Task<Void, any Error>?

    /// - Parameters:
    ///   - store: returns once the batch is committed.
    ///   - report: called for each batch once it is committed, in their order.
    init(
        store: @escaping @Sendable (SampleBatch) async throws -> Void,
        report: @escaping @Sendable (ReadProgress) -> Void
    ) {
        self.store = store
        self.report = report
    }

    /// Adds a batch that is to be stored, unless an earlier one was refused.
    ///
    /// - Parameter now: the time of a clock that does not go back; the same for all calls.
    mutating func add(_ batch: SampleBatch, _ step: ReadProgress, at now: Duration) async throws(Refusal) {
        try await finish()
        if waiting == nil { start = now }
        waiting = waiting?.followed(by: batch) ?? batch
        progress.append(step)
    }

    /// How long the batches may still wait; nil if there are none, or if others are being stored.
    func remaining(at now: Duration) -> Duration? {
        waiting == nil || task != nil ? nil : max(start + Self.delay - now, .zero)
    }

    /// Begins to store the batches, unless others are being stored. Cancelling the reading does not stop this.
    mutating func begin() {
        guard task == nil, let batch = waiting else { return }
        let steps = progress
        (waiting, progress) = (nil, [])
        task = Task { [store, report] in
            try await store(batch)
            for step in steps { report(step) }
        }
    }

    /// Returns when all batches are committed.
    mutating func flush() async throws(Refusal) {
        try await finish()
        begin()
        try await finish()
    }

    /// Waits until the present batch is stored.
    private mutating func finish() async throws(Refusal) {
        defer { task = nil }
        do { try await task?.value } catch { throw Refusal(cause: error) }
    }
}

extension SampleBatch {
    /// Both batches as one. Storing it has the same result as storing one after the other.
    func followed(by next: SampleBatch) -> SampleBatch {
        SampleBatch(
            samples: samples + next.samples, coverage: coverage + next.coverage, frames: frames + next.frames,
            cursor: next.cursor ?? cursor, notices: notices + next.notices, deviceTotal: next.deviceTotal ?? deviceTotal
        )
    }
}
