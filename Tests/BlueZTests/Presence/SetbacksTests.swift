import Testing

@testable import BlueZ

/// What a lookout does when it could not listen any longer.
struct SetbacksTests {
    @Test func whatIsGoneIsWaitedFor() {
        var setbacks = Setbacks()
        for error in [BluetoothError.adapterLost("hci0"), .daemonNotRunning, .noAdapter(nil), .unexpected("x")] {
            #expect(setbacks.answer(to: error, isUsable: false) == .waitForAdapter)
        }
    }

    /// A bluetoothd that is restarted at once is there again before anybody has looked.
    @Test(arguments: [
        BluetoothError.daemonNotRunning, .adapterLost("hci0"), .adapterDown("hci0"), .adapterBlocked("hci0", hard: false), .noAdapter(nil),
    ])
    func whatHasComeBackMeanwhileIsUsedAtOnce(error: BluetoothError) {
        var setbacks = Setbacks()
        #expect(setbacks.answer(to: error, isUsable: true) == .tryAgain)
    }

    @Test func whatComesAndGoesWithoutEndIsGivenTime() {
        var setbacks = Setbacks()
        let answers = (0..<6).map { _ in setbacks.answer(to: .adapterLost("hci0"), isUsable: true) }
        #expect(answers == [.tryAgain, .tryAgain, .tryAgain, .pause(.seconds(40)), .pause(.seconds(80)), .pause(.seconds(160))])
        #expect(setbacks.answer(to: .adapterLost("hci0"), isUsable: false) == .waitForAdapter)
        // Which was another absence, that has passed.
        #expect(setbacks.answer(to: .adapterLost("hci0"), isUsable: true) == .tryAgain)
    }

    @Test func anotherTroubleIsGivenTimeUpToFiveMinutes() {
        var setbacks = Setbacks()
        let pauses = (0..<9).map { _ in setbacks.answer(to: .accessDenied("scanning"), isUsable: true) }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .pause(.seconds($0)) })
    }
}
