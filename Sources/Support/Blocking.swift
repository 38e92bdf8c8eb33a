internal import Dispatch
internal import Synchronization

/// Runs work that may block (on a disk, or up to 5 s on another process's lock) on a thread of its own.
///
/// Swift runs all tasks on as many threads as there are CPUs. A few waiting tasks would stop all others, including time
/// limits.
///
/// Each call uses a queue of its own: libdispatch starts a thread for any number of such serial queues. Its global
/// concurrent queue has a limit, and wakes the process once a second from its first use on
/// (`_dispatch_workq_monitor_pools`), which a program that waits for days should not do. Cancellation of the task does
/// not interrupt the work.
///
/// `body` and everything that it captured are released before this function returns, so that a history that only `body`
/// holds is closed before the program ends.
package func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        let work = Work(body)
        DispatchQueue(label: "istep.blocking").async { continuation.resume(with: work.run()) }
    }
}

/// Work that is run once and then released: the queue holds its block until after the continuation was resumed.
private final class Work<R: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws -> R)?>

    init(_ body: @escaping @Sendable () throws -> R) { self.body = Mutex(body) }

    /// - Precondition: it was not run before.
    func run() -> Result<R, any Error> {
        guard let body = body.withLock({ $0.take() }) else { preconditionFailure("work is run once") }
        return Result(catching: body)
    }
}
