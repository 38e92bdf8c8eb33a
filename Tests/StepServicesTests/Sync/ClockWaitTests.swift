import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockWaitTests {
    private let time = TestTime(Timestamp(1_780_000_000))

    /// - Parameter answers: whether the clock is about right, each time it is asked; the last one stays.
    private func wait(_ answers: [Bool]) async -> (isReady: Bool, hasWaited: Bool, asked: Int) {
        let asked = Mutex(0)
        let begun = Mutex(false)
        let wait = ClockWait(
            isBelieved: {
                asked.withLock { asked in
                    defer { asked += 1 }
                    return answers[min(asked, answers.count - 1)]
                }
            }, clock: SkippingClock(time))
        let isReady = await wait.run { begun.withLock { $0 = true } }
        return (isReady, begun.withLock { $0 }, asked.withLock { $0 })
    }

    @Test func `a clock that is about right is not waited for`() async {
        #expect(await wait([true]) == (true, false, 1))
    }

    @Test func `a sync goes on as soon as a time server has set the clock`() async {
        #expect(await wait([false, false, false, true]) == (true, true, 4))
    }

    @Test func `without a time server the wait ends`() async {
        let (isReady, hasWaited, asked) = await wait([false])
        #expect(!isReady && hasWaited && asked == 42)
    }
}
