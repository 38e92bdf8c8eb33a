public import StepDomain
public import StepServices

/// How a sync went: one line for each pedometer, and below it what the user should know about it.
public struct SyncView: View {
    let reports: [SyncReport]
    let now: Timestamp
    let localTime: LocalTime
    let shares: ShareView?
    let failures: [ErrorText]
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
    private static let resumption = "Received data was saved. Run the command again to continue."

    /// What is being done, for a line of progress.
    public static func words(for progress: ReadProgress, of pedometer: Pedometer) -> String {
        let name = Printable(pedometer.name, limit: 32)
        return switch progress {
        case .searching: "\(name): searching"
        case .adapterRestarted: "\(name): the adapter received nothing and was switched off and on; searching again"
        case .connecting: "\(name): connected"
        case .reconnecting: "\(name): the connection was lost; connecting again"
        case .reading(let done, let all): "\(name): reading, \(done) of \(all)"
        }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if reports.isEmpty { page.advice(.firstPedometer("No pedometer to sync.")) }
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
        return page.lines + shareLines(style)
    }

    /// What to do about the failures of pedometers.
    public var advice: Set<String> { Set(reports.compactMap(\.failure).compactMap { ErrorText($0).advice }) }

    /// Only what was shared after the sync.
    public func shareLines(_ style: TextStyle) -> [String] { shares?.news.lines(style) ?? [] }

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

extension SyncView {
    /// `istep sync --json`.
    public struct Document: JSONDocument {
        public struct Notice: Codable, Sendable {
            public var kind: String
            public var message: String

            static let schema = JSONSchema.object([
                .init("kind", .choice(SyncNotice.kinds), "What was noticed."),
                .init("message", .text, "In words, with what to do."),
            ])
        }

        /// A day that was requested and not received completely.
        public struct Gap: Codable, Sendable {
            /// ISO 8601.
            public var day: String
            /// `refused`, `unanswered` or `incomplete`.
            public var reason: String

            static let schema = JSONSchema.object([
                .init("day", .day, "By the pedometer's calendar."),
                .init(
                    "reason", .choice(["refused", "unanswered", "incomplete"]), "Why it was not received completely."),
            ])
        }

        public struct Failure: Codable, Sendable {
            public var message: String
            @Nullable public var advice: String?

            static let schema = JSONSchema.object([
                .init("message", .text, "What failed."), .init("advice", .nullable(.text), "What to do."),
            ])
        }

        public struct Entry: Codable, Sendable {
            public var name: String
            public var address: String
            public var model: String
            /// `complete` or `failed`.
            public var outcome: String
            /// ISO 8601 with offset; null where the sync was not begun.
            @Nullable public var start: String?
            @Nullable public var end: String?
            /// Slots that the history did not have, had with fewer steps, had the same; and implausible ones.
            public var added: Int
            public var grown: Int
            public var unchanged: Int
            public var implausible: Int
            /// Steps that the history gained.
            public var steps: Int
            /// Raw frames stored.
            public var frames: Int
            /// Per cent.
            @Nullable public var battery: Int?
            /// The version of its firmware; null where it was not read.
            @Nullable public var firmware: String?
            /// From the beginning of each link to its end; null where there was none.
            @Nullable public var connectedSeconds: Double?
            /// Progress of the reading: days (one for a counter) that were processed, of those planned; null if it did
            /// not begin.
            @Nullable public var daysRead: Int?
            @Nullable public var daysPlanned: Int?
            /// Requested again at the next sync.
            public var missing: [Gap]
            public var notices: [Notice]
            @Nullable public var failure: Failure?

