/// The state of a destination as a whole: a server that is down is not asked again for every day.
public struct DestinationState: Hashable, Sendable {
    public let name: String
    /// The day on which it was first seen: earlier days are sent only on request, or if `since` includes them.
    public var firstDay: Day?
    /// Nothing is sent before then.
    public var notBefore: Timestamp?
    /// Failures in a row.
    public var failures: Int
    /// Why nothing is sent until the user acts; nil if it is not stopped.
    public var stopped: String?
    /// Why the last delivery failed; nil after one that was confirmed. It explains `notBefore`.
    public var lastError: String?
    /// `ShareTraits.layout` of the program that shared with it last.
    public var layout: Int

    public init(
        name: String, firstDay: Day? = nil, notBefore: Timestamp? = nil, failures: Int = 0, stopped: String? = nil,
        lastError: String? = nil, layout: Int = 0
    ) {
        self.name = name
        self.firstDay = firstDay
        self.notBefore = notBefore
        self.failures = failures
        self.stopped = stopped
        self.lastError = lastError
        self.layout = layout
    }

    /// When the destination is tried again by itself after a failure; nil if it does not have to wait, or if the user
    /// has to act.
    ///
    /// A time further ahead than the longest wait was recorded while the clock was wrong: it counts as over.
    public func nextAttempt(after now: Timestamp) -> Timestamp? {
        guard stopped == nil, let notBefore, now < notBefore, notBefore - now <= ShareRetry.maximumWait else {
            return nil
        }
        return notBefore
    }

    /// Whether nothing may be sent to the destination for now.
    public func isHeldBack(at now: Timestamp) -> Bool { stopped != nil || nextAttempt(after: now) != nil }

    /// A delivery was confirmed.
    package mutating func succeed() { release() }

    package mutating func fail(_ failure: ShareFailure, at now: Timestamp) {
        switch ShareRetry.consequence(of: failure) {
        case .unaffected: return
        case .delayed: break
        case .stopped: stopped = failure.reason
        }
        delay(failure, at: now)
    }

    /// Several days in a row were rejected, so the cause is most likely not in the days: the others wait as they do
    /// after a failure.
    package mutating func pause(after rejection: ShareFailure, at now: Timestamp) { delay(rejection, at: now) }

    private mutating func delay(_ failure: ShareFailure, at now: Timestamp) {
        lastError = failure.reason
        failures += 1
        notBefore = now + ShareRetry.wait(after: failure, failures: failures)
    }

    /// The user acted: nothing holds the destination back any longer.
    public mutating func release() {
        notBefore = nil
        failures = 0
        stopped = nil
        lastError = nil
    }
}
