/// What a lookout does after it could not listen any longer.
struct Setbacks: Sendable, Hashable {
    enum Answer: Sendable, Hashable {
        case tryAgain
        case pause(Duration)
        /// Until there is an adapter that can be used.
        case waitForAdapter
    }

    private var count = 0

    /// - Parameters:
    ///   - error: why it could not.
    ///   - isUsable: whether there is an adapter that can be used, by now.
    mutating func answer(to error: BluetoothError, isUsable: Bool) -> Answer {
        guard isUsable else {
            count = 0
            return .waitForAdapter
        }
        count += 1
        // What was gone has come back while it was told. Where that goes on and on, there is something else to it.
        if Self.isAbsence(error), count <= 3 { return .tryAgain }
        return .pause(.seconds(min(5 << min(count - 1, 6), 300)))
    }

    private static func isAbsence(_ error: BluetoothError) -> Bool {
        switch error {
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterLost, .daemonNotRunning: true
        default: false
        }
    }
}
