/// Exponential back-off: how long to wait after failures before the next attempt.
///
/// The first pause is doubled with each further failure, up to the longest one. There is no jitter: at most a handful of processes of one
/// household try the same thing.
///
/// `BlueZ` is a library of its own, which imports nothing of the domain. It has its own back-off where a pause depends on the kind of
/// failure (`ScanPace.swift`, `ListeningRetry.swift`, `RetryPolicy.swift`, `Daemon+Owner.swift`).
public struct Backoff: Hashable, Sendable {
    /// Seconds after the first failure.
    public let first: Int
    /// Seconds; no pause is longer.
    public let longest: Int

    /// - Precondition: `0 < first <= longest`.
    public init(first: Int, longest: Int) {
        precondition(0 < first && first <= longest)
        self.first = first
        self.longest = longest
    }

    /// - Parameter failures: in a row; less than 1 counts as 1.
    /// - Returns: seconds, `first...longest`.
    public func pause(after failures: Int) -> Int {
        // More doublings than an `Int` has bits shift every bit out.
        let (pause, isTooLong) = first.multipliedReportingOverflow(by: 1 << min(max(failures, 1) - 1, Int.bitWidth - 2))
        return isTooLong ? longest : min(pause, longest)
    }
}
