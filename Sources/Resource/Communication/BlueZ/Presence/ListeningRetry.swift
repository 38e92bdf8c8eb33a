internal import Backoff

/// What a monitor does after listening failed.
struct ListeningRetry: Sendable, Hashable {
    enum Answer: Sendable, Hashable {
        case tryAgain
        case pause(Duration)
        /// Waits until there is an adapter that can be used.
        case waitForAdapter
    }

    private static let backoff = ExponentialBackoff(first: .seconds(5), longest: .seconds(300))
    private var count = 0

    /// - Parameters:
    ///   - error: why it failed.
    ///   - isUsable: whether there is an adapter that can be used now.
    mutating func answer(to error: BluetoothError, isUsable: Bool) -> Answer {
        // A bluetoothd that was silent announces nothing when it answers again: only another call shows it.
        guard isUsable || error == .daemonSilent else {
            count = 0
            return .waitForAdapter
        }
        count += 1
        // The adapter was missing and is back already. If that happens repeatedly, there is another cause.
        if Self.isAbsence(error), count <= 3 { return .tryAgain }
        return .pause(Self.backoff.pause(after: count))
    }

    private static func isAbsence(_ error: BluetoothError) -> Bool {
        switch error {
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterLost, .daemonNotRunning: true
        default: false
        }
    }
}
