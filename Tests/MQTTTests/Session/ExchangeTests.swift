import Testing

@testable import MQTT

/// Who ends an exchange between a task and a thread, and what it is then.
struct ExchangeTests {
    private func outcome(of exchange: Exchange) async -> MQTTError? {
        switch await exchange.outcome({}) {
        case .success: nil
        case .failure(let error): error
        }
    }

    @Test func theFirstWhoSaysHowItEndedIsRight() async {
        let exchange = Exchange()
        exchange.finish(.success(()))
        exchange.cancel()
        #expect(exchange.expire(after: .zero) == nil)
        #expect(await outcome(of: exchange) == nil)
    }

    @Test func beforeAnythingMayGoOutALimitMeansNotSent() async {
        let exchange = Exchange()
        #expect(exchange.expire(after: .zero) == nil)
        #expect(await outcome(of: exchange) == .notSent(reason: "no connection with the broker came about within 0 s"))
    }

    @Test func afterwardsALimitLeavesDoubt() async {
        let exchange = Exchange()
        #expect(exchange.beginSending())
        #expect(exchange.expire(after: .zero) == nil)
        #expect(await outcome(of: exchange) == .unanswered(reason: "the broker was silent for 0 s"))
    }

    @Test func cancellingKnowsTheDifferenceToo() async {
        let early = Exchange(), late = Exchange()
        #expect(late.beginSending())
        early.cancel()
        late.cancel()
        #expect(await outcome(of: early) == .cancelled(wasSent: false))
        #expect(await outcome(of: late) == .cancelled(wasSent: true))
    }

    /// The thread was stuck in a network, and the task has told somebody that nothing was sent.
    @Test func whatIsOverLetsNothingGoOut() {
        let exchange = Exchange()
        exchange.cancel()
        #expect(!exchange.beginSending())
        #expect(exchange.isOver)
    }

    @Test func whatIsOverBeforeItBeganIsNotBegun() async {
        let exchange = Exchange()
        exchange.cancel()
        var isStarted = false
        _ = await exchange.outcome { isStarted = true }
        #expect(!isStarted)
    }

    @Test func aLimitThatIsNotReachedSaysHowLongThereIs() {
        let exchange = Exchange()
        let left = exchange.expire(after: .seconds(1000))
        #expect(left.map { $0 > .seconds(500) && $0 <= .seconds(1000) } == true)
        #expect(!exchange.isOver)
    }

    @Test func whoWaitsIsToldOnceItIsOver() async {
        let exchange = Exchange()
        let result = await exchange.outcome { exchange.finish(.failure(.notSent(reason: "x"))) }
        guard case .failure(.notSent("x")) = result else {
            Issue.record("\(result)")
            return
        }
    }
}
