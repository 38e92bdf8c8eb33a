internal import Support

/// When a ``PresenceMonitor`` scans: often at first, and less often the longer nothing was heard.
///
/// A scan keeps the radio on, which costs a laptop's battery; a peripheral that was away for hours usually stays away
/// for hours more.
public struct ScanPace: Sendable, Hashable {
    /// The length of one scan. Pedometers advertise about once a second, slow ones every two seconds.
    public var length: Duration
    /// The pause between two scans.
    public var pause: Duration
    /// The first scan waits for a pause, too.
    public var beginsWithPause: Bool

    /// After this long without hearing a peripheral the pause doubles, and after four times as long it is five times as
    /// long.
    public var quietPeriod: Duration
    private var silence: Duration = .zero

    /// Five seconds of each minute; after an hour without a peripheral five seconds of two minutes, after four hours of
    /// five minutes.
    public init(
        length: Duration = .seconds(5), pause: Duration = .seconds(55), beginsWithPause: Bool = false,
        quietPeriod: Duration = .seconds(3600)
    ) {
        self.length = length
        self.pause = pause
        self.beginsWithPause = beginsWithPause
        self.quietPeriod = quietPeriod
    }

    /// The pace beside a monitor of advertisements, which does not detect a peripheral that sends its data in scan
    /// responses only.
    var besideMonitor: ScanPace {
        ScanPace(length: length, pause: (length + pause) * 5 - length, beginsWithPause: true, quietPeriod: quietPeriod)
    }

    /// A scan is over: returns how long to wait for the next one.
    mutating func next(discovered: Bool) -> Duration {
        silence = discovered ? .zero : silence + length + pause
        if silence < quietPeriod { return pause }
        return (length + pause) * (silence < quietPeriod * 4 ? 2 : 5) - length
    }
}

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
