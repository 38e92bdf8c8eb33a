internal import Dispatch
internal import Synchronization

/// The suspending clock, with a timer for each sleeper. The timer is cancelled if the sleeper is woken earlier.
///
/// It stands still while the machine sleeps, as libdispatch's timers do. So a limit on a link counts only time in which
/// data could arrive. A watch, which never pauses for more than a minute, reads the time of day within a minute after
/// the machine wakes up, however long the machine has slept. (The rest of a pause between two scans, five minutes at
/// most, passes first.)
///
/// `Task.sleep` does not remove its timer when it is cancelled, so each limit that was not exceeded wakes the process
/// some time later. It also runs on the queues that wake a process every second from then on (see
/// `run_tasks_unwatched`).
public struct TimerClock: Clock {
    public typealias Instant = SuspendingClock.Instant

    public init() {}

    public var now: Instant { .now }
    public var minimumResolution: Duration { SuspendingClock().minimumResolution }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                sleeper.begin($0, now.duration(to: deadline), tolerance ?? .zero)
            }
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
    // Unsafe only for the compiler: libdispatch's functions on a source may be called from any thread
    // (dispatch_source_create(3)), but its Swift declarations on Linux lack `Sendable`. The reference itself never
    // changes.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)

    func begin(_ continuation: CheckedContinuation<Void, any Error>, _ length: Duration, _ tolerance: Duration) {
        let isCancelled = state.withLock { state in
            guard case .awake = state else { return true }
            state = .asleep(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        timer.schedule(
            deadline: .now() + max(0, length / .seconds(1)), leeway: .nanoseconds(Int(tolerance / .nanoseconds(1))))
        timer.setEventHandler { [weak self] in self?.end(.success(())) }
        timer.activate()  // even if it is cancelled: a source must be activated before it is released
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
