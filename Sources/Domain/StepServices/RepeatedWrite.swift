import StepDomain
internal import Support

/// Writes what would be lost otherwise: the result of a delivery, or of setting a clock, is known only here.
///
/// Another program can keep the history locked for a while: the write is repeated, and each try waits as long as the
/// history itself waits. An error whose category is not `temporary` ends this at once.
///
/// - Throws: the last error of `write`.
func repeatedly(_ write: @escaping @Sendable () throws -> Void) async throws {
    try await blocking {
        for _ in 1..<maximumTries {
            do {
                return try write()
            } catch {
                if let error = error as? any CategorizedError, error.category != .temporary { throw error }
            }
        }
        try write()
    }
}

private let maximumTries = 12
