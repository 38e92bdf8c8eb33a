public import StepDomain

/// A run that nobody watches, in one line: `ring: 8,123 new steps, battery 80 %; watch: not in range; diary: 1 day sent`.
public struct SyncSummary: Hashable, Sendable {
    public let line: String

    /// - Parameter shares: how the sharing after it went; nil where nothing is shared.
    public init(_ reports: [SyncReport], shares: [ShareReport] = []) {
        let parts = reports.map(Self.part) + shares.compactMap(Self.part)
        line = parts.isEmpty ? "no pedometer yet: istep scan, then istep add" : parts.joined(separator: "; ")
    }

    private static func part(_ report: SyncReport) -> String {
        let name = Printable(report.pedometer.name, limit: 32)
        if let cause = report.cause {
            let kept = report.counts.steps > 0 ? "\(Words.count(report.counts.steps, "new step")), then " : ""
            return "\(name): " + kept + (cause == .outOfRange ? "not in range" : "failed")
        }
        var parts = [report.counts.steps > 0 ? Words.count(report.counts.steps, "new step") : "nothing new"]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        return "\(name): " + parts.joined(separator: ", ")
    }

    /// Nil where there was nothing to do.
    private static func part(_ report: ShareReport) -> String? {
        var counts: [String: Int] = [:]
        for event in report.events { if let word = word(for: event.outcome) { counts[word, default: 0] += 1 } }
        var parts = ["sent", "corrected", "in doubt", "rejected"].compactMap { word in
            counts[word].map { "\(Words.count($0, "day")) \(word)" }
        }
        if report.queued > 0 { parts.append("\(Words.count(report.queued, "day")) \(report.queued == 1 ? "waits" : "wait")") }
        if report.state.stopped != nil { parts.append("stopped") }
        if report.fault != nil { parts.append("failed") }
        guard !parts.isEmpty else { return nil }
        return "\(Printable(report.destination, limit: 32)): " + parts.joined(separator: ", ")
    }

    private static func word(for outcome: ShareReport.Event.Outcome) -> String? {
        switch outcome {
        case .sent: "sent"
        case .corrected: "corrected"
        case .doubtful: "in doubt"
        case .rejected: "rejected"
        case .unchanged, .fixed, .passed, .held, .queued, .unknown, .nothingKnown: nil
        }
    }
}