            static let schema = JSONSchema.object([
                .init("name", .text, "The name that the user chose."),
                .init("address", .text, "Its Bluetooth address."),
                .init("model", .text, "Key of the model, such as colmi."),
                .init("outcome", .choice(["complete", "failed"]), "How it ended."),
                .init("start", .nullable(.time), "Null where it was not begun."),
                .init("end", .nullable(.time), "When it ended."),
                .init("added", .integer, "Slots that were new."),
                .init("grown", .integer, "Slots that were stored before with fewer steps."),
                .init("unchanged", .integer, "Slots that were stored before with at least as many steps."),
                .init("implausible", .integer, "Implausible slots, which do not count."),
                .init("steps", .integer, "Steps that the history gained."),
                .init("frames", .integer, "Raw frames that were stored."),
                .init("battery", .nullable(.integer), "Per cent."),
                .init("firmware", .nullable(.text), "The version of its firmware, where it was read."),
                .init("connectedSeconds", .nullable(.number), "How long the connection was open."),
                .init(
                    "daysRead", .nullable(.integer),
                    "Days (one for a counter) that were processed; null where the reading did not begin."),
                .init("daysPlanned", .nullable(.integer), "Days that were planned to be read."),
                .init(
                    "missing", .list(Gap.schema),
                    "Days that were not received completely; they are requested again at the next sync."),
                .init("notices", .list(Notice.schema), "What the user should know."),
                .init("failure", .nullable(Failure.schema), "Why it failed."),
            ])
        }

        /// An import of the configuration.
        public struct Import: Codable, Sendable {
            public var name: String
            /// `imported`, `unchanged` or `failed`.
            public var outcome: String
            public var newDays: Int
            public var changedDays: Int

            static let schema = JSONSchema.object([
                .init("name", .text, "Its name in the configuration."),
                .init("outcome", .choice(["imported", "unchanged", "failed"]), "How it went."),
                .init("newDays", .integer, "Days of which nothing was known before."),
                .init("changedDays", .integer, "Days that had other steps."),
            ])

            init(_ report: ScheduledImportReport) {
                name = report.name
                (newDays, changedDays) = (0, 0)
                switch report.outcome {
                case .unchanged: outcome = "unchanged"
                case .failed: outcome = "failed"
                case .imported(let changes):
                    outcome = "imported"
                    (newDays, changedDays) = (changes.newDays.count, changes.correctedDays.count)
                }
            }
        }

        public var version = 1
        public var pedometers: [Entry]
        /// Those of the nightly run.
        public var imports: [Import]
        /// As `istep share --json` has them; empty where nothing is shared.
        public var shares: [ShareView.Document.Destination]
        /// Other failures, such as of the upkeep: not of a pedometer or a destination.
        public var failures: [ErrorDocument.Failure]

        public static let schema = JSONSchema.object([
            .version, .init("pedometers", .list(Entry.schema), "The pedometers that were to be read."),
            .init("imports", .list(Import.schema), "The imports of the configuration, in a run by the timer."),
            .init("shares", .list(ShareView.Document.Destination.schema), "What was shared afterwards."),
            .init(
                "failures", .list(ErrorDocument.Failure.schema),
                "What else failed, such as a configuration that is wrong."),
        ])
    }

    public var document: Document {
        Document(
            pedometers: reports.map { report in
                Document.Entry(
                    name: report.pedometer.name, address: report.pedometer.address, model: report.pedometer.model,
                    outcome: report.failure == nil ? "complete" : "failed",
                    start: report.record.map { Words.iso($0.start, localTime) },
                    end: report.record?.end.map { Words.iso($0, localTime) },
                    added: report.counts.added, grown: report.counts.grown, unchanged: report.counts.unchanged,
                    implausible: report.counts.implausible, steps: report.counts.steps, frames: report.counts.frames,
                    battery: report.battery, firmware: report.firmware,
                    connectedSeconds: report.connectedSeconds.flatMap(tenths),
                    daysRead: report.daysRead, daysPlanned: report.daysPlanned,
                    missing: report.gaps.map { Document.Gap(day: $0.day.description, reason: $0.reason.rawValue) },
                    notices: report.notices.map {
                        Document.Notice(kind: $0.kind, message: words($0, report).description)
                    },
                    failure: report.failure.map {
                        Document.Failure(
                            message: report.failureText ?? "no reason given", advice: ErrorText($0).advice)
                    })
            }, imports: imports.map(Document.Import.init), shares: shares?.document.destinations ?? [],
            failures: failures.map(ErrorDocument.Failure.init))
    }

    private func tenths(_ seconds: Double) -> Double? { seconds.isFinite ? (seconds * 10).rounded() / 10 : nil }
}
