internal import Synchronization

/// What a task that waits and a thread that works have in common: how it ended, whoever said so first.
///
/// The thread may be stuck in a name server or a network when the task has long gone on; it asks before it lets anything go out.
final class Exchange: Sendable {
    typealias Outcome = Result<Void, MQTTError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var maySend = false
        var lastProgress = ContinuousClock.now
    }

    private let state = Mutex(State())
    /// Tells the thread to look again.
    let wakeup = Wakeup()

    // MARK: The task

    /// - Parameter start: called unless all is over already.
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

    /// Ends it if nothing has moved for so long.
    /// - Returns: how long there still is to wait; nil if it is over.
    func expire(after limit: Duration) -> Duration? {
        let left = state.withLock { state in
            state.outcome == nil ? limit - state.lastProgress.duration(to: .now) : nil
        }
        guard let left else { return nil }
        if left > .zero { return left }
        let seconds = limit.secondsText
        end {
            $0
                ? .failure(.unanswered(reason: "the broker was silent for \(seconds) s"))
                : .failure(.notSent(reason: "no connection with the broker came about within \(seconds) s"))
        }
        return nil
    }

    // MARK: The thread

    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// To be asked before the first message goes out.
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

extension Duration {
    /// Without the fraction that most limits do not have.
    fileprivate var secondsText: String {
        let (whole, rest) = components
        return rest == 0 ? String(whole) : String(Double(whole) + Double(rest) / 1e18)
    }
}
