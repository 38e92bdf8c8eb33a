import StepDomain
import StepServices
import StepViews
import Testing

@Suite(.timeLimit(.minutes(5))) struct WatchWordsTests {
    private let localTime = LocalTime.fixed(7200)

    @Test func `live steps are shown with the goal`() {
        #expect(
            WatchWords.live([.init(name: "ring", steps: 8_123, goal: 10_000)])
                == "ring: 8,123 steps today, 81 % of 10,000")
        #expect(
            WatchWords.live([.init(name: "ring", steps: 9_999, goal: 10_000)])
                == "ring: 9,999 steps today, 99 % of 10,000")
        #expect(WatchWords.live([.init(name: "ring", steps: 1, goal: nil)]) == "ring: 1 step today")
        #expect(
            WatchWords.live([
                .init(name: "ring", steps: nil, goal: 1), .init(name: "watch\u{1b}[2J", steps: 0, goal: nil),
            ])
                == "ring: connected | watch\u{fffd}[2J: 0 steps today")
    }

    @Test func `the live document is one line of JSON`() throws {
        let figures: [LiveFigures.Figure] = [
            .init(name: "ring", steps: 4_857, goal: 8_000), .init(name: "a\n\u{1b}[2J\"/", steps: nil, goal: nil),
        ]
        #expect(
            try LiveDocument(figures, now: Timestamp(1_779_278_700), localTime: localTime).line() == #"""
                {"live":[{"goal":8000,"name":"ring","percentage":60.71,"steps":4857},\#
                {"goal":null,"name":"a\n\u001b[2J\"/","percentage":null,"steps":null}],"time":"2026-05-20T14:05:00+02:00","version":1}
                """#)
    }

    @Test func `the pedometers or the next reading are shown while waiting`() {
        let next = Timestamp(1_779_285_900)  // 14:05 UTC
        #expect(
            WatchWords.text(for: .searching(["ring", "watch\n"]), localTime: localTime)
                == "Looking for ring, watch\u{fffd}")
        #expect(WatchWords.text(for: .idle(next: next), localTime: localTime) == "All pedometers read; next at 16:05")
        #expect(WatchWords.text(for: .noPedometer, localTime: localTime).contains("istep add"))
    }
}
