public import StepDomain
public import StepServices

/// How a sync went: one line for each pedometer, and below it what the user should know about it.
public struct SyncView: View {
    let reports: [SyncReport]
    let now: Timestamp
    let localTime: LocalTime
    let shares: ShareView?
    public let failures: [ErrorText]
    let imports: [ScheduledImportReport]
    private let given: Set<String>

    /// - Parameters:
    ///   - imports: those of the configuration, in the nightly run.
    ///   - shares: how the sharing after it went; nil if nothing is shared.
    ///   - failures: other failures, for programs: people read them on standard error.
    ///   - given: advice that was shown before, and is not shown again.
    public init(
        _ reports: [SyncReport], shares: ShareView? = nil, failures: [ErrorText] = [],
        imports: [ScheduledImportReport] = [], now: Timestamp, localTime: LocalTime, given: Set<String> = []
    ) {
        self.reports = reports
        self.shares = shares
        self.failures = failures
        self.imports = imports
        self.now = now
        self.localTime = localTime
        self.given = given
    }

    /// How a whole run went.
    public init(_ outcome: SyncService.Outcome, now: Timestamp, localTime: LocalTime) {
        let shares = outcome.shares.map { ShareView($0, users: outcome.users, now: now, localTime: localTime) }
        self.init(
            outcome.reports, shares: shares, failures: outcome.otherFailures.map(ErrorText.init),
            imports: outcome.imports, now: now, localTime: localTime)
    }

    /// After a sync that ended early, and was not without effect.
    private static let resumption = "Received data was saved. The next sync continues from there."

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        // Several pedometers can fail for one cause: what to do about it is said once.
        var given = given
        for report in reports {
            let isInterrupted = report.cause == .interrupted
            page.paragraph(
                line(report), emphasis: report.failure == nil ? nil : isInterrupted ? .doubtful : .bad, hanging: 2)
            if let failure = report.failure {
                // After an interruption, the sentence about the received data has the same advice.
                if !isInterrupted || !report.hasReceived, let advice = ErrorText(failure).advice,
                    given.insert(advice).inserted
                {
                    page.advice(Advice(markup: advice), indent: 2)
                }
                if report.hasReceived { page.paragraph(Self.resumption, indent: 2) }
            }
            for notice in report.notices { page.advice(words(notice, report), emphasis: .doubtful, indent: 2) }
        }
        return page.lines + ending(style)
    }

    /// What to do about the failures of pedometers.
    public var advice: Set<String> { Set(reports.compactMap(\.failure).compactMap { ErrorText($0).advice }) }

    /// The same in one line.
    public var summary: SyncSummary { SyncSummary(reports, shares: shares?.reports ?? [], imports: imports) }

    private static let noPedometer = "No pedometer to sync"

    /// All of it in one line, with what failed besides.
    ///
    /// - Parameter isClockRight: false if this machine's clock may be wrong.
    public func line(isClockRight: Bool) -> String {
        let parts =
            (reports.isEmpty ? [Self.noPedometer] : []) + (summary.isEmpty ? [] : [summary.line])
            + failures.map(\.message) + (isClockRight ? [] : [ClockWaitWords.problem])
        return parts.joined(separator: "; ")
    }

    /// What follows the lines of the pedometers: what was shared.
    public func ending(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if reports.isEmpty { page.advice(.firstPedometer("\(Self.noPedometer).")) }
        return page.lines + (shares?.news.lines(style) ?? [])
    }

    private func line(_ report: SyncReport) -> String {
        let name = Printable(report.pedometer.name, limit: 32)
        guard report.failure == nil else {
            if report.cause == .interrupted { return "\(name): interrupted\(extent(report))" }
            return "\(name): failed\(extent(report)): \(Printable(report.failureText ?? "no reason given", limit: 400))"
        }
        var parts = [
            report.notices.contains(.countingStarted) ? "first reading" : report.undecidedSteps ?? gain(report.counts)
        ]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        if let firmware = report.firmware { parts.append("firmware \(Printable(firmware, limit: 32))") }
        if let seconds = report.readSeconds { parts.append("read in \(Words.fixed(seconds, 1)) s") }
        return "\(name): " + parts.joined(separator: ", ")
    }

    /// Progress of a reading that failed: ` after 3 of 8 days, 1,234 new steps in 42 slots`.
    private func extent(_ report: SyncReport) -> String {
        var parts: [String] = []
        if let done = report.daysRead, let planned = report.daysPlanned, planned > 1 {
            parts.append("\(done) of \(planned) days")
        }
        if report.counts.steps > 0 { parts.append(gain(report.counts)) }
        return parts.isEmpty ? "" : " after " + parts.joined(separator: ", ")
    }

    func words(_ notice: SyncNotice, _ report: SyncReport) -> Advice {
        if case .stepsInDoubt(.unrecorded) = notice { return "\(notice.words)" }
        if case .stepsInDoubt = notice {
            return "\(notice.words): \(command: "istep gatt capture", report.pedometer.name)"
        }
        guard case .clockWasOff = notice, let record = report.record,
            let setting = report.pedometer.clock.settings.last,
            setting.at >= record.start
        else { return "\(notice.words)" }
        return "\(notice.words) It is set to local time again."
    }

    private func gain(_ counts: MergeCounts) -> String {
        if counts.steps > 0 {
            return "\(Words.count(counts.steps, "new step")) in \(Words.count(counts.added + counts.grown, "slot"))"
        }
        return counts.added + counts.grown + counts.unchanged == 0 ? "no steps" : "nothing new"
    }
}

