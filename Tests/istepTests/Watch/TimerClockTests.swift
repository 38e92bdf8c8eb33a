import Testing

@testable import istep

@Suite(.timeLimit(.minutes(1))) struct TimerClockTests {
    private let clock = TimerClock()

    @Test func itSleepsAsLongAsItIsAskedTo() async throws {
        let start = clock.now
        try await clock.sleep(for: .milliseconds(50))
        #expect(start.duration(to: clock.now) >= .milliseconds(50))
        // What has passed is not waited for.
        try await clock.sleep(until: start, tolerance: nil)
    }

    @Test func whoeverIsCancelledWakesAtOnce() async {
        let task = Task { try await clock.sleep(for: .seconds(86_400), tolerance: .seconds(1)) }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func whoeverWasCancelledBeforeDoesNotSleep() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(86_400))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func manySleepersWakeInTheirOrder() async throws {
        let order = await withTaskGroup(of: Int.self) { group in
            for number in [3, 1, 2] {
                group.addTask {
                    try? await clock.sleep(for: .milliseconds(100 * number))
                    return number
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(order == [1, 2, 3])
    }
}
