import StepDomain
import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct CoalescingQueueTests {
    @Test func `of values with the same key only the newest is kept`() {
        let queue = CoalescingQueue<String, Int>()
        for number in 0..<100_000 { queue.put(number, key: number.isMultiple(of: 2) ? "even" : "odd") }
        #expect(queue.takeAll() == [99_998, 99_999])
        #expect(queue.takeAll() == [])
        queue.put(7, key: "even")
        #expect(queue.takeAll() == [7])
    }

    @Test func `values without a key are all kept, in order`() {
        let queue = CoalescingQueue<String, Int>()
        queue.put(1, key: "a")
        queue.put(2, key: nil)
        queue.put(3, key: nil)
        queue.put(4, key: "a")
        #expect(queue.takeAll() == [4, 2, 3])
    }

    @Test func `an arrival wakes the reader, even if it came earlier`() async {
        let queue = CoalescingQueue<String, Int>()
        queue.put(1, key: nil)
        var arrivals = queue.arrivals.makeAsyncIterator()
        #expect(await arrivals.next() != nil)
        #expect(queue.takeAll() == [1])
        async let second: Void? = arrivals.next()
        queue.put(2, key: nil)
        #expect(await second != nil)
        #expect(queue.takeAll() == [2])
    }
}
