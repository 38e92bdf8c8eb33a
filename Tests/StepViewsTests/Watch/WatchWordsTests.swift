import StepDomain
import StepViews
import Testing

struct WatchWordsTests {
    private let localTime = LocalTime.fixed(7200)

    @Test func stepsBesideTheGoal() {
        #expect(WatchWords.live([.init(name: "ring", steps: 8_123, goal: 10_000)]) == "ring: 8,123 steps today, 81 % of 10,000")
        #expect(WatchWords.live([.init(name: "ring", steps: 9_999, goal: 10_000)]) == "ring: 9,999 steps today, 99 % of 10,000")
        #expect(WatchWords.live([.init(name: "ring", steps: 1, goal: nil)]) == "ring: 1 step today")
        #expect(
            WatchWords.live([.init(name: "ring", steps: nil, goal: 1), .init(name: "watch\u{1b}[2J", steps: 0, goal: nil)])
                == "ring: connected | watch\u{fffd}[2J: 0 steps today")
    }

    @Test func whomItWaitsFor() {
        let next = Timestamp(1_779_285_900)     // 14:05 UTC
        #expect(WatchWords.waiting(for: ["ring", "watch\n"], next: next, localTime: localTime) == "Looking for ring, watch\u{fffd}")
        #expect(WatchWords.waiting(for: [], next: next, localTime: localTime) == "All read, next at 16:05")
        #expect(WatchWords.waiting(for: [], next: nil, localTime: localTime).contains("istep add"))
    }
}
