public import StepDomain
internal import StepServices

/// How sharing went: a line for each destination, and below it what the user should know about it.
public struct ShareView: View {
    let reports: [ShareReport]
    let users: [User]
    let now: Timestamp
    let localTime: LocalTime

    /// - Parameter users: of the history; days are shown with their names if there are several.
    public init(_ reports: [ShareReport], users: [User], now: Timestamp, localTime: LocalTime) {
        self.reports = reports
        self.users = users
        self.now = now
        self.localTime = localTime
    }

    /// Without the destinations that have nothing to report.
    var news: ShareView {
        ShareView(reports.filter { hasNews($0) }, users: users, now: now, localTime: localTime)
    }

    /// What is being done, for a line of progress.
    public static func words(for progress: ShareProgress) -> String {
        "\(Printable(progress.destination, limit: 32)): sharing, \(progress.done) of \(Words.count(progress.all, "day"))"
    }

    /// What to know before the days of another history than the usual one are shared.
    ///
    /// - Parameters:
    ///   - history: path of the history that `--db` names.
    ///   - usual: path of the one that is used without it.
    public static func note(history: String, usual: String) -> String {
        let (history, usual) = (Printable(history, limit: 1000), Printable(usual, limit: 1000))
        return "Note: this shares the days of '\(history)'; without --db, the history is '\(usual)'. "
            + "Each history records only what it has sent itself: a day that another one has sent can arrive twice, or with older figures."
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        for report in reports { show(report, on: &page) }
        return page.lines
    }

