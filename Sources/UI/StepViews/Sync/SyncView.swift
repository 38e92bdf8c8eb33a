public import StepDomain

/// How a sync went: one line a pedometer, and below it what the user should hear of it.
public struct SyncView: View {
    /// What a failure needs beyond the report's own words.
    public typealias Advice = @Sendable (any Error) -> String?

    let reports: [SyncReport]
    let now: Timestamp
    let localTime: LocalTime
    let advice: Advice
    let shares: ShareView?

    /// - Parameters:
    ///   - shares: how the sharing after it went; nil where nothing is shared.
    ///   - advice: what to do about an error, in the terms of whoever failed.
    public init(
        _ reports: [SyncReport], shares: ShareView? = nil, now: Timestamp, localTime: LocalTime, advice: @escaping Advice = { _ in nil }
    ) {
        self.reports = reports
        self.shares = shares
        self.now = now
        self.localTime = localTime
        self.advice = advice
    }

    /// What is being done, for a line of progress.
    public static func words(for progress: ReadProgress, of pedometer: Pedometer) -> String {
        let name = Printable(pedometer.name, limit: 32)
        return switch progress {
        case .searching: "\(name): looking for it"
        case .connecting: "\(name): connected"
        case .reading(let done, let all): "\(name): reading, \(done) of \(all)"
        case .settingClock: "\(name): setting its clock"
        }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if reports.isEmpty { page.line("No pedometer to sync. Add one: istep scan, then istep add.") }
        for report in reports {
            page.paragraph(line(report), ink: report.failure == nil ? nil : .bad, hanging: 2)
            if let failure = report.failure, let advice = advice(failure) {
                page.paragraph(Printable(advice, limit: 400).description, indent: 2)
            }
            for notice in report.notices { page.paragraph(words(notice, report), ink: .doubtful, indent: 2) }
        }
        return page.lines + (shares?.news.lines(style) ?? [])
    }

    private func line(_ report: SyncReport) -> String {
        let name = Printable(report.pedometer.name, limit: 32)
        guard report.failure == nil else {
            let kept = report.counts.steps > 0 ? " after \(Words.count(report.counts.steps, "new step")), which are kept" : ""
            return "\(name): failed\(kept): \(Printable(report.failureText ?? "no reason given", limit: 400))"
        }
        var parts = [gain(report.counts)]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        if let seconds = report.connectedSeconds { parts.append("connected \(Words.fixed(seconds, 1)) s") }
        return "\(name): " + parts.joined(separator: ", ")
    }

    func words(_ notice: SyncNotice, _ report: SyncReport) -> String {
        guard case .clockWasOff = notice, let record = report.record, let setting = report.pedometer.clock.settings.last,
            setting.at >= record.start
        else { return notice.words }
        return notice.words + " It is set to local time again."
    }

    private func gain(_ counts: MergeCounts) -> String {
        if counts.steps > 0 {
            return "\(Words.count(counts.steps, "new step")) in \(Words.count(counts.added + counts.grown, "slot"))"
        }
        return counts.added + counts.grown + counts.unchanged == 0 ? "no steps" : "nothing new"
    }
}
