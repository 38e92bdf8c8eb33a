public import StepDomain
internal import Synchronization

/// A clock that advances by one second each time it is read.
public final class TickingClock: Sendable {
    private let seconds: Mutex<Int>

    /// - Parameter start: one second before the first time that is read.
    public init(_ start: Int) { seconds = Mutex(start) }

    public func now() -> Timestamp {
        seconds.withLock { seconds in
            seconds += 1
            return Timestamp(seconds)
        }
    }
}
