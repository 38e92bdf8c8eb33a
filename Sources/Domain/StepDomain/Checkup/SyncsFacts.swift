/// What the history tells of the last syncs of a pedometer.
public struct SyncsFacts: Hashable, Sendable {
    public var pedometer: Pedometer
    /// Newest first.
    public var syncs: [SyncRecord]
    public var now: Timestamp

    public init(pedometer: Pedometer, syncs: [SyncRecord], now: Timestamp) {
        self.pedometer = pedometer
        self.syncs = syncs
        self.now = now
    }

    /// Seconds without a complete sync that are worth a word; a nightly one that was missed once is none.
    static let long = 2 * 86_400
    /// Seconds after which a sync that has not ended will not.
    static let stale = 3600
}

extension SyncsFacts {
    /// How the last syncs went, and what they told of the battery.
    public var remarks: [Remark] {
        let subject = pedometer.name
        var remarks = [last(subject)]
        if let battery = syncs.lazy.compactMap(\.battery).first, battery < StepDataService.lowBattery {
            remarks.append(Remark(.warning, subject, "its battery was at \(battery) % when it was last read", cure: "Charge it."))
        }
        return remarks
    }

    private func last(_ subject: String) -> Remark {
        guard let latest = syncs.first else { return Remark(.note, subject, "never synced", cure: "istep sync") }
        let failures = syncs.prefix { $0.outcome != .complete }
        let complete = syncs.first { $0.outcome == .complete }
        let moment = complete.map { $0.end ?? $0.start }
        let synced = moment.map { "last synced \(age($0))" } ?? "no sync of the last \(syncs.count) succeeded"
        guard !failures.isEmpty else {
            let isOld = moment.map { now - $0 > Self.long } ?? true
            return Remark(isOld ? .warning : .fine, subject, synced, cure: isOld ? "istep sync; every night by itself: istep auto on" : nil)
        }
        if latest.outcome == .running, now - latest.start < Self.stale {
            return Remark(.note, subject, "\(synced); a sync began \(age(latest.start)) and has not ended")
        }
        let tries = failures.count == 1 ? "one try since" : "\(failures.count) tries since"
        let trouble = latest.outcome == .running ? "was ended from outside" : "failed: \(latest.failure ?? "no reason given")"
        return Remark(.warning, subject, "\(synced); \(tries), the last \(age(latest.end ?? latest.start)) \(trouble)")
    }

    private func age(_ moment: Timestamp) -> String {
        switch now - moment {
        case ..<(-60): "in the future (\(moment.iso8601(utcOffset: 0)))"
        case ..<120: "just now"
        case let seconds where seconds < 2 * 3600: "\(seconds / 60) minutes ago"
        case let seconds where seconds < 2 * 86_400: "\(seconds / 3600) hours ago"
        case let seconds: "\(seconds / 86_400) days ago"
        }
    }
}
