import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExponentialBackoffTests {
    @Test func `each pause is twice the one before, up to the longest`() {
        let backoff = ExponentialBackoff(first: .seconds(60), longest: .seconds(1800))
        #expect((1...8).map { backoff.seconds(after: $0) } == [60, 120, 240, 480, 960, 1800, 1800, 1800])
        #expect(
            ExponentialBackoff(first: .milliseconds(50), longest: .seconds(1)).pause(after: 3) == .milliseconds(200))
    }

    @Test(arguments: [Duration.zero, .seconds(5)]) func `the first pause may be the longest`(pause: Duration) {
        let backoff = ExponentialBackoff(first: pause, longest: pause)
        #expect((1...3).map { backoff.pause(after: $0) } == [pause, pause, pause])
    }

    @Test(arguments: [0, -1, Int.min]) func `a count of zero or fewer failures gives the pause after one failure`(
        failures: Int
    ) {
        #expect(ExponentialBackoff(first: .seconds(2), longest: .seconds(60)).pause(after: failures) == .seconds(2))
    }

    @Test(arguments: [31, 62, 63, 64, 1_000_000, Int.max]) func `after many failures the pause is the longest pause`(
        failures: Int
    ) {
        #expect(
            ExponentialBackoff(first: .seconds(3), longest: .seconds(86_400)).pause(after: failures) == .seconds(86_400)
        )
        #expect(ExponentialBackoff(first: .zero, longest: .seconds(1)).pause(after: failures) == .zero)
        let endless = ExponentialBackoff(first: .seconds(1), longest: .seconds(Int64.max)).pause(after: failures)
        #expect(endless > .seconds(1_000_000_000) && endless <= .seconds(Int64.max))
    }
}
