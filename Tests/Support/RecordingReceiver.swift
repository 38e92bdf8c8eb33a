public import StepDomain
internal import Synchronization

/// Records what a reader reports, in order.
public final class RecordingReceiver: ReadingReceiver {
    public enum Event: Sendable {
        case progress(Pedometer.ID, ReadProgress)
        case merged(Pedometer.ID, SampleBatch)
        case ended(Pedometer.ID, Result<ReadReport, any Error>)
        case disconnected(Pedometer.ID, seconds: Double)
    }

    private struct State {
        var events: [Event] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var events: [Event] { state.withLock { $0.events } }

    /// All batches of all pedometers.
    public var batches: [SampleBatch] {
        events.compactMap { if case .merged(_, let batch) = $0 { batch } else { nil } }
    }
    /// The steps of each slot: the greatest value that was merged.
    public var steps: [Timestamp: Int] {
        Dictionary(batches.flatMap(\.samples).map { ($0.start, $0.steps) }, uniquingKeysWith: max)
    }
    public var cursor: PedometerCursor { batches.compactMap(\.cursor).last ?? PedometerCursor() }

    public func result(of pedometer: Pedometer.ID) -> Result<ReadReport, any Error>? {
        for case .ended(pedometer, let result) in events.reversed() { return result }
        return nil
    }

    public func failure(of pedometer: Pedometer.ID) -> (any Error)? {
        if case .failure(let error)? = result(of: pedometer) { error } else { nil }
    }

    public func seconds(of pedometer: Pedometer.ID) -> Double? {
        for case .disconnected(pedometer, let seconds) in events.reversed() { return seconds }
        return nil
    }

    /// Returns once a wanted event has been recorded.
    public func until(_ isWanted: @Sendable (Event) -> Bool) async {
        while true {
            let isThere = state.withLock { $0.events.contains(where: isWanted) }
            if isThere { return }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.events.contains(where: isWanted) { return true }
                    state.watchers.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    private func add(_ event: Event) {
        let watchers = state.withLock { state in
            state.events.append(event)
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }

    // MARK: What the reader reports

    public func progress(_ progress: ReadProgress, of pedometer: Pedometer) { add(.progress(pedometer.id, progress)) }
    public func merge(_ batch: SampleBatch, of pedometer: Pedometer) { add(.merged(pedometer.id, batch)) }
    public func end(of pedometer: Pedometer, _ result: Result<ReadReport, any Error>) {
        add(.ended(pedometer.id, result))
    }
    public func disconnected(_ pedometer: Pedometer, after seconds: Double) {
        add(.disconnected(pedometer.id, seconds: seconds))
    }
}

extension PedometerReader {
    /// Reads one pedometer.
    ///
    /// - Throws: the error with which the reading ended.
    @discardableResult
    public func read(_ pedometer: Pedometer, into receiver: RecordingReceiver) async throws -> ReadReport {
        await read([pedometer], for: receiver)
        guard let result = receiver.result(of: pedometer.id) else { throw ScriptedReader.Unscripted() }
        return try result.get()
    }

    /// For display only.
    public func follow(
        _ pedometer: Pedometer, known: KnownSteps, report: @escaping @Sendable (Int?) -> Void
    ) async throws -> Bool {
        try await follow(pedometer, known: known, keep: { _ in }, report: report)
    }
}
