@testable import BlueZ
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct LinkRetryTests {
    private let lost = BluetoothError.linkLost(during: "subscribing")
    private let again = LinkRetry.Step.reconnect(after: .seconds(1))

    @Test func `a lost link is restored once, and a second loss is the result`() {
        var retry = LinkRetry(mayPair: false)
        #expect(retry.step(after: lost, isTakenOver: false) == again)
        #expect(retry.step(after: lost, isTakenOver: false) == nil)
    }

    @Test func `the first loss of a taken-over link does not count as an attempt`() {
        var retry = LinkRetry(mayPair: false)
        #expect(retry.step(after: lost, isTakenOver: true) == again)
        #expect(retry.step(after: lost, isTakenOver: true) == again)
        #expect(retry.step(after: lost, isTakenOver: true) == nil)
    }

    @Test func `following restores only a lost link that was taken over`() {
        var retry = LinkRetry(reconnects: 0, mayPair: false)
        #expect(retry.step(after: lost, isTakenOver: true) == again)
        #expect(retry.step(after: lost, isTakenOver: false) == nil)
    }

    @Test(arguments: [BluetoothError.notPaired(doing: "reading"), .timedOut(operation: "reading", seconds: 10)])
    func `a pedometer that may require pairing is paired once`(demand: BluetoothError) {
        var retry = LinkRetry(mayPair: true)
        #expect(retry.step(after: demand, isTakenOver: false) == .pair)
        #expect(retry.step(after: demand, isTakenOver: false) == nil)
        var never = LinkRetry(mayPair: false)
        #expect(never.step(after: demand, isTakenOver: false) == nil)
    }

    @Test func `no other error leads to a new link`() {
        var retry = LinkRetry(mayPair: true)
        for error: BluetoothError in [.cancelled, .adapterLost("hci0"), .attError(code: 1, doing: ""), .daemonNotRunning] {
            #expect(retry.step(after: error, isTakenOver: true) == nil)
        }
        #expect(retry.step(after: PedometerError.refused("its steps"), isTakenOver: true) == nil)
        #expect(retry.step(after: CancellationError(), isTakenOver: true) == nil)
    }
}
