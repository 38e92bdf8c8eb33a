/// The state of a destination according to the ledger.
public struct OutboxFacts: Hashable, Sendable {
    public var state: DestinationState
    /// Days in all states except `sent`.
    public var entries: [ShareEntry]
    public var now: Timestamp

    public init(state: DestinationState, entries: [ShareEntry], now: Timestamp) {
        self.state = state
        self.entries = entries
        self.now = now
    }

    /// Seconds that a day may wait: a server that is down for a night causes no warning. A notice, which is shown
    /// without a request, comes a day later (`NoticeRules.shareWait`).
    static let maximumWait = 2 * 86_400
}

extension OutboxFacts {
    /// The entries of the ledger that need action.
    public var diagnoses: [Diagnosis] {
        [paused, rejected, withheld, uncertain, waiting].compactMap { $0.map { .destination(state.name, $0) } }
    }

    private var paused: DestinationDiagnosis? { state.stopped.map { .paused(reason: $0) } }

    private var rejected: DestinationDiagnosis? {
        let rejected = entries.filter { $0.state == .rejected && !$0.isWithheld }
        return rejected.max { $0.changedAt < $1.changedAt }.map {
            .rejected(days: rejected.count, last: $0.day, reason: $0.lastError)
        }
    }

    private var withheld: DestinationDiagnosis? {
        let withheld = entries.filter(\.isWithheld)
        return withheld.max { $0.changedAt < $1.changedAt }.map { .withheld(days: withheld.count, last: $0.day) }
    }

    private var uncertain: DestinationDiagnosis? {
        let uncertain = entries.count { $0.isInDoubt && !$0.isWithheld }
        return uncertain > 0 ? .uncertain(days: uncertain) : nil
    }

    private var waiting: DestinationDiagnosis? {
        let waiting = entries.filter(\.isWaiting)
        guard let oldest = waiting.compactMap({ $0.firstAttempt ?? $0.changedAt }).min(),
            now - oldest > Self.maximumWait || waiting.contains(where: \.isOfRefusedUser)
        else { return nil }
        return .waiting(days: waiting.count, seconds: now - oldest, reason: waiting.compactMap(\.lastError).last)
    }
}

/// The state of a destination.
public enum DestinationDiagnosis: Hashable, Sendable {
    /// The choice of users whose days go there is not valid.
    case recipients(RecipientProblem)
    /// Its requirements on this machine are not met: the destination's own message.
    case unusable(String)
    /// systemd gives its secret to the service only, so this process cannot contact it.
    case secretOfService
    /// The user does not want the network to be used.
    case notContacted
    /// Its address, and its description of itself.
    case answers(location: String, description: String)
    /// Nothing is sent until the user acts.
    case paused(reason: String)
    case rejected(days: Int, last: Day, reason: String?)
    /// Days that were not sent because their steps are not plausible.
    case withheld(days: Int, last: Day)
    /// Days that may have arrived; only the user can find out.
    case uncertain(days: Int)
    /// - Parameter seconds: the time since the first attempt to send the oldest of these days.
    case waiting(days: Int, seconds: Int, reason: String?)

    public var severity: Severity {
        switch self {
        case .recipients, .unusable: .fault(.configuration)
        case .secretOfService, .notContacted: .skipped
        case .answers: .fine
        case .paused: .fault(.permission)
        case .rejected, .withheld, .uncertain, .waiting: .warning
        }
    }
}
