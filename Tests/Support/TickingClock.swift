public import StepDomain
internal import Synchronization

/// A clock that goes on by a second each time that somebody looks.
public final class TickingClock: Sendable {
    private let seconds: Mutex<Int>

    /// - Parameter start: one second before the first look.
    public init(_ start: Int) { seconds = Mutex(start) }

    public func now() -> Timestamp {
        seconds.withLock { seconds in
            seconds += 1
            return Timestamp(seconds)
        }
    }
}
