internal import BlueZ

/// Decides whether and how a pedometer is connected to again after a link has failed. A value without access to link
/// and clock.
struct LinkRetry: Sendable {
    enum Step: Equatable, Sendable {
        /// Over a new link.
        case reconnect(after: Duration)
        /// Over a new link that is paired first.
        case pair
        /// Over a new link, after BlueZ was made to forget the services of a pedometer without a bond.
        case rediscover
        /// Over a new link, once the adapter can be used again.
        case awaitAdapter

        /// Whether the failure of this step is less informative for the user than the error that led to it. A pedometer
        /// that asked for pairing and refuses it is reported with the reason of the refusal; one that did not answer
        /// may have no pairing at all. That BlueZ does not connect until a user acts, or that the adapter is gone, says
        /// more than how the link before ended.
        func isLessInformative(_ failure: any Error, than error: any Error) -> Bool {
            let failure = failure as? BluetoothError
            if case .connectFailed(_, let reason)? = failure, reason.reason == .stuck { return false }
            if case .reconnect = self, failure?.mayPassByItself == true { return false }
            if case .pair = self, case .notPaired? = error as? BluetoothError { return false }
            return true
        }
    }

    /// The wait before a new link: a pedometer that lost one has to begin to advertise again, and a disturbance may
    /// pass.
    static let backoff: Duration = .seconds(1)
    /// The search for a pedometer that was in range a moment ago. It is shorter than the search for one that may still
    /// arrive.
    static let search: Duration = .seconds(10)
    /// Links of one reading. Each needs battery, at the edge of the range most of all; what was received is stored
    /// anyway.
    private static let maximumLinks = 10
    /// How often a reading waits for an adapter that was lost.
    private static let maximumAdapterWaits = 3

    /// Links in a row that may fail without progress before the reading gives up.
    private let maximumFailures: Int
    private var failures = 0
    private var links = 0
    private var adapterWaits = 0
    private var mayPair: Bool
    private var mayRediscover: Bool
    private var mayBeDisconnecting = true
    private var mayTimeOut: Bool
    private var lastProgress = 0

    /// - Parameter reconnects: failures in a row without progress after which a new link is made; 0 to report each.
    init(reconnects: Int = 2, mayPair: Bool) {
        maximumFailures = reconnects
        self.mayPair = mayPair
        mayRediscover = reconnects > 0
        mayTimeOut = reconnects > 0
    }

    /// - Parameters:
    ///   - error: how the link, or what was done over it, ended; or why there is none.
    ///   - isTakenOver: whether the link was up before.
    ///   - progress: a number that grows when something new was stored.
    /// - Returns: nil if the error is the result.
    mutating func step(after error: any Error, isTakenOver: Bool, progress: Int = 0) -> Step? {
        guard let error = error as? BluetoothError else { return nil }
        links += 1
        if progress != lastProgress { (failures, lastProgress, mayTimeOut) = (0, progress, maximumFailures > 0) }
        guard links < Self.maximumLinks else { return nil }
        switch error {
        case .linkLost where isTakenOver && mayBeDisconnecting:
            // If a program is killed while it disconnects, a link is left that BlueZ drops up to 2 s later.
            mayBeDisconnecting = false
            return .reconnect(after: Self.backoff)
        case .notPaired where mayPair, .timedOut where mayPair:
            // Nothing announces that a characteristic demands encryption, and pairing with a pedometer that has none
            // fails. BlueZ answers "Not paired", or (5.66, with no agent registered) not at all.
            mayPair = false
            return .pair
        case .attError(ATTErrorCode.invalidHandle, _) where mayRediscover, .characteristicNotFound where mayRediscover:
            // BlueZ has handles from before a firmware update.
            mayRediscover = false
            return .rediscover
        case .timedOut where mayTimeOut:
            // The link may exist for BlueZ alone. If there is no answer over another one either, there will be none.
            mayTimeOut = false
            return .reconnect(after: Self.backoff)
        case .linkLost, .readFailed, .writeFailed, .notifyFailed, .attError, .busy:
            guard failures < maximumFailures else { return nil }
            failures += 1
            return .reconnect(after: Self.backoff)
        default:
            guard error.mayPassByItself, maximumFailures > 0, adapterWaits < Self.maximumAdapterWaits else {
                return nil
            }
            adapterWaits += 1
            return .awaitAdapter
        }
    }
}
