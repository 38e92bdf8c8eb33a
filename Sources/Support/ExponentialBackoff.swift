/// Exponential backoff: how long to wait after failures before the next attempt.
///
/// The first pause is doubled with each further failure, up to the longest one. It adds no jitter: at most a handful of
/// processes of one household try the same thing.
public struct ExponentialBackoff: Hashable, Sendable {
    /// The pause after the first failure.
    public let first: Duration
    /// The longest pause.
    public let longest: Duration

    /// - Precondition: `0 <= first <= longest`.
    public init(first: Duration, longest: Duration) {
        precondition(.zero <= first && first <= longest)
        self.first = first
        self.longest = longest
    }

    /// - Parameter failures: number of failures in a row; less than 1 counts as 1.
    /// - Returns: `first...longest`.
    public func pause(after failures: Int) -> Duration {
        var pause = first
        for _ in 0..<max(failures, 1) - 1 {
            // A doubled pause could be more than a `Duration` can hold.
            guard pause > .zero, pause < longest else { break }
            pause *= 2
        }
        return min(pause, longest)
    }

    /// The same in whole seconds.
    public func seconds(after failures: Int) -> Int { Int(pause(after: failures).components.seconds) }
}
