public import StepDomain
public import StepServices

/// How sharing went: a line for each destination, and below it what the user should know about it.
public struct ShareView: View {
    public let reports: [ShareReport]
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

    /// The same in one line.
    public var summary: SyncSummary { SyncSummary([], shares: reports) }

    /// What became of a day that was to be shared, in one line.
    public func line(of day: Day, _ user: User) -> String {
        let own = reports.flatMap(\.events).filter { $0.day == day && $0.user == user.id }
        let remarks = own.compactMap { remark($0.outcome) }
        let words = remarks.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return summary.line(
            orElse: "\(day): "
                + (words.isEmpty ? "no destination takes days of this user" : words.joined(separator: "; ")))
    }

    /// Why a day was not sent; nil if it was, or for reasons of its own.
    private func remark(_ outcome: ShareReport.Event.Outcome) -> String? {
        switch outcome {
        case .unchanged: "already there"
        case .fixed: "changed since it was sent, and cannot be corrected there"
        case .passed: "not sent, since a later day is shown there"
        case .nothingKnown: "nothing is known of that day, so there is nothing to share"
        default: nil
        }
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
        var page = TextPage(style)
        for report in reports { show(report, on: &page) }
        return page.lines
    }

    private func show(_ report: ShareReport, on page: inout TextPage) {
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
            page.paragraph("\(days): \(remark(.passed) ?? "")", indent: 2, hanging: 4)
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
            // The destination's own advice says more than "renew".
            if let advice = report.failure?.advice {
                page.advice(Advice(markup: advice), indent: 2)
                page.advice(.resuming(report.destination), indent: 2)
            } else {
                page.advice(.renewCredentials(of: report.destination), indent: 2)
            }
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
            || report.events.contains { isNews($0) }
    }

