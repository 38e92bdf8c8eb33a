import TestSupport
import Testing

/// The clock of the tests: no task sleeps on it for ever.
@Suite(.timeLimit(.minutes(5))) struct ManualClockTests {
    private let clock = ManualClock()

    @Test func `a sleeper wakes when its time has come, and not before`() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        await clock.sleeping(for: .seconds(10))
        clock.advance(by: .seconds(9))
        #expect(clock.sleepers(for: .seconds(10)) == 1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
        #expect(clock.sleepers(for: .seconds(10)) == 0)
    }

    @Test func `a time that has passed is not waited for`() async throws {
        let past = clock.now
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: past)
    }

    @Test func `a cancelled sleeper ends at once`() async {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        await clock.sleeping(for: .seconds(10))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleepers(for: .seconds(10)) == 0)
    }

    @Test func `a task that is cancelled before it sleeps does not sleep`() async {
        let sleeper = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `waiting for a sleeper ends when the task is cancelled`() async {
        let waiter = Task { [clock] in await clock.pass(.seconds(10)) }
        waiter.cancel()
        await waiter.value
    }
}
