import Foundation
import Testing
import TestSupport

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct SignalHandlersTests {
    /// SIGURG has no action by default: an earlier one would be lost, and the time limit would end this test. Once:
    /// Dispatch does not undo its registration, so that a second source of the same signal would miss none.
    @Test func `a signal that follows the registration at once is handled`() async {
        let (signals, received) = AsyncStream<Int32>.makeStream()
        let handlers = SignalHandlers([SIGURG]) { received.yield($0) }
        await handlers.registered()
        kill(getpid(), SIGURG)
        for await number in signals {
            #expect(number == SIGURG)
            break
        }
        handlers.cancel()
    }
}
