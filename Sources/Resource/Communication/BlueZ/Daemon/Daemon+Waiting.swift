extension Daemon {
    /// Somebody who waits for a state of the cache.
    struct Waiter {
        /// Whether it was decided; the waiting task goes on then.
        let poll: (ObjectCache) -> Bool
        let fail: (BluetoothError) -> Void
    }

    /// Waits until `check` decides. It is asked now and after every single change.
    func wait<T: Sendable>(
        limit: Duration, doing operation: String,
        _ check: @escaping @Sendable (ObjectCache) -> Result<T, BluetoothError>?
    ) async throws(BluetoothError) -> T {
        if let end { throw end }
        if let result = check(cache) { return try result.get() }
        if Task.isCancelled { throw .cancelled }

        let id = makeID()
        let timer = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            self.fail(id, .timedOut(operation: operation, seconds: limit.inSeconds))
        }
        defer { timer.cancel() }
        let result: Result<T, BluetoothError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                waiters[id] = Waiter(
                    poll: { cache in
                        guard let result = check(cache) else { return false }
                        continuation.resume(returning: result)
                        return true
                    },
                    fail: { continuation.resume(returning: .failure($0)) })
            }
        } onCancel: {
            Task { await self.fail(id, .cancelled) }
        }
        return try result.get()
    }

    private func fail(_ id: Int, _ error: BluetoothError) {
        waiters.removeValue(forKey: id)?.fail(error)
    }
}
