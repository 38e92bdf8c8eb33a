internal import Synchronization

/// Notifications between the bus and who reads them: unbounded in time, bounded in number, and never one dropped
/// silently.
final class NotificationQueue: Sendable {
    enum Outcome: Sendable, Hashable {
        case value([UInt8])
        /// No more: the link ended so.
        case end(LinkEnd)
        case timedOut
        case cancelled
        /// More came than `capacity` before anybody took them.
        case overrun
    }

    /// A link brings some hundred notifications a second at most: this is minutes of nobody reading.
    static let capacity = 65_536

    private struct State {
        var values: [[UInt8]] = []
        /// Taken from the front of `values`; compacted now and then, so that a burst costs no shifting.
        var taken = 0
        var end: LinkEnd?
        var isOverrun = false
        var waiting: (id: Int, continuation: CheckedContinuation<Outcome, Never>)?
        var nextID = 0

        mutating func take() -> Outcome? {
            if taken < values.count {
                let value = values[taken]
                taken += 1
                if taken == values.count {
                    values.removeAll(keepingCapacity: true)
                    taken = 0
                }
                return .value(value)
            }
            if isOverrun { return .overrun }
            return end.map { .end($0) }
        }
    }

    private let state = Mutex(State())

    func push(_ value: [UInt8]) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.end == nil, !state.isOverrun else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting.continuation
            }
            if state.values.count - state.taken >= Self.capacity {
                state.isOverrun = true
            } else {
                state.values.append(value)
            }
            return nil
        }
        waiting?.resume(returning: .value(value))
    }

    /// What came before stays to be read.
    func finish(_ end: LinkEnd) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.waiting = nil }
            return state.waiting?.continuation
        }
        waiting?.resume(returning: .end(end))
    }

    /// The next one; with a limit, `timedOut` after that. One reader at a time.
    func next(within limit: Duration?, clock: any Clock<Duration>) async -> Outcome {
        if Task.isCancelled { return .cancelled }
        if let ready = state.withLock({ $0.take() }) { return ready }

        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = limit.map { limit in
            Task {
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                self.give(up: id, .timedOut)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Outcome? in
                    if let ready = state.take() { return ready }
                    if Task.isCancelled { return .cancelled }
                    precondition(state.waiting == nil, "notifications have one reader")
                    state.waiting = (id, continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            give(up: id, .cancelled)
        }
    }

    private func give(up id: Int, _ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.waiting?.id == id else { return nil }
            defer { state.waiting = nil }
            return state.waiting?.continuation
        }
        waiting?.resume(returning: outcome)
    }
}
