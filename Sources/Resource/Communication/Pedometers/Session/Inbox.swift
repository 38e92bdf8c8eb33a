/// Notifications on their way from the link to a session: none is lost while the session decides, and waiting for the next
/// one ends by time, by the end of the link, or by cancellation.
actor Inbox {
    private var waiting: (id: Int, continuation: CheckedContinuation<[UInt8]?, any Error>)?
    private var values: [[UInt8]] = []
    private var head = 0
    private var end: (any Error)?
    private var nextID = 0
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    func put(_ value: [UInt8]) {
        if let waiter = waiting {
            waiting = nil
            waiter.continuation.resume(returning: value)
        } else {
            values.append(value)
        }
    }

    /// No more will come. What is here already can still be taken.
    func close(_ error: any Error) {
        end = end ?? error
        if let waiter = waiting {
            waiting = nil
            waiter.continuation.resume(throwing: error)
        }
    }

    /// The next value, or nil when none came in time.
    ///
    /// - Throws: what the inbox was closed with, once it is empty.
    func next(within limit: Duration) async throws -> [UInt8]? {
        if head < values.count {
            head += 1
            let value = values[head - 1]
            if head == values.count { (values, head) = ([], 0) }
            return value
        }
        if let end { throw end }
        let id = nextID
        nextID += 1
        let timer = Task { [clock] in
            try await clock.sleep(for: limit)
            self.release(id, .success(nil))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting = (id, continuation)
                }
            }
        } onCancel: {
            Task { await self.release(id, .failure(CancellationError())) }
        }
    }

    private func release(_ id: Int, _ result: Result<[UInt8]?, any Error>) {
        guard let waiter = waiting, waiter.id == id else { return }
        waiting = nil
        waiter.continuation.resume(with: result)
    }
}
