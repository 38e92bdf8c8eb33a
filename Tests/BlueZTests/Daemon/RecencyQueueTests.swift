import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct RecencyQueueTests {
    private func filled(_ keys: Range<Int>) -> RecencyQueue<Int> {
        var queue = RecencyQueue<Int>()
        for key in keys { queue.insert(key) }
        return queue
    }

    @Test func `the oldest is removed first`() {
        var queue = filled(0..<3)
        #expect((0..<4).map { _ in queue.removeFirst { _ in false } } == [0, 1, 2, nil])
        #expect(queue.count == 0)
    }

    @Test func `an entry that was in use is removed later`() {
        var queue = filled(0..<3)
        queue.touch(0)
        queue.insert(1)
        #expect((0..<3).map { _ in queue.removeFirst { _ in false } } == [2, 0, 1])
    }

    @Test func `protected objects are not removed`() {
        var queue = filled(0..<10)
        #expect(queue.removeFirst { $0 < 9 } == 9)
        #expect(queue.removeFirst { $0 < 9 } == nil)
        #expect(queue.count == 9)
    }

    @Test func `a search examines at most 64 protected objects`() {
        var queue = filled(0..<10_000)
        var looked = 0
        let found = queue.removeFirst { _ in
            looked += 1
            return true
        }
        #expect(found == nil)
        #expect(looked == 64)
    }

    @Test func `removed objects free their memory`() {
        var queue = RecencyQueue<Int>()
        for key in 0..<100_000 {
            queue.insert(key)
            if key >= 10 { queue.remove(key - 10) }
            queue.touch(key)
            #expect(queue.capacityInUse <= 2 * queue.count + 65)
        }
        #expect(queue.count == 10)
    }

    @Test func `an object that is removed and inserted again counts as new`() {
        var queue = filled(0..<3)
        queue.remove(0)
        queue.insert(0)
        #expect((0..<3).map { _ in queue.removeFirst { _ in false } } == [1, 2, 0])
    }
}
