/// A clock on which time passes ten times slower than on the machine: for limits that must not end because the machine is busy.
public struct SlowClock: Clock, Sendable {
    public typealias Instant = ContinuousClock.Instant

    private let start = ContinuousClock.now

    public init() {}

    public var now: Instant { start.advanced(by: start.duration(to: .now) / 10) }
    public var minimumResolution: Duration { .nanoseconds(10) }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await ContinuousClock().sleep(for: now.duration(to: deadline) * 10)
    }
}
