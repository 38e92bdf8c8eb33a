public import StepDomain

/// What the ledger has on shared days: what waits, what failed, and if wanted what was sent.
public struct OutboxView: View {
    let entries: [ShareEntry]
    let states: [DestinationState]
    let users: [User]
    let now: Timestamp
    let localTime: LocalTime

    /// - Parameter states: of the destinations that the entries are for.
    public init(_ entries: [ShareEntry], states: [DestinationState], users: [User], now: Timestamp, localTime: LocalTime) {
        self.entries = entries
        self.states = states
        self.users = users
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if entries.isEmpty { page.line("The outbox is empty.") }
        var last: String?
        for entry in entries {
            if entry.destination != last { head(entry.destination, on: &page) }
            last = entry.destination
            show(entry, on: &page)
        }
        return page.lines
    }

    private func head(_ destination: String, on page: inout Page) {
        let name = Printable(destination, limit: 32).description
        page.line(InkedText(name, .strong))
        guard let state = states.first(where: { $0.name == destination }) else { return }
        if let stopped = state.stopped {
            page.paragraph("stopped: \(Printable(stopped, limit: 300)); when mended: istep outbox retry \(name)", ink: .bad, indent: 2, hanging: 4)
        } else if let moment = state.notBefore, moment > now {
            page.paragraph("to be tried again after \(Words.clock(moment, localTime))", ink: .doubtful, indent: 2, hanging: 4)
        }
    }

    private func show(_ entry: ShareEntry, on page: inout Page) {
        let user = users.count > 1 ? "  " + (users.first { $0.id == entry.user }.map { Printable($0.name, limit: 24).description } ?? "") : ""
        page.line(InkedText("  \(entry.day)\(user)  ") + InkedText(words(entry), ink(entry)))
        if let error = entry.lastError, entry.state != .sent {
            page.paragraph(Printable(error, limit: 300).description, ink: .faint, indent: 4, hanging: 4)
        }
    }

    private func words(_ entry: ShareEntry) -> String {
        let tries = entry.attempts > 0 ? ", \(Words.count(entry.attempts, "try", "tries"))" : ""
        switch entry.state {
        case .pending:
            if let moment = entry.nextAttempt, moment > now { return "waits until \(Words.clock(moment, localTime))\(tries)" }
            return "to be sent\(tries)"
        case .sending: return "being sent, or istep was ended meanwhile"
        case .sent: return "sent \(Words.clock(entry.changedAt, localTime))"
        case .rejected: return "rejected\(tries)"
        case .unknown: return entry.nextAttempt == nil ? "may have arrived: look there, then retry or drop it" : "may have arrived\(tries)"
        }
    }

    private func ink(_ entry: ShareEntry) -> InkedText.Ink? {
        switch entry.state {
        case .pending, .sending: nil
        case .sent: .good
        case .rejected: .bad
        case .unknown: .doubtful
        }
    }
}

extension OutboxView {
    /// `istep outbox --json`.
    public struct Document: Codable, Sendable {
        public struct Entry: Codable, Sendable {
            public var destination: String
            public var user: String
            public var day: String
            /// `pending`, `sending`, `sent`, `rejected` or `unknown`.
            public var state: String
            public var attempts: Int
            /// ISO 8601 with offset; null where it waits for the user, or nothing is to be done.
            @Nullable public var nextAttempt: String?
            @Nullable public var lastError: String?
            /// By what the destination knows it.
            @Nullable public var remoteID: String?
            public var changedAt: String
        }

        public struct Destination: Codable, Sendable {
            public var name: String
            @Nullable public var stopped: String?
            @Nullable public var nextAttempt: String?
            public var failures: Int
        }

        public var version = 1
        public var destinations: [Destination]
        public var entries: [Entry]
    }

    public var document: Document {
        Document(
            destinations: states.map { state in
                Document.Destination(
                    name: state.name, stopped: state.stopped, nextAttempt: state.notBefore.map { Words.iso($0, localTime) },
                    failures: state.failures)
            },
            entries: entries.map { entry in
                Document.Entry(
                    destination: entry.destination, user: users.first { $0.id == entry.user }?.name ?? "", day: "\(entry.day)",
                    state: entry.state.rawValue, attempts: entry.attempts,
                    nextAttempt: entry.nextAttempt.map { Words.iso($0, localTime) }, lastError: entry.lastError,
                    remoteID: entry.remoteID, changedAt: Words.iso(entry.changedAt, localTime))
            })
    }
}
