internal import StepDomain

extension ShareView {
    /// `istep share --json`.
    public struct Document: Codable, Sendable {
        public struct Event: Codable, Sendable {
            public var user: String
            /// `2014-04-20`.
            public var day: String
            /// `sent`, `corrected`, `unchanged`, `fixed` (changed since, and cannot be corrected), `passed` (a later
            /// day is shown there), `held`, `queued`, `unknown`,
            /// `doubtful` (may have arrived, and only the user can tell), `rejected` or `nothingKnown`.
            public var outcome: String
            /// The destination's words, or istep's.
            @Nullable public var reason: String?
            /// Of what is held: when it goes out at the latest. ISO 8601 with offset.
            @Nullable public var until: String?
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
        }

        public struct Failure: Codable, Sendable {
            /// `unreachable`, `busy`, `unanswered`, `credentials`, `rejected`, `misconfigured` or `fault` (istep's own).
            public var kind: String
            public var message: String
            @Nullable public var advice: String?
        }

        public var version = 1
        public var destinations: [Destination]
    }

    public var document: Document {
        Document(destinations: reports.map { report in
            Document.Destination(
                name: report.destination, kind: report.kind, events: report.events.map(event), queued: report.queued,
                nextAttempt: report.state.notBefore.map { Words.iso($0, localTime) }, stopped: report.state.stopped,
                failure: failure(report))
        })
    }

    private func failure(_ report: ShareReport) -> Document.Failure? {
        if let fault = report.fault { return Document.Failure(kind: "fault", message: words(fault), advice: nil) }
        return report.failure.map { Document.Failure(kind: $0.kind.rawValue, message: $0.reason, advice: $0.advice) }
    }

    private func event(_ event: ShareReport.Event) -> Document.Event {
        var document = Document.Event(
            user: users.first { $0.id == event.user }?.name ?? "", day: "\(event.day)", outcome: "", reason: nil, until: nil)
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
