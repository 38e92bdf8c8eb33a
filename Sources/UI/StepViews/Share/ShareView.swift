public import StepDomain

/// How sharing went: a line a destination, and below it what the user should hear of it.
public struct ShareView: View {
    let reports: [ShareReport]
    let users: [User]
    let now: Timestamp
    let localTime: LocalTime
    /// A fault of istep's own in words, where there was one.
    let words: @Sendable (any Error) -> String

    /// - Parameters:
    ///   - users: of the history; days are told with their names where there are several.
    ///   - words: for faults that are not the destination's.
    public init(
        _ reports: [ShareReport], users: [User], now: Timestamp, localTime: LocalTime,
        words: @escaping @Sendable (any Error) -> String = { "\($0)" }
    ) {
        self.reports = reports
        self.users = users
        self.now = now
        self.localTime = localTime
        self.words = words
    }

    /// Without the destinations of which there is nothing to tell.
    var news: ShareView {
        ShareView(reports.filter { isTroubled($0) }, users: users, now: now, localTime: localTime, words: words)
    }

    /// What is being done, for a line of progress.
    public static func words(for progress: ShareProgress) -> String {
        "\(Printable(progress.destination, limit: 32)): sharing, \(progress.done) of \(Words.count(progress.all, "day"))"
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        for report in reports { show(report, on: &page) }
        return page.lines
    }

    private func show(_ report: ShareReport, on page: inout Page) {
        let name = Printable(report.destination, limit: 32).description
        let parts = done(report)
        if !parts.isEmpty || !isTroubled(report) {
            page.paragraph("\(name): " + (parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")), hanging: 2)
        } else if report.events.contains(where: { isTold($0) }) {
            page.line(InkedText("\(name):"))
        }
        for event in report.events { tell(event, on: &page) }
        if let day = report.events.first(where: { if case .doubtful = $0.outcome { true } else { false } })?.day {
            page.paragraph(
                "Look whether it is there; then istep outbox drop \(name) \(day) if it is, istep outbox retry \(name) \(day) if not.",
                indent: 2, hanging: 2)
        }
        if let fault = report.fault {
            page.paragraph("\(name): \(Printable(words(fault), limit: 400))", ink: .bad, hanging: 2)
        } else if let stopped = report.state.stopped {
            page.paragraph(
                "\(name): stopped, for it does not accept your credentials: \(Printable(stopped, limit: 300))", ink: .bad, hanging: 2)
            page.paragraph("Renew them, then: istep outbox retry \(name)", indent: 2, hanging: 2)
        } else if let failure = report.failure, failure.kind != .rejected {
            page.paragraph("\(name): \(Printable(failure.reason, limit: 300))", ink: .bad, hanging: 2)
        }
        if let advice = report.failure?.advice, report.state.stopped == nil {
            page.paragraph(Printable(advice, limit: 300).description, indent: 2, hanging: 2)
        }
        if report.queued > 0 { page.paragraph(queue(report), ink: .doubtful, indent: 2, hanging: 2) }
    }

    private func isTroubled(_ report: ShareReport) -> Bool {
        report.failure != nil || report.fault != nil || report.state.stopped != nil || report.queued > 0 || !report.events.isEmpty
    }

    /// Whether it has a line of its own.
    private func isTold(_ event: ShareReport.Event) -> Bool {
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
        return [part("sent", .sent), part("corrected", .corrected), part("there already", .unchanged)].compactMap(\.self)
    }

    private func tell(_ event: ShareReport.Event, on page: inout Page) {
        switch event.outcome {
        case .sent, .corrected, .unchanged, .queued: break
        case .passed: page.paragraph("\(subject(event)): a later day is shown there", indent: 2, hanging: 4)
        case .fixed:
            page.paragraph("\(subject(event)): changed since it was sent, and cannot be corrected there", ink: .doubtful, indent: 2, hanging: 4)
        case .held(let until):
            page.paragraph("\(subject(event)): \(holding(event.day, until))", indent: 2, hanging: 4)
        case .unknown(let reason), .doubtful(let reason):
            page.paragraph("\(subject(event)): may have arrived: \(Printable(reason, limit: 300))", ink: .doubtful, indent: 2, hanging: 4)
        case .rejected(let reason):
            page.paragraph("\(subject(event)): rejected: \(Printable(reason, limit: 300))", ink: .bad, indent: 2, hanging: 4)
        case .nothingKnown:
            page.paragraph("\(subject(event)): nothing is known of that day, so there is nothing to share", ink: .doubtful, indent: 2, hanging: 4)
        }
    }

    private func holding(_ day: Day, _ until: Timestamp) -> String {
        until <= localTime.span(of: day).end
            ? "goes out when the day is over"
            : "waits for its missing steps, until \(Words.clock(until, localTime)) at the latest"
    }

    private func queue(_ report: ShareReport) -> String {
        let days = "\(Words.count(report.queued, "day")) \(report.queued == 1 ? "stays" : "stay") in the outbox"
        guard report.state.stopped == nil, let moment = report.state.notBefore, moment > now else { return days }
        return "\(days); to be tried again after \(Words.clock(moment, localTime))"
    }

    private func subject(_ event: ShareReport.Event) -> String {
        guard users.count > 1, let user = users.first(where: { $0.id == event.user }) else { return "\(event.day)" }
        return "\(event.day) of \(Printable(user.name, limit: 32))"
    }
}

extension ShareReport {
    /// Days that are in the outbox still and that another try may bring through.
    public var queued: Int {
        waiting + events.count { event in
            switch event.outcome {
            case .queued, .unknown: true
            default: false
            }
        }
    }
}
