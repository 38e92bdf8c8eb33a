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

extension JSONDocument {
    public static let destinations = JSONDocument(
        "destinations", "The destinations that are set up.",
        DestinationsView.self)
}
