/// Why a pedometer could not be examined.
public enum PedometerContactError: Error, Hashable, Sendable {
    case notInRange
    /// It was heard and does not let this machine connect.
    case connectFailed(ConnectCause, reason: String)
    /// It requires an encrypted link, and so pairing.
    case notPaired
    case other(Problem)

    /// What is known of a failed connection.
    public enum ConnectCause: Hashable, Sendable {
        /// The keys of the two sides do not match, or several failures suggest this.
        case pairingLost
        /// Another program of this machine is connecting.
        case busy
        case other
    }
}

/// An attempt to read a pedometer, with what the scan before it heard.
public struct PedometerFacts: Hashable, Sendable {
    public var pedometer: Pedometer
    /// Nil if the scan did not hear it.
    public var discovered: DiscoveredDevice?

    public init(pedometer: Pedometer, discovered: DiscoveredDevice?) {
        self.pedometer = pedometer
        self.discovered = discovered
    }

    /// The pedometer answered.
    public func diagnoses(of report: ReadReport) -> [Diagnosis] {
        var diagnoses: [PedometerDiagnosis] = [.answers(battery: report.battery, rssi: discovered?.rssi)]
        if discovered?.isConnected == true { diagnoses.append(.alreadyConnected) }
        if let battery = report.battery, battery < BatteryLevel.low { diagnoses.append(.batteryLow(percent: battery)) }
        diagnoses += report.notices.compactMap(Self.diagnosis)
        return diagnoses.map { .pedometer(pedometer.name, $0) }
    }

    private static func diagnosis(of notice: SyncNotice) -> PedometerDiagnosis? {
        switch notice {
        case .clockWasOff(let seconds): .clockOff(seconds: seconds)
        case .undecodable(let frames): .undecodable(packets: frames)
        // The report of a sync shows these.
        case .batteryLow, .implausible, .counterRestarted, .lost, .dayNotClosed, .missing, .tooOld, .undecided,
            .countingStarted,
            .oversized, .clockCorrected, .zoneChanged, .zoneDiffers, .appOutdated, .stepsInDoubt, .adapterRestarted:
            nil
        }
    }

    /// The pedometer did not answer.
    public func diagnosis(of error: PedometerContactError) -> Diagnosis {
        switch error {
        case .notInRange: .pedometer(pedometer.name, .notInRange(address: pedometer.address))
        case .connectFailed(.pairingLost, let reason):
            .pedometer(pedometer.name, .pairingLost(address: pedometer.address, reason: reason))
        case .connectFailed(.busy, let reason): .pedometer(pedometer.name, .connectFailed(.busy, reason: reason))
        // BlueZ has many errors for keys that do not match, and none of them means only that.
        case .connectFailed(.other, let reason) where discovered?.isPaired == true:
            .pedometer(pedometer.name, .connectFailed(.maybeUnpaired(address: pedometer.address), reason: reason))
        case .connectFailed(.other, let reason): .pedometer(pedometer.name, .connectFailed(.unknown, reason: reason))
        case .notPaired where discovered?.isPaired == true:
            .pedometer(pedometer.name, .pairingLost(address: pedometer.address, reason: nil))
        case .notPaired: .pedometer(pedometer.name, .needsPairing)
        case .other(let problem): .failed(.pedometer(pedometer.name), problem)
        }
    }
}

/// The result of an attempt to read a pedometer.
public enum PedometerDiagnosis: Hashable, Sendable {
    /// There was no scan, or the history is not known.
    case notTried
    /// A process has just begun to work with it; nil if it cannot be determined which.
    case inUse(HistoryHolder?)
    /// Battery in per cent, signal in dBm; nil if not known.
    case answers(battery: Int?, rssi: Int?)
    /// This machine was connected to it before the examination.
    case alreadyConnected
    case batteryLow(percent: Int)
    /// The clock is off by this many seconds, positive if it is ahead; nil if not known.
    case clockOff(seconds: Int?)
    case undecodable(packets: Int)
    case notInRange(address: String)
    case connectFailed(ConnectCause, reason: String)
    /// - Parameter reason: why the connection failed; nil if the pedometer requires pairing although this machine holds
    ///   a bond.
    case pairingLost(address: String, reason: String?)
    case needsPairing