    private func show(_ report: ShareReport, on page: inout Page) {
        let name = Printable(report.destination, limit: 32).description
        let parts = done(report)
        if !parts.isEmpty || !hasNews(report) {
            page.paragraph("\(name): " + (parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")), hanging: 2)
        } else if report.events.contains(where: { hasOwnLine($0) }) || hasOnlyQueue(report) {
            page.row(StyledText("\(name):"))
        }
        let passed = report.events.filter { $0.outcome == .passed }
        if let first = passed.first {
            let days = passed.count == 1 ? subject(first) : Words.count(passed.count, "day")
            page.paragraph("\(days): not sent, since a later day is shown there", indent: 2, hanging: 4)
        }
        for event in report.events { show(event, on: &page) }
        if let event = report.events.first(where: { if case .doubtful = $0.outcome { true } else { false } }) {
            page.advice(
                .whetherItArrived(event.day, report.destination).with(CommandOptions(user: user(event)?.name)),
                indent: 2)
        }
        if let fault = report.fault {
            let text = ErrorText(fault)
            page.paragraph("\(name): \(Printable(text.message, limit: 400))", emphasis: .bad, hanging: 2)
            if let advice = text.advice { page.advice(Advice(markup: advice), indent: 2) }
        } else if let stopped = report.state.stopped {
            page.paragraph(
                "\(name): \(Words.paused): \(Printable(stopped, limit: 300))", emphasis: .bad, hanging: 2)
            if let advice = report.failure?.advice { page.advice(Advice(markup: advice), indent: 2) }
            page.advice(.renewCredentials(of: report.destination), indent: 2)
        } else if let failure = report.failure, failure.kind != .rejected,
            !report.events.contains(where: { $0.names(failure.reason) })
        {
            page.paragraph("\(name): \(Printable(failure.reason, limit: 300))", emphasis: .bad, hanging: 2)
        }
        if let advice = report.failure?.advice, report.state.stopped == nil {
            page.advice(Advice(markup: advice), indent: 2)
        }
        if report.queued > 0 {
            page.paragraph(queue(report), emphasis: .doubtful, indent: 2, hanging: 2)
            if isRejecting(report) {
                page.advice("When the cause is fixed: \(command: "istep outbox retry", report.destination)", indent: 2)
            }
        }
    }

    private func hasNews(_ report: ShareReport) -> Bool {
        report.failure != nil || report.fault != nil || report.state.stopped != nil || report.queued > 0
            || !report.events.isEmpty
    }

    /// Whether nothing is reported but the days that stay in the outbox.
    private func hasOnlyQueue(_ report: ShareReport) -> Bool {
        report.queued > 0 && report.events.isEmpty && report.failure == nil && report.fault == nil
            && report.state.stopped == nil
    }

    /// Whether it has a line of its own.
    private func hasOwnLine(_ event: ShareReport.Event) -> Bool {
        switch event.outcome {
        case .sent, .corrected, .unchanged, .queued: false
        default: true
        }
    }

    private func done(_ report: ShareReport) -> [String] {
        func part(_ word: String, _ outcome: ShareReport.Event.Outcome) -> String? {
            let events = report.events.filter { $0.outcome == outcome }
            guard let first = events.first else { return nil }
            return events.count == 1 ? "\(subject(first)) \(word)" : "\(Words.count(events.count, "day")) \(word)"
        }
        return [part("sent", .sent), part("corrected", .corrected), part("already there", .unchanged)].compactMap(
            \.self)
    }

    private func show(_ event: ShareReport.Event, on page: inout Page) {
        switch event.outcome {
        case .sent, .corrected, .unchanged, .queued: break
        case .passed: break
        case .fixed:
            page.paragraph(
                "\(subject(event)): changed since it was sent, and cannot be corrected there", emphasis: .doubtful,
                indent: 2, hanging: 4)
        case .held(let until):
            page.paragraph("\(subject(event)): \(holding(event.day, until))", indent: 2, hanging: 4)
        case .unknown(let reason), .doubtful(let reason):
            page.paragraph(
                "\(subject(event)): may have arrived: \(Printable(reason, limit: 300))", emphasis: .doubtful, indent: 2,
                hanging: 4)
        case .rejected(let reason):
            page.paragraph(
                "\(subject(event)): \(Words.rejection(reason)): \(Printable(reason, limit: 300))", emphasis: .bad,
                indent: 2, hanging: 4)
        case .nothingKnown:
            page.paragraph(
                "\(subject(event)): nothing is known of that day, so there is nothing to share", emphasis: .doubtful,
                indent: 2, hanging: 4)
        }
    }

    private func holding(_ day: Day, _ until: Timestamp) -> String {
        until <= localTime.span(of: day).end
            ? "waits until the day is over"
            : "waits for its missing steps, until \(Words.clock(until, localTime)) at the latest"
    }

    private func queue(_ report: ShareReport) -> String {
        let days = "\(Words.count(report.queued, "day")) \(report.queued == 1 ? "stays" : "stay") in the outbox"
        guard let moment = report.state.nextAttempt(after: now) else { return days }
        // A wait that began before has no failure in this report.
        let last =
            report.failure == nil
            ? report.state.lastError.map { ", since the last attempt failed: \(Printable($0, limit: 300))" } : nil
        let reason = isRejecting(report) ? ", since several days in a row were rejected" : last ?? ""
        return "\(days)\(reason); next attempt after \(Words.clock(moment, localTime))"
    }

    /// Whether days wait because others were rejected.
    private func isRejecting(_ report: ShareReport) -> Bool {
        report.failure?.kind == .rejected && report.state.nextAttempt(after: now) != nil
    }

    private func subject(_ event: ShareReport.Event) -> String {
        user(event).map { "\(event.day) of \(Printable($0.name, limit: 32))" } ?? "\(event.day)"
    }

    /// Whose day it is; nil if there is only one user.
    private func user(_ event: ShareReport.Event) -> User? {
        users.count > 1 ? users.first { $0.id == event.user } : nil
    }
}

extension ShareReport.Event {
    /// Whether its own line gives this reason.
    fileprivate func names(_ reason: String) -> Bool {
        switch outcome {
        case .unknown(let own), .doubtful(let own), .rejected(let own): own == reason
        default: false
        }
    }
}

extension ShareView {
    /// `istep share --json`.
    public struct Document: JSONDocument {
        public struct Event: Codable, Sendable {
            public var user: String
            /// `2014-04-20`.
            public var day: String
            /// `sent`, `corrected`, `unchanged`, `fixed` (changed since, and cannot be corrected), `passed` (a later
            /// day is shown there), `held`, `queued`, `unknown`,
            /// `doubtful` (may have arrived, and only the user can find out), `rejected` or `nothingKnown`.
            public var outcome: String
            /// As reported by the destination, or by istep.
            @Nullable public var reason: String?
            /// For a held day: when it is sent at the latest. ISO 8601 with offset.
            @Nullable public var until: String?

            static let schema = JSONSchema.object([
                .init("user", .text, "Whose day it is."),
                .init("day", .day, "The day."),
                .init(
                    "outcome",
                    .choice([
                        "sent", "corrected", "unchanged", "fixed", "passed", "held", "queued", "unknown", "doubtful",
                        "rejected", "nothingKnown",
                    ]),
                    """
                    fixed: changed since, and cannot be corrected there; passed: a later day is shown there; held: waits until it is complete; \
                    unknown: may have arrived; doubtful: may have arrived, and only the user can find out.
                    """),
                .init("reason", .nullable(.text), "In the destination's words, or istep's."),
                .init("until", .nullable(.time), "Of what is held: when it is sent at the latest."),
            ])
        }

        public struct Destination: Codable, Sendable {
            public var name: String
            public var kind: String
            public var events: [Event]
            /// Days that stay in the outbox.
            public var queued: Int
            /// Nothing is sent before then; ISO 8601 with offset.
            @Nullable public var nextAttempt: String?
            /// Why nothing is sent until the user acts.
            @Nullable public var stopped: String?
            @Nullable public var failure: Failure?

            static let schema = JSONSchema.object([
                .destinationName,
                .destinationKind,
                .init("events", .list(Event.schema), "The result of each day."),
                .init("queued", .integer, "Number of days that stay in the outbox."),
                .nextAttempt,
                .stopped,
                .init("failure", .nullable(Failure.schema), "Why something was not sent."),
            ])
        }

        public struct Failure: Codable, Sendable {
            /// `unreachable`, `busy`, `unanswered`, `credentials`, `rejected`, `misconfigured` or `fault` (istep's
            /// own).
            public var kind: String
            public var message: String
            @Nullable public var advice: String?

            static let schema = JSONSchema.object([
                .init(
                    "kind",
                    .choice(["unreachable", "busy", "unanswered", "credentials", "rejected", "misconfigured", "fault"]),
                    "What kind of failure it is; fault is istep's own."),
                .init("message", .text, "What failed."),
                .init("advice", .nullable(.text), "What to do."),
            ])
        }

        public var version = 1
        public var destinations: [Destination]

        public static let schema = JSONSchema.object([
            .version, .init("destinations", .list(Destination.schema), "In the order of the configuration."),
        ])
    }

    public var document: Document {
        Document(
            destinations: reports.map { report in
                Document.Destination(
                    name: report.destination, kind: report.kind, events: report.events.map(event),
                    queued: report.queued,
                    nextAttempt: report.state.nextAttempt(after: now).map { Words.iso($0, localTime) },
                    stopped: report.state.stopped,
                    failure: failure(report))
            })
    }

    private func failure(_ report: ShareReport) -> Document.Failure? {
        if let text = report.fault.map(ErrorText.init) {
            return Document.Failure(kind: "fault", message: text.message, advice: text.advice)
        }
        return report.failure.map { Document.Failure(kind: $0.kind.rawValue, message: $0.reason, advice: $0.advice) }
    }

    private func event(_ event: ShareReport.Event) -> Document.Event {
        var document = Document.Event(
            user: users.first { $0.id == event.user }?.name ?? "", day: "\(event.day)", outcome: "", reason: nil,
            until: nil)
        switch event.outcome {
        case .sent: document.outcome = "sent"
        case .corrected: document.outcome = "corrected"
        case .unchanged: document.outcome = "unchanged"
        case .fixed: document.outcome = "fixed"
        case .passed: document.outcome = "passed"
        case .nothingKnown: document.outcome = "nothingKnown"
        case .held(let until): (document.outcome, document.until) = ("held", Words.iso(until, localTime))
        case .queued(let reason): (document.outcome, document.reason) = ("queued", reason)
        case .unknown(let reason): (document.outcome, document.reason) = ("unknown", reason)
        case .doubtful(let reason): (document.outcome, document.reason) = ("doubtful", reason)
        case .rejected(let reason): (document.outcome, document.reason) = ("rejected", reason)
        }
        return document
    }
}
