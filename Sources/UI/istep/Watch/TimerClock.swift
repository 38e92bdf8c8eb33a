import Dispatch
import Synchronization

/// The suspending clock, with a timer for each sleeper that is taken back when the sleeper is woken before.
///
/// It stands still while the machine sleeps, as libdispatch's timers do. So a limit on a link counts only time in which something could
/// come; and a watch, which never pauses for more than a minute, looks at the time of day within a minute of waking up, whatever time its
/// machine has slept through. (What was left of a pause between two scans, five minutes at most, passes first.)
///
/// `Task.sleep` leaves its timer behind when it is cancelled, and so each limit that was kept wakes the process some time later; and it
/// runs on the queues that wake a process each second for ever (see `run_tasks_unwatched`).
struct TimerClock: Clock {
    typealias Instant = SuspendingClock.Instant

    var now: Instant { .now }
    var minimumResolution: Duration { SuspendingClock().minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper.begin($0, now.duration(to: deadline), tolerance ?? .zero) }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }
}

private final class Sleeper: Sendable {
    private enum State {
        case awake
        case asleep(CheckedContinuation<Void, any Error>)
        case over
    }

    private static let queue = DispatchQueue(label: "timers")
    private let state = Mutex(State.awake)
    // Dispatch sources may be used from any thread; only their Swift declaration on Linux does not say so.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)

    func begin(_ continuation: CheckedContinuation<Void, any Error>, _ length: Duration, _ tolerance: Duration) {
        let isCancelled = state.withLock { state in
            guard case .awake = state else { return true }
            state = .asleep(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        timer.schedule(deadline: .now() + max(0, length / .seconds(1)), leeway: .nanoseconds(Int(tolerance / .nanoseconds(1))))
        timer.setEventHandler { [weak self] in self?.end(.success(())) }
        timer.activate()        // also one that is cancelled: a source must not go without
    }

    func end(_ result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .over }
            return if case .asleep(let continuation) = state { continuation } else { nil }
        }
        timer.cancel()
        continuation?.resume(with: result)
    }
}
