import Testing

@testable import DBus

@Suite struct MatchCountsTests {
    @Test func addedOnceAndRemovedWithTheLast() {
        var counts = MatchCounts()
        let first = counts.use("a")
        counts.didAcknowledge("a")
        let second = counts.use("a")
        #expect(first)
        #expect(!second)
        #expect(counts.release("a") == 0)
        #expect(counts.release("a") == 1)
        #expect(counts.release("a") == 0)
    }

    /// Both have to wait for an acknowledgement, and the bus counts both.
    @Test func twoAtTheSameTime() {
        var counts = MatchCounts()
        let first = counts.use("a")
        let second = counts.use("a")
        #expect(first && second)
        counts.didAcknowledge("a")
        counts.didAcknowledge("a")
        #expect(counts.release("a") == 0)
        #expect(counts.release("a") == 2)
    }

    @Test func refusedNeedsNoRemoval() {
        var counts = MatchCounts()
        _ = counts.use("a")
        counts.didRefuse("a")
        #expect(counts.release("a") == 0)
    }

    /// After a time-out nobody knows, so it is removed.
    @Test func unknownIsRemoved() {
        var counts = MatchCounts()
        _ = counts.use("a")
        #expect(counts.release("a") == 1)
    }
}
