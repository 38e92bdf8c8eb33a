internal import StepDomain
internal import Synchronization

/// A clock on which a sleep ends at once, at a time of day that has been moved to its end.
public final class SkippingClock: Clock, Sendable {
    public typealias Instant = TestInstant

    private let time: TestTime
    /// How many more sleeps end at once.
    private let left: Mutex<Int>

    /// - Parameters:
    ///   - time: the time of day, which sleeps move.
    ///   - sleeps: how many sleeps end at once. Later ones end only by cancellation.
    public init(_ time: TestTime, sleeps: Int = .max) {
        self.time = time
        left = Mutex(sleeps)
    }

    public var now: Instant { Instant(offset: .seconds(time.now.seconds)) }
    public var minimumResolution: Duration { .seconds(1) }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let endsAtOnce = left.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        guard endsAtOnce else {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        time.pass(max(0, Int((deadline.offset - now.offset).components.seconds)))
    }
}