    /// Whether it is reported. A day that was only looked at again, because its steps had changed or its time had come,
    /// and that is there as it was, is not.
    private func isNews(_ event: ShareReport.Event) -> Bool { event.outcome != .unchanged || event.isRequested }

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
            let events = report.events.filter { $0.outcome == outcome && isNews($0) }
            guard let first = events.first else { return nil }
            return events.count == 1 ? "\(subject(first)) \(word)" : "\(Words.count(events.count, "day")) \(word)"
        }
        return [part("sent", .sent), part("updated", .corrected), part("already there", .unchanged)].compactMap(
            \.self)
    }

    private func show(_ event: ShareReport.Event, on page: inout TextPage) {
        switch event.outcome {
        case .sent, .corrected, .unchanged, .queued, .passed: break
        case .fixed, .nothingKnown:
            page.paragraph(
                "\(subject(event)): \(remark(event.outcome) ?? "")", emphasis: .doubtful, indent: 2, hanging: 4)
        case .held(let until):
            page.paragraph("\(subject(event)): \(holding(event.day, until))", indent: 2, hanging: 4)
        case .unknown(let reason), .doubtful(let reason):
            page.paragraph(
                "\(subject(event)): may have arrived: \(Printable(reason, limit: 300))", emphasis: .doubtful, indent: 2,
                hanging: 4)
        case .rejected(let reason):
            page.paragraph(
                "\(subject(event)): rejected: \(Printable(reason, limit: 300))", emphasis: .bad, indent: 2, hanging: 4)
        case .withheld:
            page.paragraph(
                "\(subject(event)): withheld: \(ShareEntry.implausibleSteps)", emphasis: .bad, indent: 2, hanging: 4)
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

extension ShareService {
    /// Shares, and gives what is being done, and the result, in words.
    public func share(
        _ order: ShareOrder, waits: Bool = false, reporting progress: @escaping @Sendable (String) -> Void
    ) async throws -> ShareView {
        let localTime = context.localTime
        let reports = try await share(order, waits: waits, progress: { progress(ProgressWords.line($0, localTime)) })
        return ShareView(reports, users: users, now: context.now(), localTime: localTime)
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

/// `istep share --json`.
extension ShareView: Described {
    public static let keys: [JSONKey<ShareView>] = [
        .version, .list("destinations", "In the order of the configuration.") { $0.records },
    ]

    var records: [ShareRecord] { reports.map { ShareRecord(report: $0, view: self) } }
}

/// What was shared with a destination.
struct ShareRecord: Described {
    let report: ShareReport, view: ShareView

    static let keys: [JSONKey<ShareRecord>] = [
        .init(.configuredName) { $0.report.destination },
        .init(.destinationKind) { $0.report.kind },
        .list("events", "The result of each day.") { record in
            record.report.events.map { event in
                EventRecord(
                    event: event, user: record.view.users.first { $0.id == event.user }?.name ?? "",
                    localTime: record.view.localTime)
            }
        },
        .init("queued", .integer, "Number of days that stay in the outbox.") { $0.report.queued },
        .init(.nextAttempt) { record in
            record.report.state.nextAttempt(after: record.view.now).map { Words.iso($0, record.view.localTime) }
        },
        .init(.stopped) { $0.report.state.stopped },
        .optional("failure", "Why something was not sent.") { FailureRecord($0.report) },
    ]
}

private struct FailureRecord: Described {
    let kind: String, message: String, advice: String?

    init?(_ report: ShareReport) {
        if let text = report.fault.map(ErrorText.init) {
            (kind, message, advice) = ("fault", text.message, text.advice)
        } else if let failure = report.failure {
            (kind, message, advice) = (failure.kind.rawValue, failure.reason, failure.advice)
        } else {
            return nil
        }
    }

    static let keys: [JSONKey<FailureRecord>] = [
        .init(
            "kind", .choice(ShareFailure.Kind.allCases.map(\.rawValue) + ["fault"]),
            "What kind of failure it is; fault is istep's own."
        ) { $0.kind },
        .init(.failure) { $0.message },
        .init(.advice) { $0.advice },
    ]
}

private struct EventRecord: Described {
    let event: ShareReport.Event, user: String, localTime: LocalTime

    static let keys: [JSONKey<EventRecord>] = [
        .init(.owner) { $0.user },
        .init("day", .day, "The day.") { $0.event.day.description },
        .init(
            "outcome", .choice(Name.self),
            """
            fixed: changed since, and cannot be corrected there; passed: a later day is shown there; held: waits until it is complete; \
            unknown: may have arrived; doubtful: may have arrived, and only the user can find out.
            """
        ) { $0.outcome.name.rawValue },
        .init("reason", .nullable(.text), "In the destination's words, or istep's.") { $0.outcome.reason },
        .init("until", .nullable(.time), "Of what is held: when it is sent at the latest.") { record in
            record.outcome.until.map { Words.iso($0, record.localTime) }
        },
    ]

    /// Outcomes for programs.
    private enum Name: String, CaseIterable {
        case sent, corrected, unchanged, fixed, passed, held, queued, unknown, doubtful, rejected, nothingKnown
    }

    private var outcome: (name: Name, reason: String?, until: Timestamp?) {
        switch event.outcome {
        case .sent: (.sent, nil, nil)
        case .corrected: (.corrected, nil, nil)
        case .unchanged: (.unchanged, nil, nil)
        case .fixed: (.fixed, nil, nil)
        case .passed: (.passed, nil, nil)
        case .nothingKnown: (.nothingKnown, nil, nil)
        case .held(let until): (.held, nil, until)
        case .queued(let reason): (.queued, reason, nil)
        case .unknown(let reason): (.unknown, reason, nil)
        case .doubtful(let reason): (.doubtful, reason, nil)
        case .rejected(let reason): (.rejected, reason, nil)
        case .withheld: (.rejected, ShareEntry.implausibleSteps, nil)
        }
    }
}

extension JSONDocument {
    public static let share = JSONDocument(
        "share", "What was sent to each destination.",
        ShareView.self)
}
