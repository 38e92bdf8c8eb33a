import Synchronization

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())
    /// The lengths of the sleeps that have begun, in their order.
    let sleeps: AsyncStream<Duration>
    private let sleepStarted: AsyncStream<Duration>.Continuation

    init() { (sleeps, sleepStarted) = AsyncStream.makeStream() }

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let length = state.withLock { state -> Duration? in
                    if state.cancelled.remove(number) != nil { return nil }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return state.now.duration(to: deadline)
                }
                guard let length else { return continuation.resume(throwing: CancellationError()) }
                sleepStarted.yield(length)
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets the time pass and wakes whoever has slept enough, the earliest first.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until somebody sleeps for just this long.
    func waitForSleep(of length: Duration) async {
        for await sleep in sleeps where sleep == length { return }
    }
}
