/// Whether the day of an entry is sent, for the first time or again.
extension ShareEntry {
    /// What to do with an entry that is due.
    package enum SendDecision: Equatable {
        case send
        /// Ask the server what happened to the last attempt.
        case find
        /// The server has it already, or cannot accept it twice.
        case settled
        /// Do not send before then: the day is not over, or a pedometer may deliver the rest of it.
        case hold(until: Timestamp)
        /// Send it only if the user requests it: the day's steps are not possible.
        case withhold
        /// Leave it to the user, who alone can find out.
        case unresolved
        /// Do nothing: it was rejected with this content.
        case leave
    }

    /// - Parameters:
    ///   - content: what would be sent now.
    ///   - readyAt: when the day may first be shared without a request by the user (`HeldDay`); nil for immediately.
    ///   - isPlausible: whether the day's steps can be (`DaySummary.isPlausible`).
    package func decision(
        _ content: String, _ traits: ShareTraits, readyAt: Timestamp?, isPlausible: Bool = true, now: Timestamp
    ) -> SendDecision {
        if state == .unknown {
            switch traits.resending {
            case .replaces: break
            case .repeats: return traits.canFind ? .find : .unresolved
            }
        }
        if state == .rejected, fingerprint == content, !isRequested { return .leave }
        if confirmed == content, state != .unknown { return .settled }
        if isConfirmed, !traits.corrects, state != .unknown { return .settled }
        // A day without a remote id can only be corrected after it was found at the destination.
        if isConfirmed, remoteID == nil, traits.canFind, traits.resending != .replaces, state != .unknown {
            return .find
        }
        if isRequested { return .send }
        if state != .unknown, let readyAt, now < readyAt { return .hold(until: readyAt) }
        return isPlausible ? .send : .withhold
    }
}
