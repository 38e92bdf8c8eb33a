import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct WalkingHistoryTests {
    /// Monday, 2026-11-16.
    private let monday = WallClock(year: 2026, month: 11, day: 16).dayNumber
    private let future = WallClock(year: 2030, month: 1, day: 1)

    private func total(_ day: Int, seed: UInt64 = 1) -> Int {
        WalkingHistory(seed: seed).slots(day: day, until: future).map(\.steps).reduce(0, +)
    }

    @Test func `the same seed creates the same history`() {
        #expect(
            WalkingHistory(seed: 7).slots(day: monday, until: future)
                == WalkingHistory(seed: 7).slots(day: monday, until: future))
        #expect(total(monday, seed: 7) != total(monday, seed: 8))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `the daily steps of a week are plausible`(seed: UInt64) {
        for week in 0..<4 {
            let days = (0..<7).map { total(monday + week * 7 + $0, seed: seed) }
            for steps in [days[0], days[2], days[4]] { #expect((5_500...12_500).contains(steps)) }
            #expect(days[1] > 10_000 && days[3] > 10_000)
            #expect((500...5_500).contains(days[6]))
            #expect(days[6] == days.min())
        }
    }

    @Test func `the steps of a slot are within human limits`() {
        for day in monday..<monday + 70 {
            for slot in WalkingHistory(seed: 3).slots(day: day, until: future) {
                #expect((1...2_700).contains(slot.steps))
                #expect(slot.start.dayNumber == day)
            }
        }
    }

    @Test func `no steps are generated at night`() {
        let slots = (monday..<monday + 364).flatMap { WalkingHistory(seed: 1).slots(day: $0, until: future) }
        // Tests that compare figures run after 22:45.
        #expect(slots.allSatisfy { (24...90).contains($0.index) })
    }

    @Test func `the current slot grows up to its final value`() throws {
        let history = WalkingHistory(seed: 1)
        let slot = try #require(history.slots(day: monday, until: future).max { $0.steps < $1.steps })
        var last = 0
        for minute in 1...15 {
            let now = WallClock(seconds: slot.start.seconds + minute * 60)
            let current = history.slots(day: monday, until: now).first { $0.start == slot.start }?.steps ?? 0
            #expect(current >= last)
            last = current
        }
        #expect(last == slot.steps)
    }

    @Test func `the next day has no steps yet`() {
        let now = WallClock(year: 2026, month: 11, day: 16, hour: 12)
        #expect(WalkingHistory(seed: 1).slots(day: monday + 1, until: now).isEmpty)
    }
}
