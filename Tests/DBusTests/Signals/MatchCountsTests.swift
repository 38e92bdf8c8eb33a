import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct MatchCountsTests {
    @Test func `a shared rule is added once and removed after its last use`() {
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
    @Test func `a rule added twice at the same time is removed twice`() {
        var counts = MatchCounts()
        let first = counts.use("a")
        let second = counts.use("a")
        #expect(first && second)
        counts.didAcknowledge("a")
        counts.didAcknowledge("a")
        #expect(counts.release("a") == 0)
        #expect(counts.release("a") == 2)
    }

    @Test func `a refused rule needs no removal`() {
        var counts = MatchCounts()
        _ = counts.use("a")
        counts.didRefuse("a")
        #expect(counts.release("a") == 0)
    }

    /// After a timeout it is not known whether the rule was added, so it is removed.
    @Test func `a rule without an acknowledgement is removed`() {
        var counts = MatchCounts()
        _ = counts.use("a")
        #expect(counts.release("a") == 1)
    }
}
