/// Runs `body`, then `cleanup` in every case: return, error and cancellation.
///
/// - Throws: what `body` throws.
package func cleaningUp<R, E: Error>(
    isolation: isolated (any Actor)? = #isolation, _ cleanup: () async -> Void, after body: () async throws(E) -> R
) async throws(E) -> R {
    let result = try await cleaningUpOnFailure(isolation: isolation, cleanup, after: body)
    await cleanup()
    return result
}

/// Runs `body`, and `cleanup` only if that throws: for what is to be used after `body`.
///
/// - Throws: what `body` throws.
package func cleaningUpOnFailure<R, E: Error>(
    isolation: isolated (any Actor)? = #isolation, _ cleanup: () async -> Void, after body: () async throws(E) -> R
) async throws(E) -> R {
    do throws(E) {
        return try await body()
    } catch {
        await cleanup()
        throw error
    }
}

/// Runs `work` to its end even if the calling task is cancelled: for a cleanup that must be done in every case.
package func uncancelled<T: Sendable>(_ work: @escaping @Sendable () async -> T) async -> T {
    await Task { await work() }.value
}
