import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct PendingCallsTests {
    @Test func `a pending call is removed only once`() {
        var calls = PendingCalls<String>()
        calls.add("a", serial: 1, deadline: 10)
        #expect(calls.take(2) == nil)
        #expect(calls.take(1) == "a")
        #expect(calls.take(1) == nil)
    }

    @Test func `only calls past their deadline are removed as expired`() {
        var calls = PendingCalls<String>()
        calls.add("late", serial: 3, deadline: 30)
        calls.add("early", serial: 2, deadline: 10)
        calls.add("also early", serial: 4, deadline: 9)
        #expect(calls.nextDeadline == 9)
        #expect(calls.takeExpired(at: 8) == [])
        #expect(calls.takeExpired(at: 10) == ["early", "also early"])
        #expect(calls.nextDeadline == 30)
        #expect(calls.takeAll() == ["late"])
        #expect(calls.nextDeadline == nil)
    }
}
