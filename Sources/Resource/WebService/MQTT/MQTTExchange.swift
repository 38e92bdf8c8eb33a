internal import Synchronization
internal import TextSafety

/// State that a waiting task and a working thread share: the outcome, as reported by the first of them.
///
/// The thread may be blocked by a name server or a network long after the task has continued; it checks this state before it sends
/// anything.
final class MQTTExchange: Sendable {
    typealias Outcome = Result<Void, MQTTError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var maySend = false
        var lastProgress = ContinuousClock.now
    }

    private let state = Mutex(State())
    /// Wakes the thread to check the state again.
    let wakeup = Wakeup()

    // MARK: The task

    /// - Parameter start: called unless there is an outcome already.
    func outcome(_ start: () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) } else { start() }
        }
    }

    func cancel() {
        end { .failure(.cancelled(wasSent: $0)) }
    }

    /// Ends the exchange if there was no progress for this long.
    /// - Returns: the time that is left to wait; nil if the exchange is over.
    func expire(after limit: Duration) -> Duration? {
        let left = state.withLock { state in
            state.outcome == nil ? limit - state.lastProgress.duration(to: .now) : nil
        }
        guard let left else { return nil }
        if left > .zero { return left }
        let seconds = brief(limit / Duration.seconds(1))
        end {
            $0
                ? .failure(.unanswered(reason: "the broker was silent for \(seconds) s"))
                : .failure(.notSent(reason: "no connection with the broker came about within \(seconds) s"))
        }
        return nil
    }

    // MARK: The thread

    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Must be called before the first message is sent.
    /// - Returns: false if it is too late.
    func beginSending() -> Bool {
        state.withLock { state in
            state.maySend = state.outcome == nil
            return state.maySend
        }
    }

    func progress() {
        state.withLock { $0.lastProgress = .now }
    }

    func finish(_ outcome: Outcome) {
        end { _ in outcome }
    }

    private func end(_ outcome: (_ maySend: Bool) -> Outcome) {
        let (continuation, result) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Outcome) in
            let result = state.outcome ?? outcome(state.maySend)
            defer { state.continuation = nil }
            state.outcome = result
            return (state.continuation, result)
        }
        wakeup.wake()
        continuation?.resume(returning: result)
    }
}
