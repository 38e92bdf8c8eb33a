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
        var page = Page(style)
        if entries.isEmpty {
            page.advice(
                """
                Nothing is shared. List the kinds of destinations: \(command: "istep config kinds"), then see how one is set up: \
                \(command: "istep config example KIND")
                """)
        }
        page.list(
            entries, name: \.name, limit: 32,
            beside: { StyledText($0.kind) + StyledText("  \(Printable($0.place, limit: 60))", .faint) },
            below: { show($0, on: &$1) })
        return page.lines
    }

    private func show(_ entry: DestinationStatus, on page: inout Page) {
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
        return parts.isEmpty ? "no days yet" : parts.joined(separator: ", ")
    }
}

extension DestinationsView {
    /// `istep share --list --json`.
    public struct Document: JSONDocument {
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

            static let schema = JSONSchema.object([
                .destinationName,
                .destinationKind,
                .init("place", .text, "Where days are sent to."),
                .init("days", .map(keys: "state (as of outbox)", .integer), "Number of days."),
                .stopped,
                .nextAttempt,
                .init("answers", .nullable(.boolean), "With --check: whether it answers and accepts the user."),
                .init("answer", .nullable(.text), "With --check: what it answered."),
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
            destinations: entries.map { entry in
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
                    stopped: entry.state.stopped,
                    nextAttempt: entry.state.nextAttempt(after: now).map { Words.iso($0, localTime) },
                    answers: answers, answer: answer)
            })
    }
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
        case .userExcluded: "\(user.name) is not among the `users` of this destination"
        }
    }

    /// The content is not cut to the width: what would be sent is shown whole.
    public func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for preview in previews {
            if !lines.isEmpty { lines.append("") }
            var page = Page(style)
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
    public func queueLines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        for name in previews.map(\.destination).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
            let own = previews.filter { $0.destination == name }
            for reason in own.map({ remark($0) }).reduce(into: [String?](), { if !$0.contains($1) { $0.append($1) } }) {
                let days = own.filter { remark($0) == reason }.map(\.day)
                let subject = days.count == 1 ? "\(days[0])" : Words.count(days.count, "day")
                let words =
                    reason.map { ": \($0)" } ?? " in the outbox; the next sync sends \(days.count == 1 ? "it" : "them")"
                page.paragraph("\(Printable(name, limit: 32)): \(subject)\(Printable(words, limit: 200))", hanging: 2)
            }
        }
        return page.lines
    }

    /// `istep share --dry-run --json`.
    public struct Document: JSONDocument {
        public struct Entry: Codable, Sendable {
            public var destination: String
            public var user: String
            public var day: String
            @Nullable public var content: String?
            /// Why nothing would be sent; null where something would.
            @Nullable public var remark: String?

            static let schema = JSONSchema.object([
                .init("destination", .text, "Its name in the configuration."),
                .init("user", .text, "Whose day it is."),
                .init("day", .day, "The day."),
                .init(
                    "content", .nullable(.text), "What would be sent, with secrets masked; null where nothing would."),
                .init("remark", .nullable(.text), "Why nothing would be sent."),
            ])
        }

        public var version = 1
        public var previews: [Entry]

        public static let schema = JSONSchema.object([
            .version, .init("previews", .list(Entry.schema), "A day for a destination."),
        ])
    }

    public var document: Document {
        Document(
            previews: previews.map { preview in
                var entry = Document.Entry(
                    destination: preview.destination, user: user.name, day: "\(preview.day)", content: nil,
                    remark: remark(preview))
                if case .content(let content) = preview.result { entry.content = content }
                return entry
            })
    }
}
