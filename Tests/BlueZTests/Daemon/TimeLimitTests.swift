import TestSupport
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
struct TimeLimitTests {
    let clock = ManualClock()

    /// Ends only by cancellation.
    @Sendable private static func forever() async -> String {
        await AsyncStream<Void>.makeStream().stream.first { _ in true }
        return Task.isCancelled ? "cancelled" : "ended"
    }

    @Test func `work within its time gives its value`() async {
        #expect(await limited(.seconds(1), clock) { 42 } == 42)
    }

    @Test func `a timeout returns nil and ends the work`() async {
        let clock = clock
        async let result = limited(.seconds(1), clock) { await Self.forever() }
        await clock.pass(.seconds(1))
        #expect(await result == nil)
    }

    @Test func `when the caller is cancelled, the result of the cancelled work is returned`() async {
        let clock = clock
        let task = Task { await limited(.seconds(1), clock) { await Self.forever() } }
        await clock.sleeping(for: .seconds(1))
        task.cancel()
        #expect(await task.value == "cancelled")
    }

    @Test func `a stopwatch uses its clock`() {
        let stopwatch = Stopwatch(clock)
        clock.advance(by: .seconds(3))
        #expect(stopwatch.elapsed() == .seconds(3))
    }
}
