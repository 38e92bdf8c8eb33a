import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
struct NotificationQueueTests {
    let queue = NotificationQueue()
    let clock = ManualClock()

    private func next(within limit: Duration? = nil) async -> NotificationQueue.Outcome {
        await queue.next(within: limit, clock: clock)
    }

    @Test func `keeps everything in order, however late it is read`() async {
        for n in 0..<1000 { queue.push([UInt8(n & 255), UInt8(n >> 8)]) }
        queue.finish(.dropped)
        for n in 0..<1000 { #expect(await next() == .value([UInt8(n & 255), UInt8(n >> 8)])) }
        #expect(await next() == .end(.dropped))
        #expect(await next() == .end(.dropped))
    }

    @Test func `hands over to who waits`() async {
        async let value = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.push([7])
        #expect(await value == .value([7]))
    }

    @Test func `the end wakes who waits, and nothing comes after it`() async {
        async let outcome = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.finish(.adapterGone("hci0"))
        #expect(await outcome == .end(.adapterGone("hci0")))
        queue.push([1])
        queue.finish(.dropped)
        #expect(await next() == .end(.adapterGone("hci0")))
    }

    @Test func `a limit passes without losing what comes later`() async {
        async let outcome = next(within: .seconds(5))
        await clock.pass(.seconds(5))
        #expect(await outcome == .timedOut)
        queue.push([1])
        #expect(await next(within: .seconds(5)) == .value([1]))
    }

    @Test func `cancellation wakes who waits`() async {
        let task = Task { await next(within: .seconds(5)) }
        await clock.sleeping(for: .seconds(5))
        task.cancel()
        #expect(await task.value == .cancelled)
        queue.push([1])
        #expect(await next() == .value([1]))
    }

    @Test func `more than anybody could want to keep is an error, not a gap`() async {
        for _ in 0...NotificationQueue.capacity { queue.push([1]) }
        for _ in 0..<NotificationQueue.capacity { #expect(await next() == .value([1])) }
        #expect(await next() == .overrun)
    }
}
