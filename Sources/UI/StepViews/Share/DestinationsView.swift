public import StepDomain
public import StepServices

/// Where days are shared, and the state of each destination.
public struct DestinationsView: View {
    let entries: [DestinationStatus]
    let now: Timestamp
    let localTime: LocalTime

    public init(_ entries: [DestinationStatus], now: Timestamp, localTime: LocalTime) {
        self.entries = entries
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if entries.isEmpty {
            page.advice(
                """
                Nothing is shared. List the kinds of destinations: \(command: "istep config kinds"), then see how one is set up: \
                \(command: "istep config example KIND")
                """)
        }
        page.list(
            entries, name: \.name, limit: 32,
            beside: { StyledText($0.kind) + StyledText("  \(Printable($0.location, limit: 60))", .faint) },
            below: { show($0, on: &$1) })
        return page.lines
    }

    private func show(_ entry: DestinationStatus, on page: inout TextPage) {
        page.paragraph(days(entry), indent: 2, hanging: 4)
        if let stopped = entry.state.stopped {
            page.paragraph("\(Words.paused): \(Printable(stopped, limit: 300))", emphasis: .bad, indent: 2, hanging: 4)
            page.advice(.renewCredentials(of: entry.name), indent: 2)
        } else if let moment = entry.state.nextAttempt(after: now) {
            let reason = entry.state.lastError.map { ": \(Printable($0, limit: 300))" } ?? ""
            page.paragraph(
                "waits until \(Words.clock(moment, localTime)), since the last attempt failed\(reason)",
                emphasis: .doubtful, indent: 2,
                hanging: 4)
        }
        switch entry.answer {
        case .success(let words)?:
            page.paragraph("checked: \(Printable(words, limit: 200))", emphasis: .good, indent: 2, hanging: 4)
        case .failure(let failure)?:
            page.paragraph(Printable(failure.reason, limit: 300).description, emphasis: .bad, indent: 2, hanging: 4)
            if let advice = failure.advice { page.advice(Advice(markup: advice), indent: 2) }
        case nil: break
        }
    }

    private func days(_ entry: DestinationStatus) -> String {
        let parts = [
            (ShareEntry.State.sent, "sent"), (.pending, "to be sent"), (.sending, "being sent"),
            (.unknown, "may have arrived"),
            (.rejected, "rejected"),
        ].compactMap { state, word in entry.counts[state].map { "\(Words.count($0, "day")) \(word)" } }
        let changed = entry.changed == 0 ? [] : ["\(Words.count(entry.changed, "sent day")) changed since"]
        return parts.isEmpty ? "no days yet" : (parts + changed).joined(separator: ", ")
    }
}

/// `istep share --list --json`.
extension DestinationsView: Described {
    public static let keys: [JSONKey<DestinationsView>] = [
        .version,
        .list("destinations", "In the order of the configuration.") { view in
            view.entries.map { DestinationRecord(status: $0, now: view.now, localTime: view.localTime) }
        },
    ]
}

private struct DestinationRecord: Described {
    let status: DestinationStatus, now: Timestamp, localTime: LocalTime

    static let keys: [JSONKey<DestinationRecord>] = [
        .init(.configuredName) { $0.status.name },
        .init(.destinationKind) { $0.status.kind },
        .init("place", .text, "Where days are sent to.") { $0.status.location },
        .init("days", .map(keys: "state (as of outbox)", .integer), "Number of days.") { record in
            Dictionary(uniqueKeysWithValues: record.status.counts.map { ($0.key.rawValue, $0.value) })
        },
        .init("changed", .integer, "Number of sent days that have changed since: the next share sends them again.") {
            $0.status.changed
        },
        .init(.stopped) { $0.status.state.stopped },
        .init(.nextAttempt) { record in
            record.status.state.nextAttempt(after: record.now).map { Words.iso($0, record.localTime) }
        },
        .init("answers", .nullable(.boolean), "With --check: whether it answers and accepts the user.") {
            record -> Bool? in
            switch record.status.answer {
            case .success?: true
            case .failure?: false
            case nil: nil
            }
        },
        .init("answer", .nullable(.text), "With --check: what it answered.") { record -> String? in
            switch record.status.answer {
            case .success(let words)?: words
            case .failure(let failure)?: failure.reason
            case nil: nil
            }
        },
    ]
}

