public import Foundation
public import StepDomain
internal import Synchronization

/// A time of day that stands still until the test moves it.
public final class TestTime: Sendable {
    private let state: Mutex<Timestamp>

    public init(_ start: Timestamp) { state = Mutex(start) }

    public var now: Timestamp {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    public func pass(_ seconds: Int) { state.withLock { $0 = $0 + seconds } }

    /// The time in the form that simulated pedometers ask for.
    public var date: @Sendable () -> Date { { Date(timeIntervalSince1970: TimeInterval(self.now.seconds)) } }
}
