import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct DayEndsTests {
    @Test func `the end of a local day is reported, whatever its length`() async {
        let localTime = LocalTime.berlin, clock = ManualClock()
        let time = Mutex(localTime.at("2026-03-28", 23, 59) + 50)
        let (reports, reported) = AsyncStream<Void>.makeStream()
        let days = DayEnds(localTime: localTime, now: { time.withLock { $0 } }, clock: clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await days.report { reported.yield() } }
            // The second of the two days has 23 hours.
            for seconds in [10, 23 * 3600, 24 * 3600] {
                await clock.sleeping(for: .seconds(seconds))
                time.withLock { $0 = $0 + seconds }
                clock.advance(by: .seconds(seconds))
                for await _ in reports { break }
            }
            group.cancelAll()
        }
        reported.finish()
        var more = 0
        for await _ in reports { more += 1 }
        #expect(more == 0)
    }
}
