internal import Synchronization

/// A clock that stands still until the test moves it.
public final class ManualClock: Clock, Sendable {
    public typealias Instant = TestInstant

    private struct Sleeper {
        let deadline: Instant
        let length: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let id: Int
        let length: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepCount = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.sleepCount += 1
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Start { case cancelled, over, asleep([Watcher]) }
                let start = state.withLock { state -> Start in
                    if Task.isCancelled { return .cancelled }
                    if deadline <= state.now { return .over }
                    let length = state.now.duration(to: deadline)
                    state.sleepers[id] = Sleeper(deadline: deadline, length: length, continuation: continuation)
                    let watchers = state.watchers.filter { $0.length == length }
                    state.watchers.removeAll { $0.length == length }
                    return .asleep(watchers)
                }
                switch start {
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .over: continuation.resume()
                case .asleep(let watchers): for watcher in watchers { watcher.continuation.resume() }
                }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock and wakes the sleepers whose deadline has passed.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.sorted { $0.value.deadline < $1.value.deadline }.map(\.value)
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once a task sleeps that asked for this duration, or when the task is cancelled, as by the time limit of
    /// a test.
    public func sleeping(for length: Duration) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.sleepers.values.contains(where: { $0.length == length }) {
                        return true
                    }
                    state.watchers.append(Watcher(id: id, length: length, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
            }?.continuation.resume()
        }
    }

    /// The number of sleeping tasks that asked for this duration.
    public func sleepers(for length: Duration) -> Int {
        state.withLock { $0.sleepers.values.count { $0.length == length } }
    }

    /// The number of sleeps that have been begun.
    public var sleepCount: Int { state.withLock { $0.sleepCount } }

    /// Waits until a task sleeps for this duration, then advances the clock by it.
    public func pass(_ length: Duration) async {
        await sleeping(for: length)
        advance(by: length)
    }
}
