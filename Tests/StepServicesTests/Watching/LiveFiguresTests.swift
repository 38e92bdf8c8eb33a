import StepDomain
import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct LiveFiguresTests {
    private let noon = Timestamp(1_779_278_400)

    @Test func `pedometers are shown together, and one that disconnects no longer`() {
        var live = LiveFigures()
        live.add(.init(name: "watch", steps: nil, goal: nil), for: 2)
        live.add(.init(name: "ring", steps: 900, goal: 8000), for: 1)
        #expect(live.update(2, steps: nil, at: noon)?.map(\.steps) == [900, nil])
        #expect(live.update(1, steps: 902, at: noon) == nil, "within the same second")
        #expect(live.takeWaiting(at: noon + 1)?.map(\.steps) == [902, nil])
        #expect(live.takeWaiting(at: noon + 2) == nil)
        live.remove(1)
        #expect(live.update(2, steps: 5, at: noon + 3)?.map(\.name) == ["watch"])
    }

    @Test func `a late report of a disconnected pedometer is ignored`() {
        var live = LiveFigures()
        #expect(live.update(1, steps: 5, at: noon) == [])
        #expect(live.isEmpty)
    }
}

struct LivePaceTests {
    private let noon = Timestamp(1_779_278_400)

    @Test func `figures are shown at most once a second`() {
        var pace = LivePace()
        var shown = 0
        for number in 0..<100_000 where pace.isDue(at: noon + number / 10_000) { shown += 1 }
        #expect(shown == 10)
    }

    @Test func `the newest figure is shown in the end`() {
        var pace = LivePace()
        #expect(pace.isDue(at: noon) == true)
        #expect(pace.takeWaiting(at: noon + 1) == false)
        #expect(pace.isDue(at: noon) == false)
        #expect(pace.isWaiting)
        #expect(pace.takeWaiting(at: noon + 1) == true)
        #expect(pace.takeWaiting(at: noon + 2) == false)
        // The delayed figure that was just shown counts, too.
        #expect(pace.isDue(at: noon + 1) == false)
    }

    @Test func `live figures are still due after the clock is set back`() {
        var pace = LivePace()
        #expect(pace.isDue(at: noon) == true)
        #expect(pace.isDue(at: noon - 3600) == true)
    }
}
