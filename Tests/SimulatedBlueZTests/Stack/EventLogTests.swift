import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct EventLogTests {
    /// The cancellation of a task holds a lock that `yield` needs, while it ends the stream that the task reads.
    @Test func `listeners are cancelled while events arrive`() async {
        for _ in 0..<2_000 {
            let log = EventLog()
            let events = log.stream()
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let listener = Task { for await _ in events { begin.finish() } }
            let adding = Task.detached { for _ in 0..<50 { log.add(.discovering(true)) } }
            for await _ in begun {}
            listener.cancel()
            await adding.value
            await listener.value
            #expect(log.all.count == 50)
        }
    }

    @Test func `a listener gets all events, those before it too, and the end`() async {
        let log = EventLog()
        log.add(.found("A"))
        let events = log.stream()
        log.add(.connected("A"))
        log.finish()
        #expect(await events.reduce(into: []) { $0.append($1) } == [.found("A"), .connected("A")])
        #expect(await log.stream().reduce(into: []) { $0.append($1) } == [.found("A"), .connected("A")])
    }
}
