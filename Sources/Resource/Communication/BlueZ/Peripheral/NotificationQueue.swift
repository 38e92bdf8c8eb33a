internal import Synchronization

/// Notifications between the bus and their reader: unlimited in time, bounded in number and size, and never dropped
/// silently.
final class NotificationQueue: Sendable {
    enum Outcome: Sendable, Hashable {
        case value([UInt8])
        /// The last outcome: the link ended for this reason.
        case end(LinkEnd)
        case timedOut
        case cancelled
        /// More than `capacity` or `byteCapacity` arrived before they were read.
        case overrun
    }

    /// The fastest links deliver some thousand notifications a second. They are not read while a write waits for its
    /// answer (at most 3 × 5 s), and pedometers send some hundred a second.
    static let capacity = 16_384
    /// Bytes of all that wait: 16,384 notifications of an ordinary link (20 bytes each) take a third of it.
    static let byteCapacity = 1 << 20

    private struct Waiter {
        let id: Int
        /// On `stopwatch`; nil if it waits without a limit.
        let deadline: Duration?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    /// The one task that ends waits whose limit is over. When a value arrives, it is kept for the next wait, which
    /// usually follows at once: it then sleeps again for the rest of that.
    private struct Timer {
        let id: Int
        var wakes: Duration
        var task: Task<Void, Never>?
    }

    private struct State {
        var values: [[UInt8]] = []
        /// Taken from the front of `values`, which is compacted now and then, so that a burst does not shift the array
        /// each time.
        var taken = 0
        /// Bytes of the waiting values.
        var bytes = 0
        var end: LinkEnd?
        var isOverrun = false
        var waiter: Waiter?
        var timer: Timer?
        var nextID = 0

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }

        mutating func take() -> Outcome? {
            if taken < values.count {
                let value = values[taken]
                taken += 1
                bytes -= value.count
                if taken == values.count {
                    values.removeAll(keepingCapacity: values.capacity <= 1024)
                    taken = 0
                } else if taken >= 4096 {
                    values.removeFirst(taken)
                    taken = 0
                }
                return .value(value)
            }
            if isOverrun { return .overrun }
            return end.map { .end($0) }
        }
    }

    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let state = Mutex(State())

    init(clock: any Clock<Duration>) {
        self.clock = clock
        stopwatch = Stopwatch(clock)
    }

    deinit {
        state.withLock { $0.timer?.task }?.cancel()
    }

    func push(_ value: [UInt8]) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.end == nil, !state.isOverrun else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if state.values.count - state.taken >= Self.capacity || state.bytes + value.count > Self.byteCapacity {
                state.isOverrun = true
            } else {
                state.values.append(value)
                state.bytes += value.count
            }
            return nil
        }
        waiter?.continuation.resume(returning: .value(value))
    }

    /// The number of waiting values, and their bytes.
    var waiting: (count: Int, bytes: Int) { state.withLock { ($0.values.count - $0.taken, $0.bytes) } }

    /// Whether a reader waits.
    var isAwaited: Bool { state.withLock { $0.waiter != nil } }

    /// Ends the queue. Earlier values can still be read.
    func finish(_ end: LinkEnd) {
        let (waiter, timer) = state.withLock { state -> (waiter: Waiter?, timer: Task<Void, Never>?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = end
            defer { (state.waiter, state.timer) = (nil, nil) }
            return (state.waiter, state.timer?.task)
        }
        timer?.cancel()
        waiter?.continuation.resume(returning: .end(end))
    }

    /// The next value; with a limit, `timedOut` after that time. One reader at a time.
    func next(within limit: Duration?) async -> Outcome {
        if Task.isCancelled { return .cancelled }
        if let ready = state.withLock({ $0.take() }) { return ready }

        let deadline = limit.map { stopwatch.elapsed() + $0 }
        let id = state.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Outcome? in
                    if let ready = state.take() { return ready }
                    if Task.isCancelled { return .cancelled }
                    precondition(state.waiter == nil, "notifications have one reader")
                    state.waiter = Waiter(id: id, deadline: deadline, continuation: continuation)
                    return nil
                }
                if let ready { return continuation.resume(returning: ready) }
                if let deadline { arm(deadline) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard state.waiter?.id == id else { return nil }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    // MARK: The timer

    /// Starts the timer unless it wakes early enough.
    private func arm(_ deadline: Duration) {
        let (id, late) = state.withLock { state -> (Int?, Task<Void, Never>?) in
            guard state.end == nil, !state.isOverrun else { return (nil, nil) }
            if let timer = state.timer, timer.wakes <= deadline { return (nil, nil) }
            let late = state.timer?.task
            let id = state.makeID()
            state.timer = Timer(id: id, wakes: deadline)
            return (id, late)
        }
        late?.cancel()
        guard let id else { return }
        let pause = deadline - stopwatch.elapsed()
        let task = Task { [weak self, clock] in
            var pause: Duration? = pause
            while let length = pause {
                guard (try? await clock.sleep(for: length)) != nil else { return }
                pause = self?.wake(id)
            }
        }
        let isNeeded = state.withLock { state in
            guard state.timer?.id == id else { return false }
            state.timer?.task = task
            return true
        }
        if !isNeeded { task.cancel() }
    }

    /// Ends a wait whose limit is over.
    ///
    /// - Returns: how long the timer has to sleep for the present wait; nil if none needs it.
    private func wake(_ id: Int) -> Duration? {
        let now = stopwatch.elapsed()
        let (pause, late) = state.withLock { state -> (Duration?, Waiter?) in
            guard state.timer?.id == id else { return (nil, nil) }
            guard let waiter = state.waiter, let deadline = waiter.deadline else {
                state.timer = nil
                return (nil, nil)
            }
            guard deadline <= now else {
                state.timer?.wakes = deadline
                return (deadline - now, nil)
            }
            (state.waiter, state.timer) = (nil, nil)
            return (nil, waiter)
        }
        late?.continuation.resume(returning: .timedOut)
        return pause
    }
}
