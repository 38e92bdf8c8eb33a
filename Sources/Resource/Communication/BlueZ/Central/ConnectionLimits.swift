/// How long the steps of a connection may take, and how often connecting is tried.
public struct ConnectionLimits: Sendable, Hashable {
    /// Until the peripheral is heard. Many advertise only once in one or two seconds.
    public var scan: Duration
    /// For one attempt to connect. The kernel itself gives up after about 20 s.
    public var connect: Duration
    /// From the connection until all services are known.
    public var services: Duration
    /// For one read, write or subscription. BlueZ drops a peripheral that leaves a request unanswered for 30 s.
    public var operation: Duration
    /// For pairing: a person may have to type six digits.
    public var pairing: Duration
    /// Attempts to connect, at least 1.
    public var attempts: Int
    /// The wait before the third attempt; it doubles from there. The second one follows at once.
    public var backOff: Duration

    /// The usual limits, or the given ones. `attempts` below 1 count as 1.
    public init(
        scan: Duration = .seconds(20), connect: Duration = .seconds(30), services: Duration = .seconds(20),
        operation: Duration = .seconds(10), pairing: Duration = .seconds(60), attempts: Int = 4,
        backOff: Duration = .seconds(1)
    ) {
        self.scan = scan
        self.connect = connect
        self.services = services
        self.operation = operation
        self.pairing = pairing
        self.attempts = max(1, attempts)
        self.backOff = backOff
    }
}

extension Duration {
    /// For messages and for D-Bus.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
