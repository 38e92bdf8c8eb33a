@testable import BlueZ
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct LinkRetryTests {
    private let lost = BluetoothError.linkLost(during: "subscribing")
    private let again = LinkRetry.Step.reconnect(after: .seconds(1))

    @Test func `a lost link is restored twice, and a third loss without progress is the result`() {
        var retry = LinkRetry(mayPair: false)
        #expect(retry.step(after: lost, isTakenOver: false) == again)
        #expect(retry.step(after: lost, isTakenOver: false) == again)
        #expect(retry.step(after: lost, isTakenOver: false) == nil)
    }

    @Test func `while something new is stored over each link, lost links are restored, up to ten links`() {
        var retry = LinkRetry(mayPair: false)
        for link in 1...9 { #expect(retry.step(after: lost, isTakenOver: false, progress: link) == again) }
        #expect(retry.step(after: lost, isTakenOver: false, progress: 10) == nil)
    }

    @Test func `the first loss of a taken-over link does not count as an attempt`() {
        var retry = LinkRetry(reconnects: 1, mayPair: false)
        #expect(retry.step(after: lost, isTakenOver: true) == again)
        #expect(retry.step(after: lost, isTakenOver: true) == again)
        #expect(retry.step(after: lost, isTakenOver: true) == nil)
    }

    @Test(arguments: [
        BluetoothError.timedOut(operation: "subscribing", seconds: 10), .attError(code: 0x0e, doing: "subscribing"),
        .writeFailed("2a19", peripheral: "P", reason: "Failed to initiate write"),
        .notifyFailed("2a19", peripheral: "P", reason: "Failed"),
        .readFailed("2a19", peripheral: "P", reason: "Failed"),
    ])
    func `an operation that failed is tried over a new link`(error: BluetoothError) {
        var retry = LinkRetry(mayPair: false)
        #expect(retry.step(after: error, isTakenOver: false) == again)
        var never = LinkRetry(reconnects: 0, mayPair: false)
        #expect(never.step(after: error, isTakenOver: false) == nil)
    }

    @Test func `an operation without an answer is tried over one other link`() {
        var retry = LinkRetry(mayPair: false)
        let silence = BluetoothError.timedOut(operation: "subscribing", seconds: 10)
        #expect(retry.step(after: silence, isTakenOver: false) == again)
        #expect(retry.step(after: silence, isTakenOver: false) == nil)
        #expect(retry.step(after: silence, isTakenOver: false, progress: 1) == again)
    }

    @Test func `handles that the pedometer does not have are discovered again, once`() {
        var retry = LinkRetry(mayPair: false)
        #expect(
            retry.step(after: BluetoothError.attError(code: 1, doing: "subscribing"), isTakenOver: false) == .rediscover
        )
        #expect(retry.step(after: BluetoothError.attError(code: 1, doing: "subscribing"), isTakenOver: false) == again)
    }

    @Test(arguments: [BluetoothError.daemonNotRunning, .adapterLost("hci0"), .adapterDown("hci0")])
    func `a lost adapter is waited for`(error: BluetoothError) {
        var retry = LinkRetry(mayPair: false)
        for _ in 1...3 { #expect(retry.step(after: error, isTakenOver: false) == .awaitAdapter) }
        #expect(retry.step(after: error, isTakenOver: false) == nil)
    }

    @Test func `the failure that tells the user more is reported`() {
        let stuck = BluetoothError.connectFailed("P", reason: ConnectFailure(.stuck))
        #expect(!again.isLessInformative(stuck, than: lost))
        #expect(!again.isLessInformative(BluetoothError.adapterDown("hci0"), than: lost))
        #expect(again.isLessInformative(BluetoothError.peripheralNotFound("P", seconds: 10), than: lost))
        #expect(!LinkRetry.Step.pair.isLessInformative(lost, than: BluetoothError.notPaired(doing: "reading")))
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
        #expect(retry.step(after: demand, isTakenOver: false) != .pair)
        var never = LinkRetry(reconnects: 0, mayPair: false)
        #expect(never.step(after: demand, isTakenOver: false) == nil)
    }

    @Test func `no other error leads to a new link`() {
        var retry = LinkRetry(mayPair: true)
        for error: BluetoothError in [.cancelled, .accessDenied(""), .adapterBlocked("hci0", hard: true), .noBus("")] {
            #expect(retry.step(after: error, isTakenOver: true) == nil)
        }
        #expect(retry.step(after: PedometerError.refused("its steps"), isTakenOver: true) == nil)
        #expect(retry.step(after: CancellationError(), isTakenOver: true) == nil)
    }
}
