public import StepDomain

/// Where days are shared, and how each destination stands.
public struct DestinationsView: View {
    public struct Entry: Sendable {
        public var name: String
        public var kind: String
        /// Where it leads.
        public var place: String
        public var state: DestinationState
        /// Days by state.
        public var counts: [ShareEntry.State: Int]
        /// What it answered; nil where it was not asked.
        public var answer: Result<String, ShareFailure>?

        public init(
            name: String, kind: String, place: String, state: DestinationState, counts: [ShareEntry.State: Int],
            answer: Result<String, ShareFailure>? = nil
        ) {
            self.name = name
            self.kind = kind
            self.place = place
            self.state = state
            self.counts = counts
            self.answer = answer
        }
    }

    let entries: [Entry]
    let now: Timestamp
    let localTime: LocalTime

    public init(_ entries: [Entry], now: Timestamp, localTime: LocalTime) {
        self.entries = entries
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if entries.isEmpty { page.paragraph("Nothing is shared. To set up a destination: istep config kinds, then istep config example KIND") }
        let width = entries.map { Columns.of($0.name) }.max() ?? 0
        for entry in entries {
            page.line(InkedText(Columns.pad(Printable(entry.name, limit: 32).description, width), .strong) + "  \(entry.kind)" + InkedText("  \(Printable(entry.place, limit: 60))", .faint))
            page.paragraph(days(entry), indent: 2, hanging: 4)
            if let stopped = entry.state.stopped {
                page.paragraph("stopped: \(Printable(stopped, limit: 300)); when mended: istep outbox retry \(entry.name)", ink: .bad, indent: 2, hanging: 4)
            }
            switch entry.answer {
            case .success(let words)?: page.paragraph("answers: \(Printable(words, limit: 200))", ink: .good, indent: 2, hanging: 4)
            case .failure(let failure)?:
                page.paragraph(Printable(failure.reason, limit: 300).description, ink: .bad, indent: 2, hanging: 4)
                if let advice = failure.advice { page.paragraph(Printable(advice, limit: 300).description, indent: 2, hanging: 4) }
            case nil: break
            }
        }
        return page.lines
    }

    private func days(_ entry: Entry) -> String {
        let parts = [
            (ShareEntry.State.sent, "sent"), (.pending, "to be sent"), (.sending, "being sent"), (.unknown, "may have arrived"),
            (.rejected, "rejected"),
        ].compactMap { state, word in entry.counts[state].map { "\(Words.count($0, "day")) \(word)" } }
        return parts.isEmpty ? "no day yet" : parts.joined(separator: ", ")
    }
}

extension DestinationsView {
    /// `istep share --list --json`.
    public struct Document: Codable, Sendable {
        public struct Destination: Codable, Sendable {
            public var name: String
            public var kind: String
            public var place: String
            /// Days by state: `sent`, `pending`, `sending`, `unknown`, `rejected`.
            public var days: [String: Int]
            @Nullable public var stopped: String?
            @Nullable public var nextAttempt: String?
            /// With `--check`.
            @Nullable public var answers: Bool?
            @Nullable public var answer: String?
        }

        public var version = 1
        public var destinations: [Destination]
    }

    public var document: Document {
        Document(destinations: entries.map { entry in
            var answers: Bool?
            var answer: String?
            switch entry.answer {
            case .success(let words)?: (answers, answer) = (true, words)
            case .failure(let failure)?: (answers, answer) = (false, failure.reason)
            case nil: break
            }
            return Document.Destination(
                name: entry.name, kind: entry.kind, place: entry.place,
                days: Dictionary(uniqueKeysWithValues: entry.counts.map { ($0.key.rawValue, $0.value) }),
                stopped: entry.state.stopped, nextAttempt: entry.state.notBefore.map { Words.iso($0, localTime) },
                answers: answers, answer: answer)
        })
    }
}