    public enum ConnectCause: Hashable, Sendable {
        case busy
        /// This machine holds a bond with the pedometer, which may have lost its own.
        case maybeUnpaired(address: String)
        case unknown
    }

    public var severity: Severity {
        switch self {
        case .notTried, .inUse: .skipped
        case .answers: .fine
        case .alreadyConnected: .note
        case .batteryLow, .clockOff, .undecodable: .warning
        case .notInRange, .connectFailed: .fault(.temporary)
        case .pairingLost, .needsPairing: .fault(.permission)
        }
    }
}

/// What the history contains about the last syncs of a pedometer.
public struct SyncHistoryFacts: Hashable, Sendable {
    public var pedometer: Pedometer
    public var recent: RecentSyncs
    public var now: Timestamp

    public init(pedometer: Pedometer, recent: RecentSyncs, now: Timestamp) {
        self.pedometer = pedometer
        self.recent = recent
        self.now = now
    }

    private var syncs: [SyncRecord] { recent.syncs }

    /// Seconds without a complete sync that cause a warning; a nightly sync that was missed once does not.
    static let maximumPause = 2 * 86_400
}

extension SyncHistoryFacts {
    /// How the last syncs went, and the battery level that they reported.
    public var diagnoses: [Diagnosis] {
        var diagnoses = [last]
        if let ahead = recent.ahead { diagnoses.append(.ahead(ahead)) }
        if let battery = syncs.lazy.compactMap(\.battery).first, battery < BatteryLevel.low {
            diagnoses.append(.batteryLow(percent: battery))
        }
        return diagnoses.map { .syncs(pedometer: pedometer.name, $0) }
    }

    private var last: SyncHistoryDiagnosis {
        guard let latest = syncs.first else { return .never }
        let lastComplete = syncs.first { $0.outcome == .complete }.map { $0.end ?? $0.start }
        if latest.outcome == .running, !latest.isAbandoned(at: now) {
            return .running(lastComplete, since: latest.start)
        }
        let tries = syncs.attempts, failures = syncs.failures(at: now)
        if let failure = failures.first {
            return .failing(
                lastComplete, tries: failures.count, last: failure.end ?? failure.start, reason: failure.failure)
        }
        if let lastComplete, now - lastComplete > Self.maximumPause { return .tooLongAgo(lastComplete) }
        if let lastComplete, tries.isEmpty { return .recent(lastComplete) }
        return .interrupted(lastComplete, tries: tries.count, last: latest.end ?? latest.start)
    }
}

/// The state of a pedometer according to its last syncs.
public enum SyncHistoryDiagnosis: Hashable, Sendable {
    case never
    /// The last sync was complete, and ended at this time.
    case recent(Timestamp)
    case tooLongAgo(Timestamp)
    /// A sync began and may still be running. The first value of this and the next two is the end of the last complete
    /// sync; nil if there was none.
    case running(Timestamp?, since: Timestamp)
    /// Attempts since then that failed, and when and why the last of them did.
    case failing(Timestamp?, tries: Int, last: Timestamp, reason: String?)
    /// All attempts since then were interrupted, the last at this time. This says nothing about the pedometer, but if
    /// none was complete, several in a row have a cause, such as a time limit that is too short.
    case interrupted(Timestamp?, tries: Int, last: Timestamp)
    case batteryLow(percent: Int)
    /// A sync began at this time of the future: this machine's clock was ahead. It is ignored.
    case ahead(Timestamp)

    public var severity: Severity {
        switch self {
        case .recent: .fine
        case .interrupted(nil, let tries, _) where tries >= 3: .warning
        case .never, .running, .interrupted, .ahead: .note
        case .tooLongAgo, .failing, .batteryLow: .warning
        }
    }
}
