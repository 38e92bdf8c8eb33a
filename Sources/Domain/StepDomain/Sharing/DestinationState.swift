/// How a destination as a whole stands: a server that is down is not asked again for every day.
public struct DestinationState: Hashable, Sendable {
    public let name: String
    /// The day on which it was first met: what was before goes there only when asked for, or by `since`.
    public var firstDay: Day?
    /// Nothing is sent before then.
    public var notBefore: Timestamp?
    /// Failures in a row.
    public var failures: Int
    /// Why nothing is sent until the user acts; nil where all is well.
    public var stopped: String?

    public init(
        name: String, firstDay: Day? = nil, notBefore: Timestamp? = nil, failures: Int = 0, stopped: String? = nil
    ) {
        self.name = name
        self.firstDay = firstDay
        self.notBefore = notBefore
        self.failures = failures
        self.stopped = stopped
    }

    /// A delivery was confirmed.
    mutating func succeed() {
        notBefore = nil
        failures = 0
        stopped = nil
    }

    mutating func fail(_ failure: ShareFailure, at now: Timestamp) {
        switch failure.kind {
        // One day's trouble, or the user's to mend: no time has to pass.
        case .rejected, .misconfigured: return
        case .credentials: stopped = failure.reason
        case .unreachable, .busy, .unanswered: break
        }
        failures += 1
        notBefore = now + max(Self.backoff(failures), min(failure.retryAfter ?? 0, Self.longestWait))
    }

    /// The user acted: whatever held it back is no more.
    public mutating func release() {
        notBefore = nil
        failures = 0
        stopped = nil
    }

    /// Seconds: one minute after the first failure, then twice as long each time, at most six hours, so that a nightly
    /// sync always finds its destinations due.
    static func backoff(_ failures: Int) -> Int { min(60 << min(max(failures - 1, 0), 16), 6 * 3600) }

    /// Seconds. No server is believed that asks for more than a day.
    static let longestWait = 86_400
}
