/// Waits for a time server before a sync, on a machine whose clock stops while it is off: after a start, such a clock
/// shows the time at which the machine was switched off, or an older one, until a time server has set it.
///
/// A machine with a clock of its own is not made to wait: its clock is about right.
public struct ClockWait: Sendable {
    /// The longest wait. A time server is usually reached some seconds after the network.
    public static let limit = Duration.seconds(20)
    private static let pause = Duration.milliseconds(500)

    private let isBelieved: @Sendable () -> Bool
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - isBelieved: whether the machine has a clock that runs while it is off, or a time server has set its clock.
    ///   - clock: measures the wait.
    public init(isBelieved: @escaping @Sendable () -> Bool, clock: any Clock<Duration> = ContinuousClock()) {
        self.isBelieved = isBelieved
        self.clock = clock
    }

    /// - Parameter begins: called if it has to wait.
    /// - Returns: false if the clock may still be wrong.
    public func run(_ begins: @Sendable () -> Void = {}) async -> Bool {
        guard !isBelieved() else { return true }
        begins()
        var waited = Duration.zero
        while waited < Self.limit {
            guard (try? await clock.sleep(for: Self.pause)) != nil else { break }
            waited += Self.pause
            if isBelieved() { return true }
        }
        return isBelieved()
    }
}
