import TestSupport
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
struct NotificationQueueTests {
    let queue: NotificationQueue
    let clock = ManualClock()

    init() { queue = NotificationQueue(clock: clock) }

    private func next(within limit: Duration? = nil) async -> NotificationQueue.Outcome {
        await queue.next(within: limit)
    }

    @Test func `all values are kept in order, however late they are read`() async {
        for n in 0..<1000 { queue.push([UInt8(n & 255), UInt8(n >> 8)]) }
        queue.finish(.dropped)
        for n in 0..<1000 { #expect(await next() == .value([UInt8(n & 255), UInt8(n >> 8)])) }
        #expect(await next() == .end(.dropped))
        #expect(await next() == .end(.dropped))
    }

    @Test func `a waiting reader receives the value`() async {
        async let value = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.push([7])
        #expect(await value == .value([7]))
    }

    @Test func `the end wakes a waiting reader, and no value follows it`() async {
        async let outcome = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.finish(.adapterGone("hci0"))
        #expect(await outcome == .end(.adapterGone("hci0")))
        queue.push([1])
        queue.finish(.dropped)
        #expect(await next() == .end(.adapterGone("hci0")))
    }

    @Test func `after a timeout, later values are still received`() async {
        async let outcome = next(within: .seconds(5))
        await clock.pass(.seconds(5))
        #expect(await outcome == .timedOut)
        queue.push([1])
        #expect(await next(within: .seconds(5)) == .value([1]))
    }

    @Test func `cancellation wakes a waiting reader`() async {
        let task = Task { await next(within: .seconds(5)) }
        await clock.sleeping(for: .seconds(5))
        task.cancel()
        #expect(await task.value == .cancelled)
        queue.push([1])
        #expect(await next() == .value([1]))
    }

    @Test func `too many unread values are an error, not a gap`() async {
        for _ in 0...NotificationQueue.capacity { queue.push([1]) }
        for _ in 0..<NotificationQueue.capacity { #expect(await next() == .value([1])) }
        #expect(await next() == .overrun)
    }

    @Test func `more bytes than the limit are an error too, and are not kept`() async {
        let value = [UInt8](repeating: 1, count: 512)
        for _ in 0..<10_000 { queue.push(value) }
        let fit = NotificationQueue.byteCapacity / 512
        #expect(queue.waiting == (fit, fit * 512))
        for _ in 0..<fit { #expect(await next() == .value(value)) }
        #expect(queue.waiting == (0, 0))
        #expect(await next() == .overrun)
    }

    @Test func `values that were read make room for new ones`() async {
        for n in 0..<20 {
            for _ in 0..<4_000 { queue.push([UInt8(n)]) }
            for _ in 0..<4_000 { #expect(await next() == .value([UInt8(n)])) }
        }
        #expect(queue.waiting == (0, 0))
    }

    // MARK: The timer

    @Test func `a transfer of many notifications has one timer`() async {
        for n in 0..<420 {
            async let outcome = queue.next(within: .seconds(5))
            // The first wait starts the timer.
            if n == 0 { await clock.sleeping(for: .seconds(5)) }
            while !queue.isAwaited { await Task.yield() }
            queue.push([UInt8(n & 255)])
            #expect(await outcome == .value([UInt8(n & 255)]))
        }
        #expect(clock.sleepCount == 1)
    }

    @Test func `a second wait lasts up to its own limit`() async {
        async let first = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.push([1])
        #expect(await first == .value([1]))
        clock.advance(by: .seconds(3))
        async let second = next(within: .seconds(5))
        while !queue.isAwaited { await Task.yield() }
        // The timer wakes, and sleeps again for the rest.
        clock.advance(by: .seconds(2))
        await clock.sleeping(for: .seconds(3))
        #expect(queue.isAwaited)
        clock.advance(by: .seconds(3))
        #expect(await second == .timedOut)
    }

    @Test func `a shorter limit than the one before is kept`() async {
        async let first = next(within: .seconds(50))
        await clock.sleeping(for: .seconds(50))
        queue.push([1])
        #expect(await first == .value([1]))
        async let second = next(within: .seconds(5))
        await clock.pass(.seconds(5))
        #expect(await second == .timedOut)
        #expect(clock.sleepers(for: .seconds(50)) == 0)
    }

    @Test func `no timer is left at the end`() async {
        async let value = next(within: .seconds(5))
        await clock.sleeping(for: .seconds(5))
        queue.push([1])
        #expect(await value == .value([1]))
        #expect(clock.sleepers(for: .seconds(5)) == 1)
        queue.finish(.released)
        #expect(clock.sleepers(for: .seconds(5)) == 0)
    }

    @Test func `a released queue has no timer`() async {
        let clock = clock
        do {
            let queue = NotificationQueue(clock: clock)
            async let value = queue.next(within: .seconds(7))
            await clock.sleeping(for: .seconds(7))
            queue.push([1])
            #expect(await value == .value([1]))
        }
        #expect(clock.sleepers(for: .seconds(7)) == 0)
    }
}