extension SyncReport {
    /// Whether anything of it was stored.
    fileprivate var hasReceived: Bool { counts.added + counts.grown + counts.unchanged > 0 || (daysRead ?? 0) > 0 }
}

/// `istep sync --json`.
extension SyncView: Described {
    public static let keys: [JSONKey<SyncView>] = [
        .version,
        .list("pedometers", "The pedometers that were to be read.") { view in
            view.reports.map { ReportRecord(report: $0, view: view) }
        },
        .list("imports", "The imports of the configuration, in a run by the timer.") { $0.imports },
        .list("shares", "What was shared afterwards.") { $0.shares?.records ?? [] },
        .list("failures", "What else failed, such as a configuration that is wrong.") { $0.failures },
    ]

    fileprivate func record(_ notice: SyncNotice, _ report: SyncReport) -> NoticeRecord {
        NoticeRecord(kind: notice.kind, message: words(notice, report).description)
    }
}

private struct ReportRecord: Described {
    let report: SyncReport, view: SyncView

    private var localTime: LocalTime { view.localTime }

    static let keys: [JSONKey<ReportRecord>] = [
        .init(.chosenName) { $0.report.pedometer.name },
        .init(.address) { $0.report.pedometer.address },
        .init(.model) { $0.report.pedometer.model },
        .init("outcome", .choice(["complete", "failed"]), "How it ended.") {
            $0.report.failure == nil ? "complete" : "failed"
        },
        .init("start", .nullable(.time), "Null where it was not begun.") { sync in
            sync.report.record.map { Words.iso($0.start, sync.localTime) }
        },
        .init("end", .nullable(.time), "When it ended.") { sync in
            sync.report.record?.end.map { Words.iso($0, sync.localTime) }
        },
        .init("added", .integer, "Slots that were new.") { $0.report.counts.added },
        .init("grown", .integer, "Slots that were stored before with fewer steps.") { $0.report.counts.grown },
        .init("unchanged", .integer, "Slots that were stored before with at least as many steps.") {
            $0.report.counts.unchanged
        },
        .init("implausible", .integer, "Implausible slots, which do not count.") { $0.report.counts.implausible },
        .init("steps", .integer, "Steps that the history gained.") { $0.report.counts.steps },
        .init("frames", .integer, "Raw frames that were stored.") { $0.report.counts.frames },
        .init("battery", .nullable(.integer), "Per cent.") { $0.report.battery },
        .init("firmware", .nullable(.text), "The version of its firmware, where it was read.") { $0.report.firmware },
        .init("connectedSeconds", .nullable(.number), "How long the connection was open.") {
            $0.report.connectedSeconds.flatMap { $0.isFinite ? tenths($0) : nil }
        },
        .init(
            "daysRead", .nullable(.integer),
            "Days (one for a counter) that were processed; null where the reading did not begin."
        ) { $0.report.daysRead },
        .init("daysPlanned", .nullable(.integer), "Days that were planned to be read.") { $0.report.daysPlanned },
        .list("missing", "Days that were not received completely; they are requested again at the next sync.") {
            $0.report.gaps
        },
        .list("notices", "What the user should know.") { sync in
            sync.report.notices.map { sync.view.record($0, sync.report) }
        },
        .optional("failure", "Why it failed.") { sync in
            sync.report.failure.map {
                FailureRecord(message: sync.report.failureText ?? "no reason given", advice: ErrorText($0).advice)
            }
        },
    ]
}

private struct NoticeRecord: Described {
    let kind: SyncNotice.Kind, message: String

    static let keys: [JSONKey<NoticeRecord>] = [
        .init("kind", .choice(SyncNotice.Kind.self), "What was noticed.") { $0.kind.rawValue },
        .init("message", .text, "In words, with what to do.") { $0.message },
    ]
}

/// A day that was requested and not received completely.
extension DayGap: Described {
    public static let keys: [JSONKey<DayGap>] = [
        .init("day", .day, "By the pedometer's calendar.") { $0.day.description },
        .init("reason", .choice(["refused", "unanswered", "incomplete"]), "Why it was not received completely.") {
            $0.reason.rawValue
        },
    ]
}

private struct FailureRecord: Described {
    let message: String, advice: String?

    static let keys: [JSONKey<FailureRecord>] = [
        .init(.failure) { $0.message },
        .init(.advice) { $0.advice },
    ]
}

extension ScheduledImportReport: Described {
    public static let keys: [JSONKey<ScheduledImportReport>] = [
        .init(.configuredName) { $0.name },
        .init("outcome", .choice(["imported", "unchanged", "failed"]), "How it went.") {
            switch $0.outcome {
            case .imported: "imported"
            case .unchanged: "unchanged"
            case .failed: "failed"
            }
        },
        .init("newDays", .integer, "Days of which nothing was known before.") { $0.changes?.newDays.count ?? 0 },
        .init("changedDays", .integer, "Days that had other steps.") { $0.changes?.correctedDays.count ?? 0 },
        .init("damaged", .list(.text), "Newer files of the folder that cannot be read.") { $0.damaged },
    ]

    private var changes: ImportChanges? { if case .imported(let changes) = outcome { changes } else { nil } }
}

extension JSONDocument {
    public static let sync = JSONDocument(
        "sync", "What a sync read and shared. watch prints one such document for each of its syncs.",
        SyncView.self)
}
