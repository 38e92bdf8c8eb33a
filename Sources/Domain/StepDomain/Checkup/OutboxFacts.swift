/// How a destination stands by the ledger.
public struct OutboxFacts: Hashable, Sendable {
    public var state: DestinationState
    /// Days in all states but `sent`.
    public var entries: [ShareEntry]
    public var now: Timestamp

    public init(state: DestinationState, entries: [ShareEntry], now: Timestamp) {
        self.state = state
        self.entries = entries
        self.now = now
    }

    /// Seconds that a day may wait: a server that is down for a night is none of anybody's trouble.
    static let long = 2 * 86_400
}

extension OutboxFacts {
    /// What of the ledger needs somebody to act.
    public var remarks: [Remark] {
        let name = state.name
        var remarks: [Remark] = []
        if let reason = state.stopped {
            remarks.append(Remark(
                .fault(.permission), name, "nothing is sent any more: \(reason)",
                cure: "Renew what it asks for, then: istep outbox retry \(name)"))
        }
        let rejected = entries.filter { $0.state == .rejected }
        if let last = rejected.max(by: { $0.changedAt < $1.changedAt }) {
            remarks.append(Remark(
                .warning, name, "\(days(rejected.count)) rejected, the last \(last.day): \(last.lastError ?? "no reason given")",
                cure: "istep outbox; then istep outbox retry or drop"))
        }
        let unclear = entries.filter { $0.state == .unknown && $0.nextAttempt == nil }
        if !unclear.isEmpty {
            remarks.append(Remark(
                .warning, name, "\(days(unclear.count)) may have arrived or not",
                cure: "Look there, then: istep outbox retry or drop"))
        }
        let waiting = entries.filter { ($0.state == .pending || $0.state == .unknown) && $0.nextAttempt != nil && $0.attempts > 0 }
        if let oldest = waiting.compactMap({ $0.firstAttempt ?? $0.changedAt }).min(), now - oldest > Self.long {
            let reason = waiting.compactMap(\.lastError).last ?? "no reason given"
            remarks.append(Remark(
                .warning, name, "\(days(waiting.count)) waiting, the oldest for \((now - oldest) / 86_400) days: \(reason)",
                cure: "istep outbox tells more; istep share --wait sends them"))
        }
        return remarks
    }

    private func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}
