import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackoffTests {
    @Test func `each pause is twice the one before, up to the longest`() {
        let backoff = Backoff(first: 60, longest: 1800)
        #expect((1...8).map(backoff.pause) == [60, 120, 240, 480, 960, 1800, 1800, 1800])
    }

    @Test func `the first pause may be the longest`() {
        #expect((1...3).map(Backoff(first: 5, longest: 5).pause) == [5, 5, 5])
    }

    @Test(arguments: [0, -1, Int.min]) func `no failure counts as one`(failures: Int) {
        #expect(Backoff(first: 2, longest: 60).pause(after: failures) == 2)
    }

    @Test(arguments: [31, 62, 63, 64, 1_000_000, Int.max]) func `however many failures, the pause is the longest`(failures: Int) {
        #expect(Backoff(first: 3, longest: 86_400).pause(after: failures) == 86_400)
        #expect(Backoff(first: 1, longest: .max).pause(after: failures) > 0)
    }
}
