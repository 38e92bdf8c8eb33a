/// Runs `work`, but no longer than `limit` by the clock. Nil if the time ran out; `work` is cancelled then and its end
/// awaited. If the calling task is cancelled, `work` is cancelled too, and its result is returned.
func limited<T: Sendable>(
    _ limit: Duration, _ clock: any Clock<Duration>, _ work: @escaping @Sendable () async -> T
) async -> T? {
    await limited(by: { try await clock.sleep(for: limit) }, work)
}

/// Runs `work`, but no longer than until `sleep` returns; otherwise as above.
func limited<T: Sendable>(
    by sleep: @escaping @Sendable () async throws -> Void, _ work: @escaping @Sendable () async -> T
) async -> T? {
    await withTaskGroup(of: LimitedEvent<T>.self) { group in
        group.addTask { .done(await work()) }
        group.addTask { (try? await sleep()) == nil ? .stopped : .timeUp }
        var result: T?
        for await event in group {
            switch event {
            case .done(let value): result = value
            case .timeUp: break
            // The sleeping task was cancelled with the caller: `work` is about to end, and its result counts.
            case .stopped: continue
            }
            break
        }
        group.cancelAll()
        return result
    }
}

private enum LimitedEvent<T: Sendable>: Sendable { case done(T), timeUp, stopped }

/// Measures the time since its creation on a clock.
package struct Stopwatch: Sendable {
    package let elapsed: @Sendable () -> Duration

    package init(_ clock: any Clock<Duration>) {
        elapsed = Self.start(clock)
    }

    private static func start<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
