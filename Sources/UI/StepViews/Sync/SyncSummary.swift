public import StepDomain

/// An unattended run in one line: `ring: 8,123 new steps, battery 80 %; watch: not in range; diary: 1 day sent`.
public struct SyncSummary: Hashable, Sendable {
    public let line: String
    let isEmpty: Bool

    /// - Parameters:
    ///   - shares: how the sharing after it went; nil if nothing is shared.
    ///   - imports: those of the configuration.
    public init(_ reports: [SyncReport], shares: [ShareReport] = [], imports: [ScheduledImportReport] = []) {
        let parts = reports.map(Self.part) + imports.map(Self.part) + shares.compactMap(Self.part)
        isEmpty = parts.isEmpty
        line = parts.isEmpty ? Advice.firstPedometer().description : parts.joined(separator: "; ")
    }

    /// The same for a run that reads no pedometer.
    ///
    /// - Parameter words: where there was nothing to do.
    public func line(orElse words: String) -> String { isEmpty ? words : line }

    private static func part(_ report: SyncReport) -> String {
        let name = Printable(report.pedometer.name, limit: 32)
        if let cause = report.cause {
            let stored = report.counts.steps > 0 ? "\(Words.count(report.counts.steps, "new step")), then " : ""
            return "\(name): " + stored
                + (cause == .outOfRange ? "not in range" : cause == .interrupted ? "interrupted" : "failed")
        }
        var parts = [
            report.counts.steps > 0
                ? Words.count(report.counts.steps, "new step") : report.undecidedSteps ?? "nothing new"
        ]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        if !report.gaps.isEmpty { parts.append("\(Words.count(report.gaps.count, "day")) missing") }
        return "\(name): " + parts.joined(separator: ", ")
    }

    private static func part(_ report: ScheduledImportReport) -> String {
        var parts: [String] = []
        switch report.outcome {
        case .unchanged: break
        case .failed: parts = ["failed"]
        case .imported(let changes):
            parts = [(changes.newDays.count, "new"), (changes.correctedDays.count, "changed")].filter { $0.0 > 0 }
                .map { "\(Words.count($0.0, "day")) \($0.1)" }
        }
        if parts.isEmpty { parts = ["nothing new"] }
        if let damaged = ScheduledImportWords.damaged(report.damaged) { parts.append(damaged) }
        return "import \(Printable(report.name, limit: 32)): " + parts.joined(separator: ", ")
    }

    /// Nil if there was nothing to do.
    private static func part(_ report: ShareReport) -> String? {
        var counts: [String: Int] = [:]
        for event in report.events { if let word = word(for: event.outcome) { counts[word, default: 0] += 1 } }
        var parts = ["sent", "updated", "may have arrived", "rejected"].compactMap { word in
            counts[word].map { "\(Words.count($0, "day")) \(word)" }
        }
        if report.queued > 0 {
            parts.append("\(Words.count(report.queued, "day")) \(report.queued == 1 ? "waits" : "wait")")
        }
        if report.state.stopped != nil { parts.append("paused") }
        if report.fault != nil { parts.append("failed") }
        guard !parts.isEmpty else { return nil }
        return "\(Printable(report.destination, limit: 32)): " + parts.joined(separator: ", ")
    }

    private static func word(for outcome: ShareReport.Event.Outcome) -> String? {
        switch outcome {
        case .sent: "sent"
        case .corrected: "updated"
        case .doubtful: "may have arrived"
        case .rejected, .withheld: "rejected"
        case .unchanged, .fixed, .passed, .held, .queued, .unknown, .nothingKnown: nil
        }
    }
}

extension SyncReport {
    /// Steps that were read and are not counted yet, in a sync without others; nil for none.
    var undecidedSteps: String? {
        guard counts.steps == 0 else { return nil }
        return notices.lazy.compactMap {
            if case .undecided(let steps) = $0 { "\(Words.count(steps, "step")) not counted yet" } else { nil }
        }
        .first
    }
}
