import Testing

@testable import MQTT

/// Which side ends an exchange between a task and a thread, and the resulting outcome.
@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    private func outcome(of exchange: MQTTExchange) async -> MQTTError? {
        switch await exchange.outcome({}) {
        case .success: nil
        case .failure(let error): error
        }
    }

    @Test func `the first result of an exchange is final`() async {
        let exchange = MQTTExchange()
        exchange.finish(.success(()))
        exchange.cancel()
        #expect(exchange.expire(after: .zero, whole: .seconds(1000)) == nil)
        #expect(await outcome(of: exchange) == nil)
    }

    @Test func `a timeout before sending is reported as not sent`() async {
        let exchange = MQTTExchange()
        #expect(exchange.expire(after: .zero, whole: .seconds(1000)) == nil)
        #expect(await outcome(of: exchange) == .notSent(reason: "could not connect to the broker within 0 s"))
    }

    @Test func `a timeout after sending begins is reported as unanswered`() async {
        let exchange = MQTTExchange()
        #expect(exchange.beginSending())
        #expect(exchange.expire(after: .zero, whole: .seconds(1000)) == nil)
        #expect(await outcome(of: exchange) == .unanswered(reason: "the broker was silent for 0 s"))
    }

    @Test func `the limit of the whole holds although there is progress`() async {
        let early = MQTTExchange(), late = MQTTExchange()
        #expect(late.beginSending())
        for exchange in [early, late] {
            exchange.progress()
            #expect(exchange.expire(after: .seconds(1000), whole: .zero) == nil)
        }
        #expect(await outcome(of: early) == .notSent(reason: "could not connect to the broker within 0 s"))
        #expect(await outcome(of: late) == .unanswered(reason: "it took more than 0 s"))
    }

    @Test func `the time that is left is that of the shorter limit`() {
        let left = MQTTExchange().expire(after: .seconds(2000), whole: .seconds(1000))
        #expect(left.map { $0 > .seconds(500) && $0 <= .seconds(1000) } == true)
    }

    @Test func `cancellation reports whether sending had begun`() async {
        let early = MQTTExchange(), late = MQTTExchange()
        #expect(late.beginSending())
        early.cancel()
        late.cancel()
        #expect(await outcome(of: early) == .cancelled(wasSent: false))
        #expect(await outcome(of: late) == .cancelled(wasSent: true))
    }

    /// The thread was blocked on the network, and the task has already reported that nothing was sent.
    @Test func `an exchange that is over does not begin to send`() {
        let exchange = MQTTExchange()
        exchange.cancel()
        #expect(!exchange.beginSending())
        #expect(exchange.isOver)
    }

    @Test func `an exchange that is over does not start its work`() async {
        let exchange = MQTTExchange()
        exchange.cancel()
        var isStarted = false
        _ = await exchange.outcome { isStarted = true }
        #expect(!isStarted)
    }

    @Test func `a time limit that is not reached returns the remaining time`() {
        let exchange = MQTTExchange()
        let left = exchange.expire(after: .seconds(1000), whole: .seconds(2000))
        #expect(left.map { $0 > .seconds(500) && $0 <= .seconds(1000) } == true)
        #expect(!exchange.isOver)
    }

    @Test func `a waiting task receives the result when the exchange ends`() async {
        let exchange = MQTTExchange()
        let result = await exchange.outcome { exchange.finish(.failure(.notSent(reason: "x"))) }
        guard case .failure(.notSent("x")) = result else {
            Issue.record("\(result)")
            return
        }
    }
}
