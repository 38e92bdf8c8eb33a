/// A clock on which time passes slower or faster than on the machine.
public struct ScaledClock: Clock, Sendable {
    public typealias Instant = TestInstant

    private let numerator: Int
    private let denominator: Int
    private let start = ContinuousClock.now

    private init(_ numerator: Int, _ denominator: Int) { (self.numerator, self.denominator) = (numerator, denominator) }

    /// Ten times slower: for limits that must not end because the machine is busy.
    public static var slow: ScaledClock { ScaledClock(1, 10) }

    /// A number of times as fast: waits for an answer that never comes are shorter. If the awaited answer does come, a
    /// loaded machine must have the time for it.
    public static func faster(_ factor: Int) -> ScaledClock { ScaledClock(factor, 1) }

    public var now: Instant { Instant(offset: start.duration(to: .now) * numerator / denominator) }
    public var minimumResolution: Duration { .nanoseconds(10) }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await ContinuousClock().sleep(
            until: start.advanced(by: deadline.offset * denominator / numerator), tolerance: nil)
    }
}
