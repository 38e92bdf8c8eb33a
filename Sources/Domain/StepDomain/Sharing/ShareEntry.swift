/// A line of the ledger: how the sharing of one user's day with one destination stands.
///
/// A value that decides: each thing that can happen to it is a function, and none of them touches a database or a network.
public struct ShareEntry: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// To be sent when `nextAttempt` has come.
        case pending
        /// Being sent at this moment, or by a process that was killed.
        case sending
        /// The server confirmed it.
        case sent
        /// The server refused this day for good.
        case rejected
        /// It may have been sent: no answer came.
        case unknown
    }

    public let user: User.ID
    public let day: Day
    /// Name of the destination.
    public let destination: String
    public var state: State
    /// The user asked for this day by name: it goes out even while it is running or incomplete.
    public var isAsked: Bool
    /// Fingerprint of what was last attempted.
    public var fingerprint: String?
    /// Fingerprint of what the server has confirmed.
    public var confirmed: String?
    /// Attempts since the last that was confirmed.
    public var attempts: Int
    /// When the content of `fingerprint` was first attempted: servers know an idempotency key for a while only.
    public var firstAttempt: Timestamp?
    /// Nil: it waits for the user, or there is nothing to do.
    public var nextAttempt: Timestamp?
    /// Why the last attempt failed.
    public var lastError: String?
    /// By what the server knows it.
    public var remoteID: String?
    /// When its state last changed.
    public var changedAt: Timestamp

    public init(
        user: User.ID, day: Day, destination: String, state: State = .pending, isAsked: Bool = false,
        fingerprint: String? = nil, confirmed: String? = nil, attempts: Int = 0, firstAttempt: Timestamp? = nil,
        nextAttempt: Timestamp? = nil, lastError: String? = nil, remoteID: String? = nil, changedAt: Timestamp
    ) {
        self.user = user
        self.day = day
        self.destination = destination
        self.state = state
        self.isAsked = isAsked
        self.fingerprint = fingerprint
        self.confirmed = confirmed
        self.attempts = attempts
        self.firstAttempt = firstAttempt
        self.nextAttempt = nextAttempt
        self.lastError = lastError
        self.remoteID = remoteID
        self.changedAt = changedAt
    }

    /// Whether something of the day reached the server before.
    public var isCorrection: Bool { confirmed != nil }
}

extension ShareEntry {
    /// What to do with an entry that is due.
    enum Step: Equatable {
        case send
        /// Ask the server what became of the last attempt.
        case find
        /// The server has it already, or cannot take it twice.
        case settled
        /// Not before then: the day runs still, or a pedometer may bring the rest of it.
        case hold(until: Timestamp)
        /// Only the user can tell.
        case ask
        /// It was refused as it is.
        case leave
    }

    /// - Parameters:
    ///   - content: what would be sent now.
    ///   - readyAt: from when on the day may be shared without having been asked for; nil for at once.
    func step(_ content: String, _ traits: ShareTraits, readyAt: Timestamp?, now: Timestamp) -> Step {
        if state == .unknown {
            switch traits.resending {
            case .replaces: break
            case .keyed(let seconds):
                // Half of it for a clock that runs differently and a request that takes its time.
                guard fingerprint == content, let firstAttempt, now - firstAttempt < seconds / 2 else { return .find }
            case .repeats: return traits.canFind ? .find : .ask
            }
        }
        if state == .rejected, fingerprint == content, !isAsked { return .leave }
        if confirmed == content, state != .unknown { return .settled }
        if isCorrection, !traits.corrects, state != .unknown { return .settled }
        // What is not known by a name of the destination's can only be corrected once it is found.
        if isCorrection, remoteID == nil, traits.canFind, traits.resending != .replaces, state != .unknown { return .find }
        if !isAsked, state != .unknown, let readyAt, now < readyAt { return .hold(until: readyAt) }
        return .send
    }

    /// To be stored before anything is sent.
    mutating func begin(_ content: String, at now: Timestamp) {
        if fingerprint != content || firstAttempt == nil { firstAttempt = now }
        fingerprint = content
        state = .sending
        attempts += 1
        changedAt = now
    }

    /// The server has it.
    ///
    /// - Parameter lookAgain: when the day's figures are worth another look without anything new in the history: the end of a running day.
    mutating func confirm(_ receipt: ShareReceipt, lookAgain: Timestamp?, at now: Timestamp) {
        confirmed = fingerprint
        remoteID = receipt.remoteID ?? remoteID
        settle(lookAgain: lookAgain, at: now)
    }

    mutating func settle(lookAgain: Timestamp? = nil, at now: Timestamp) {
        state = .sent
        isAsked = false
        attempts = 0
        firstAttempt = nil
        lastError = nil
        nextAttempt = lookAgain
        changedAt = now
    }

    /// - Parameter moment: nil for until something changes.
    mutating func hold(until moment: Timestamp?) { nextAttempt = moment }

    /// The attempt was not carried out, or its end is not known. It stays due: when, its destination's state says.
    ///
    /// - Parameters:
    ///   - before: its state before it was begun.
    ///   - resending: what the destination makes of the same day sent twice.
    mutating func fail(_ failure: ShareFailure, before: State, resending: ShareTraits.Resending, at now: Timestamp) {
        lastError = failure.reason
        changedAt = now
        nextAttempt = now
        switch failure.kind {
        // That this attempt did not arrive says nothing of the one before it.
        case .unreachable, .busy, .credentials, .misconfigured: state = before == .unknown ? .unknown : .pending
        case .unanswered: state = .unknown
        case .rejected:
            // Nor does a refusal: where the day would be there twice, it stays in doubt.
            state = before == .unknown && resending != .replaces ? .unknown : .rejected
            nextAttempt = nil
        }
    }

    /// Found as being sent when nobody is sending: whoever did was killed.
    mutating func abandon(at now: Timestamp) {
        state = .unknown
        lastError = lastError ?? "istep ended while it was being sent"
        nextAttempt = now
        changedAt = now
    }

    /// The server does not have what was attempted: as if it never had been.
    mutating func notArrived(at now: Timestamp) {
        state = .pending
        if remoteID == nil { confirmed = nil }
        firstAttempt = nil
        nextAttempt = now
        changedAt = now
    }

    /// Only the user can tell whether it arrived.
    mutating func ask(_ reason: String, at now: Timestamp) {
        state = .unknown
        lastError = reason
        nextAttempt = nil
        changedAt = now
    }

    /// The user wants it tried again now, even if it may have arrived.
    public mutating func retry(at now: Timestamp) {
        state = .pending
        isAsked = true
        firstAttempt = nil
        nextAttempt = now
        changedAt = now
    }

    /// The user wants nothing more of it to be sent.
    ///
    /// - Returns: whether the ledger can forget it: what the destination has, or may have, is kept in mind, or a change of the
    ///   day would be sent as if it were new.
    public mutating func drop(at now: Timestamp) -> Bool {
        if confirmed == nil, remoteID == nil, state == .pending || state == .rejected { return true }
        if confirmed == nil { confirmed = fingerprint }
        settle(at: now)
        return false
    }
}
