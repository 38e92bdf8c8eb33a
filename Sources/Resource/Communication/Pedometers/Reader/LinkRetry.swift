internal import BlueZ

/// Decides whether and how a pedometer is connected to again after a link has failed. A value without access to link and clock.
struct LinkRetry: Sendable {
    enum Step: Equatable, Sendable {
        /// Over a new link.
        case reconnect(after: Duration)
        /// Over a new link that is paired first.
        case pair

        /// Whether the failure of this step is less informative for the user than the error that led to it. A pedometer that asked for
        /// pairing and refuses it is reported with the reason of the refusal; one that did not answer may have no pairing at all.
        func isLessInformative(than error: any Error) -> Bool {
            if case .pair = self, case .notPaired? = error as? BluetoothError { return false }
            return true
        }
    }

    /// The wait before a new link: a pedometer that lost one has to begin to advertise again, and a disturbance may pass.
    static let backoff: Duration = .seconds(1)
    /// The search for a pedometer that was in range a moment ago. It is shorter than the search for one that may still arrive.
    static let search: Duration = .seconds(10)

    /// Links that may be lost during a session before it gives up. One: a pedometer at the edge of its range would otherwise use much
    /// battery for many links, and what was received is stored anyway.
    private var reconnects: Int
    private var mayPair: Bool
    private var mayBeDisconnecting = true

    init(reconnects: Int = 1, mayPair: Bool) {
        self.reconnects = reconnects
        self.mayPair = mayPair
    }

    /// - Parameters:
    ///   - error: how the link, or what was done over it, ended.
    ///   - isTakenOver: whether the link was up before.
    /// - Returns: nil if the error is the result.
    mutating func step(after error: any Error, isTakenOver: Bool) -> Step? {
        guard let error = error as? BluetoothError else { return nil }
        switch error {
        case .linkLost where isTakenOver && mayBeDisconnecting:
            // If a program is killed while it disconnects, a link is left that BlueZ drops up to 2 s later.
            mayBeDisconnecting = false
            return .reconnect(after: Self.backoff)
        case .linkLost where reconnects > 0:
            reconnects -= 1
            return .reconnect(after: Self.backoff)
        case .notPaired where mayPair, .timedOut where mayPair:
            // Nothing announces that a characteristic demands encryption, and pairing with a pedometer that has none fails. BlueZ
            // answers "Not paired", or (5.66, with no agent registered) not at all.
            mayPair = false
            return .pair
        default: return nil
        }
    }
}
