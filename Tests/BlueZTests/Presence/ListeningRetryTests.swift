import Testing

@testable import BlueZ

/// What a presence does when it can no longer listen.
@Suite(.timeLimit(.minutes(5))) struct ListeningRetryTests {
    @Test func `listening waits for a missing adapter or daemon`() {
        var failures = ListeningRetry()
        for error in [BluetoothError.adapterLost("hci0"), .daemonNotRunning, .noAdapter(nil), .unexpected("x")] {
            #expect(failures.answer(to: error, isUsable: false) == .waitForAdapter)
        }
    }

    /// A bluetoothd that is restarted immediately is back before the presence checks for it.
    @Test(arguments: [
        BluetoothError.daemonNotRunning, .adapterLost("hci0"), .adapterDown("hci0"),
        .adapterBlocked("hci0", hard: false), .noAdapter(nil),
    ])
    func `listening is retried at once if the adapter is usable again`(error: BluetoothError) {
        var failures = ListeningRetry()
        #expect(failures.answer(to: error, isUsable: true) == .tryAgain)
    }

    @Test func `repeated losses of the adapter lead to growing pauses`() {
        var failures = ListeningRetry()
        let answers = (0..<6).map { _ in failures.answer(to: .adapterLost("hci0"), isUsable: true) }
        #expect(
            answers == [
                .tryAgain, .tryAgain, .tryAgain, .pause(.seconds(40)), .pause(.seconds(80)), .pause(.seconds(160)),
            ])
        #expect(failures.answer(to: .adapterLost("hci0"), isUsable: false) == .waitForAdapter)
        // That was a separate absence, which is over.
        #expect(failures.answer(to: .adapterLost("hci0"), isUsable: true) == .tryAgain)
    }

    /// Nothing announces that it answers again: its objects have to be requested.
    @Test(arguments: [false, true])
    func `a silent daemon is asked again after growing pauses`(isUsable: Bool) {
        var failures = ListeningRetry()
        let answers = (0..<3).map { _ in failures.answer(to: .daemonSilent, isUsable: isUsable) }
        #expect(answers == [.pause(.seconds(5)), .pause(.seconds(10)), .pause(.seconds(20))])
    }

    @Test func `the pause after other errors grows up to five minutes`() {
        var failures = ListeningRetry()
        let pauses = (0..<9).map { _ in failures.answer(to: .accessDenied("scanning"), isUsable: true) }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .pause(.seconds($0)) })
    }
}
