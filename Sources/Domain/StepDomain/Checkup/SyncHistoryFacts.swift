/// What the history contains about the last syncs of a pedometer.
public struct SyncHistoryFacts: Hashable, Sendable {
    public var pedometer: Pedometer
    /// Newest first.
    public var syncs: [SyncRecord]
    public var now: Timestamp

    public init(pedometer: Pedometer, syncs: [SyncRecord], now: Timestamp) {
        self.pedometer = pedometer
        self.syncs = syncs
        self.now = now
    }

    /// Seconds without a complete sync that cause a warning; a nightly sync that was missed once does not.
    static let longestPause = 2 * 86_400
    /// Seconds after which a sync that has not ended never will.
    static let longestSync = 3600
}

extension SyncHistoryFacts {
    /// How the last syncs went, and the battery level that they reported.
    public var diagnoses: [Diagnosis] {
        var diagnoses = [last]
        if let battery = syncs.lazy.compactMap(\.battery).first, battery < Pedometer.lowBattery {
            diagnoses.append(.batteryLow(percent: battery))
        }
        return diagnoses.map { .syncs(pedometer: pedometer.name, $0) }
    }

    private var last: SyncHistoryDiagnosis {
        guard let latest = syncs.first else { return .never }
        let lastComplete = syncs.first { $0.outcome == .complete }.map { $0.end ?? $0.start }
        let failures = syncs.prefix { $0.outcome != .complete }
        if failures.isEmpty, let lastComplete {
            return now - lastComplete > Self.longestPause ? .tooLongAgo(lastComplete) : .recent(lastComplete)
        }
        let success: SyncHistoryDiagnosis.Success = lastComplete.map { .at($0) } ?? .none(of: syncs.count)
        if latest.outcome == .running, now - latest.start < Self.longestSync { return .running(success, since: latest.start) }
        return .failing(
            success, tries: failures.count, last: latest.end ?? latest.start,
            latest.outcome == .running ? .endedFromOutside : .failed(reason: latest.failure))
    }
}

/// The state of a pedometer according to its last syncs.
public enum SyncHistoryDiagnosis: Hashable, Sendable {
    case never
    /// When the last sync ended, which was complete.
    case recent(Timestamp)
    case tooLongAgo(Timestamp)
    /// A sync began and may still be running.
    case running(Success, since: Timestamp)
    /// Attempts since the last complete sync, and how the last of them ended.
    case failing(Success, tries: Int, last: Timestamp, Ending)
    case batteryLow(percent: Int)

    /// The last complete sync.
    public enum Success: Hashable, Sendable {
        case at(Timestamp)
        /// None of so many syncs was complete.
        case none(of: Int)
    }

    /// How a sync that was not complete ended.
    public enum Ending: Hashable, Sendable {
        /// It was killed, or the machine was switched off.
        case endedFromOutside
        case failed(reason: String?)
    }

    public var severity: Severity {
        switch self {
        case .recent: .fine
        case .never, .running: .note
        case .tooLongAgo, .failing, .batteryLow: .warning
        }
    }
}
