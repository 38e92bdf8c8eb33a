internal import Support

/// How long the steps of a connection may take, and how often connecting is tried.
public struct ConnectionLimits: Sendable, Hashable {
    /// Time until the peripheral is heard. Many advertise only once in one or two seconds.
    public var scan: Duration
    /// Time for one attempt to connect. The kernel itself gives up after about 20 s.
    public var connect: Duration
    /// Time from the connection until all services are known.
    public var services: Duration
    /// Time for one read, write or subscription. BlueZ drops a peripheral that leaves a request unanswered for 30 s.
    public var operation: Duration
    /// Time for pairing: a person may have to type six digits.
    public var pairing: Duration
    /// Attempts to connect, at least 1.
    public var attempts: Int
    /// The wait before the third attempt; it doubles from there. The second one follows at once.
    public var backoff: Duration

    /// The usual limits, or the given ones; istep takes `scan` from its settings. `attempts` below 1 count as 1.
    public init(
        scan: Duration = .seconds(20), connect: Duration = .seconds(30), services: Duration = .seconds(20),
        operation: Duration = .seconds(10), pairing: Duration = .seconds(60), attempts: Int = 4,
        backoff: Duration = .seconds(1)
    ) {
        self.scan = scan
        self.connect = connect
        self.services = services
        self.operation = operation
        self.pairing = pairing
        self.attempts = max(1, attempts)
        self.backoff = backoff
    }
}

/// Whether, when and how a connection attempt is repeated.
struct RetryPolicy {
    enum Step: Equatable {
        case again(after: Duration, Approach)
        case giveUp(ConnectFailure)
    }

    /// An attempt that took this long probably ran into the kernel's limit (20 s): the cause is a peripheral that is
    /// out of range rather than a disturbed link.
    static let slow: Duration = .seconds(15)

    let limits: ConnectionLimits
    let isPaired: Bool
    /// Whether BlueZ may be made to remove a peripheral that it does not connect to and does not disconnect.
    let recovers: Bool
    private var attempt = 0
    /// Attempts that BlueZ's own state prevented.
    private var blocked = 0
    private var hasRemoved = false
    private var suspicious = 0
    private var hasVanished = false

    /// - Parameter isPhantom: whether BlueZ shows a link that has stayed after `Disconnect`: the first failure.
    init(limits: ConnectionLimits, isPaired: Bool, recovers: Bool = false, isPhantom: Bool = false) {
        blocked = isPhantom ? 1 : 0
        self.limits = limits
        self.isPaired = isPaired
        self.recovers = recovers
    }

    mutating func next(after failure: ConnectFailure, took: Duration) -> Step {
        attempt += 1
        // BlueZ reports the same error for a stale bond and for a bad link. A broken pairing is suspected after three
        // in a row; a bond is never removed here, because that cannot be undone.
        let isSuspicious = [.linkFailed, .droppedAgain, .notConnectedAfterAll].contains(failure.reason)
        suspicious = isSuspicious && isPaired ? suspicious + 1 : 0
        var failure = failure
        failure.suspectsPairing = suspicious >= 3

        if [.busy, .stuck].contains(failure.reason) { return next(afterBlock: failure) }
        guard failure.isTransient, attempt < limits.attempts else { return .giveUp(failure) }

        if failure.reason == .vanished { hasVanished = true }
        // After `le-connection-abort-by-local` an immediate second attempt works best; further attempts back off.
        let backoff = ExponentialBackoff(first: limits.backoff, longest: limits.backoff * 64)
        let wait: Duration = attempt == 1 ? .zero : backoff.pause(after: attempt - 1)
        if hasVanished { return .again(after: wait, .whileDiscovering) }
        let isFar = took >= Self.slow && [.linkFailed, .timedOut].contains(failure.reason)
        return .again(after: wait, isFar || attempt >= 3 ? .afterDiscovery : .direct)
    }

    /// Another program may be connecting, so the first failure is only waited for. But BlueZ may also answer
    /// `InProgress` until the peripheral is removed from it, or show a link that does not exist
    /// (Bluetooth-Devices/bleak-retry-connector issue 226).
    private mutating func next(afterBlock failure: ConnectFailure) -> Step {
        blocked += 1
        let isLast = attempt >= limits.attempts
        switch (blocked, failure.reason) {
        case (1, .busy) where !isLast: return .again(after: limits.backoff, .direct)
        // The attempt that failed has called Disconnect already.
        case (1, .stuck) where !isLast: return .again(after: .zero, .direct)
        case (2, .busy) where !isLast: return .again(after: limits.backoff, .afterDisconnecting)
        default: break
        }
        // A bond is never removed, because that cannot be undone.
        if recovers, !isPaired, !hasRemoved {
            hasRemoved = true
            return .again(after: .zero, .afterRemoving)
        }
        return .giveUp(blocked > 1 ? ConnectFailure(.stuck, detail: failure.detail) : failure)
    }
}

/// How an attempt to connect begins.
enum Approach: Hashable {
    /// At once: BlueZ has an object for the peripheral.
    case direct
    /// After the peripheral was heard and discovery was stopped again.
    case afterDiscovery
    /// After the peripheral was heard, while discovery continues.
    case whileDiscovering
    /// After `Disconnect`, which also ends an attempt.
    case afterDisconnecting
    /// After BlueZ has removed the peripheral, and it was heard again.
    case afterRemoving
}

extension Duration {
    /// The duration in seconds, for messages and for D-Bus.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