/// What would be sent, word for word.
public struct PreviewView: View {
    let previews: [SharePreview]
    let user: User

    /// - Parameter user: whose days they are.
    public init(_ previews: [SharePreview], of user: User) {
        self.previews = previews
        self.user = user
    }

    /// Why nothing would be sent; nil if something would.
    private func remark(_ preview: SharePreview) -> String? {
        switch preview.result {
        case .content: nil
        case .settled: "already sent; use --again to send once more"
        case .fixed: "changed since it was sent, and cannot be corrected there; use --again to send once more"
        case .doubtful: "may have arrived: check there, then retry or drop it in the outbox"
        case .nothingKnown: "nothing is known of that day"
        case .passed: "this destination shows only the latest day, and has a later one"
        case .userExcluded: "\(user.name) is not among the `users` of this destination"
        }
    }

    /// The content is not cut to the width: what would be sent is shown whole.
    public func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for preview in previews {
            if !lines.isEmpty { lines.append("") }
            var page = TextPage(style)
            page.wrap(StyledText("\(Printable(preview.destination, limit: 32)), \(preview.day)", .strong), hanging: 2)
            lines += page.lines
            if let remark = remark(preview) { lines.append("  nothing would be sent: \(Printable.lines(remark))") }
            guard case .content(let content) = preview.result else { continue }
            lines += Printable.lines(content).split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.isEmpty ? "" : "  \($0)"
            }
        }
        return lines
    }
}

extension PreviewView {
    /// After `istep share --queue`: how many days a destination is going to get, and why it is not going to get the
    /// others.
    ///
    /// - Parameter states: of the destinations.
    public func queueLines(_ style: TextStyle, states: [DestinationState], now: Timestamp) -> [String] {
        var page = TextPage(style)
        for name in previews.map(\.destination).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
            let own = previews.filter { $0.destination == name }
            for reason in own.map({ remark($0) }).reduce(into: [String?](), { if !$0.contains($1) { $0.append($1) } }) {
                let days = own.filter { remark($0) == reason }.map(\.day)
                let subject = days.count == 1 ? "\(days[0])" : Words.count(days.count, "day")
                let words =
                    reason.map { ": \($0)" }
                    ?? " in the outbox; "
                    + (EntryWords.wait(for: states.first { $0.name == name }, now)
                        ?? "the next sync sends \(days.count == 1 ? "it" : "them")")
                page.paragraph("\(Printable(name, limit: 32)): \(subject)\(Printable(words, limit: 200))", hanging: 2)
            }
        }
        return page.lines
    }

    /// `istep share --dry-run --json`.
    public static let keys: [JSONKey<PreviewView>] = [
        .version,
        .list("previews", "A day for a destination.") { view in
            view.previews.map { PreviewRecord(preview: $0, user: view.user, remark: view.remark($0)) }
        },
    ]
}

private struct PreviewRecord: Described {
    let preview: SharePreview, user: User, remark: String?

    static let keys: [JSONKey<PreviewRecord>] = [
        .init(.destination) { $0.preview.destination },
        .init(.owner) { $0.user.name },
        .init("day", .day, "The day.") { $0.preview.day.description },
        .init("content", .nullable(.text), "What would be sent, with secrets masked; null where nothing would.") {
            record -> String? in
            if case .content(let content) = record.preview.result { content } else { nil }
        },
        .init("remark", .nullable(.text), "Why nothing would be sent.") { $0.remark },
    ]
}

extension JSONDocument {
    public static let previews = JSONDocument(
        "previews", "What would be sent.",
        PreviewView.self)
    public static let destinations = JSONDocument(
        "destinations", "The destinations that are set up.",
        DestinationsView.self)
}
