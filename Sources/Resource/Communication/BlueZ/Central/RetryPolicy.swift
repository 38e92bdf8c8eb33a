internal import Backoff

/// Whether, when and how a connection attempt is repeated.
struct RetryPolicy {
    enum Step: Equatable {
        case again(after: Duration, Approach)
        case giveUp(ConnectFailure)
    }

    /// An attempt that took this long probably ran into the kernel's limit (20 s): the cause is a peripheral that is out of range rather than
    /// a disturbed link.
    static let slow: Duration = .seconds(15)

    let limits: ConnectionLimits
    let isPaired: Bool
    private var attempt = 0
    private var suspicious = 0
    private var isVanishing = false

    init(limits: ConnectionLimits, isPaired: Bool) {
        self.limits = limits
        self.isPaired = isPaired
    }

    mutating func next(after failure: ConnectFailure, took: Duration) -> Step {
        attempt += 1
        // BlueZ reports the same error for a stale bond and for a bad link. A broken pairing is suspected after three in a row; a bond is
        // never removed here, because that cannot be undone.
        let isSuspicious = [.linkFailed, .droppedAgain, .notConnectedAfterAll].contains(failure.reason)
        suspicious = isSuspicious && isPaired ? suspicious + 1 : 0
        var failure = failure
        failure.suspectsPairing = suspicious >= 3

        guard failure.isTransient, attempt < limits.attempts else { return .giveUp(failure) }

        if failure.reason == .vanished { isVanishing = true }
        // After `le-connection-abort-by-local` an immediate second attempt works best; further attempts back off.
        let isFirst = attempt == 1 && failure.reason != .busy
        let backoff = ExponentialBackoff(first: limits.backOff, longest: limits.backOff * 64)
        let wait: Duration = isFirst ? .zero : backoff.pause(after: attempt - 1)
        if isVanishing { return .again(after: wait, .whileDiscovering) }
        let isFar = took >= Self.slow && [.linkFailed, .timedOut].contains(failure.reason)
        return .again(after: wait, isFar || attempt >= 3 ? .afterDiscovery : .direct)
    }
}
