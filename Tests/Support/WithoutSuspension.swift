extension Actor {
    /// Runs `body` on this actor, which does nothing else until `body` returns.
    ///
    /// For tests that call an actor thousands of times. Each call from outside is a suspension, after which the test
    /// waits for a thread of Swift's pool. On a busy machine that takes longer than the call.
    public func withoutSuspension<Result: Sendable>(
        _ body: @Sendable (isolated Self) throws -> Result
    ) rethrows -> Result {
        try body(self)
    }
}
