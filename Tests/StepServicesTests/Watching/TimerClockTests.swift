import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct TimerClockTests {
    private let clock = TimerClock()

    @Test func `a sleep lasts at least the requested time`() async throws {
        let start = clock.now
        try await clock.sleep(for: .milliseconds(50))
        #expect(start.duration(to: clock.now) >= .milliseconds(50))
        // A deadline in the past causes no wait.
        try await clock.sleep(until: start, tolerance: nil)
    }

    @Test func `a cancelled sleep ends immediately`() async {
        let task = Task { try await clock.sleep(for: .seconds(86_400), tolerance: .seconds(1)) }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a task that is already cancelled does not sleep`() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(86_400))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// The order in which tasks whose deadlines have passed continue depends on the machine.
    @Test func `concurrent sleeps do not end early or end one another`() async throws {
        let long = Task { try await clock.sleep(for: .seconds(86_400)) }
        let start = clock.now
        let woken = try await withThrowingTaskGroup(of: (number: Int, moment: TimerClock.Instant).self) { group in
            for number in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(until: start.advanced(by: .milliseconds(20 * number)), tolerance: nil)
                    return (number, clock.now)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(woken.map(\.number)) == [1, 2, 3])
        #expect(woken.allSatisfy { start.duration(to: $0.moment) >= .milliseconds(20 * $0.number) })
        // The short sleepers have woken while the long one still sleeps.
        long.cancel()
        await #expect(throws: CancellationError.self) { try await long.value }
    }
}
