import Dispatch

/// Runs what may wait for a disk on a thread of its own: a file system that does not answer would else hold the few threads on which
/// everything waits for its turn, the limits of time too.
func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}
