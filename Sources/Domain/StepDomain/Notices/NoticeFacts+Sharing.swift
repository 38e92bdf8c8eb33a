// What became of sharing.
extension NoticeFacts {
    /// Seconds for which days wait before it is worth a word.
    static let shareWait = 3 * 86_400

    func of(_ sharing: Sharing) -> [Notice] {
        let state = sharing.state
        if let reason = state.stopped {
            return [notice(state, since: now, .destinationStopped(reason: reason))] + sharing.entries.compactMap(answered)
        }
        return sharing.entries.compactMap(answered) + [waiting(sharing)].compactMap(\.self)
    }

    /// What the destination said of a day, or did not say.
    private func answered(_ entry: ShareEntry) -> Notice? {
        let reason = entry.lastError ?? "no reason given"
        // What was rejected stays in the ledger for ever: only what is recent is news.
        guard now - entry.changedAt < NoticeMerge.memory / 3, let user = users.first(where: { $0.id == entry.user }) else { return nil }
        let content: Notice.Content
        switch entry.state {
        case .rejected: content = .shareRejected(user: user.name, day: entry.day, reason: reason)
        case .unknown where entry.nextAttempt == nil: content = .shareInDoubt(user: user.name, day: entry.day, reason: reason)
        case .pending, .sending, .sent, .unknown: return nil
        }
        return Notice(
            .destination(entry.destination), name: entry.destination, user: entry.user, since: entry.changedAt, content)
    }

    private func waiting(_ sharing: Sharing) -> Notice? {
        let tried = sharing.entries.filter { entry in
            [.pending, .sending, .unknown].contains(entry.state) && entry.nextAttempt != nil && entry.attempts > 0
        }
        guard let since = tried.compactMap(\.firstAttempt).min(), now - since >= Self.shareWait else { return nil }
        let latest = tried.max { $0.changedAt < $1.changedAt }
        return notice(sharing.state, since: since, .shareWaiting(days: tried.count, reason: latest?.lastError))
    }

    private func notice(_ state: DestinationState, since: Timestamp, _ content: Notice.Content) -> Notice {
        Notice(.destination(state.name), name: state.name, since: since, content)
    }
}
