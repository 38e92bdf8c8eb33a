/// A day of a user.
public struct UserDay: Hashable, Sendable {
    public let user: User.ID
    public let day: Day

    public init(user: User.ID, day: Day) {
        self.user = user
        self.day = day
    }
}

/// A row of the ledger: the state of sharing one user's day with one destination.
///
/// A value: each event that changes it is a function, and none of these functions uses a database or a network.
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
        /// It may have been sent: there was no answer.
        case unknown

        /// All states except `sent`: the day waits, may have arrived, or was rejected.
        public static let unsettled: Set<State> = [.pending, .sending, .unknown, .rejected]
    }

    public let user: User.ID
    public let day: Day
    /// Name of the destination.
    public let destination: String
    public var state: State
    /// The user asked for this day by name: it is sent even while the day is in progress or incomplete.
    public var isRequested: Bool
    /// Fingerprint of what was last attempted.
    public var fingerprint: String?
    /// Fingerprint of what the server has confirmed; `unknownContent` if it has something of the day, and it is not
    /// known what.
    public var confirmed: String?
    /// Equal to no fingerprint: the day is sent again, and a deletion is sent, too.
    static let unknownContent = "?"
    /// Attempts since the last that was confirmed.
    public var attempts: Int
    /// When the content of `fingerprint` was first attempted.
    public var firstAttempt: Timestamp?
    /// Nil: it waits for the user, or there is nothing to do.
    public var nextAttempt: Timestamp?
    /// Why the last attempt failed.
    public var lastError: String? {
        // The cause of another error is another one.
        didSet { if lastError != oldValue { cause = nil } }
    }
    /// Why it waits or was not sent, where this decides what becomes of it; nil for any other reason.
    public var cause: Cause?
    /// The server's identifier of it.
    public var remoteID: String?
    /// When its state last changed.
    public var changedAt: Timestamp
    /// How often the day was sent again after it was sent, at the request of the user or as a correction: part of its
    /// idempotency key, so that a server that recognises an earlier delivery does not mistake a later one for it, even
    /// with the same figures.
    public var repetition: Int
    /// Whether the day has changed since it was sent, or may have. Not stored: only `ShareLedger.changes` says so.
    public var isChanged = false

    public init(
        user: User.ID, day: Day, destination: String, state: State = .pending, isRequested: Bool = false,
        fingerprint: String? = nil, confirmed: String? = nil, attempts: Int = 0, firstAttempt: Timestamp? = nil,
        nextAttempt: Timestamp? = nil, lastError: String? = nil, cause: Cause? = nil, remoteID: String? = nil,
        changedAt: Timestamp, repetition: Int = 0
    ) {
        self.user = user
        self.day = day
        self.destination = destination
        self.state = state
        self.isRequested = isRequested
        self.fingerprint = fingerprint
        self.confirmed = confirmed
        self.attempts = attempts
        self.firstAttempt = firstAttempt
        self.nextAttempt = nextAttempt
        self.lastError = lastError
        self.cause = cause
        self.remoteID = remoteID
        self.changedAt = changedAt
        self.repetition = repetition
    }

    /// Whether something of the day reached the server before.
    public var isConfirmed: Bool { confirmed != nil }

    /// Whether the destination has something of the day, or may have.
    public var hasOrMayHave: Bool { isConfirmed || state == .unknown || state == .sending }
    /// The same, and after `sendAgain` whether it had: what it got before is still there until it is replaced.
    public var wasSent: Bool { hasOrMayHave || repetition > 0 }

    /// Whether it may have arrived, and only the user can find out.
    public var isInDoubt: Bool { state == .unknown && nextAttempt == nil }

    /// Why an entry waits or was not sent, as far as something is decided by it.
    public enum Cause: String, Sendable, CaseIterable {
        /// The destination does not accept its user, but others.
        case refusedUser
        /// Its steps are not plausible (`DaySummary.isPlausible`).
        case implausibleSteps
    }

    /// The error of a day that is withheld.
    public static let implausibleSteps =
        "more steps than anyone takes in a day; it is sent when it is corrected or requested"

    /// Whether it waits because the destination does not accept its user, but others.
    public var isOfRefusedUser: Bool { isWaiting && cause == .refusedUser }

    /// Whether it was not sent because its steps are not plausible. In state `unknown`, what was sent before may have
    /// arrived.
    public var isWithheld: Bool { (state == .rejected || isInDoubt) && cause == .implausibleSteps }

    /// Whether it waits for its destination: it was attempted, and is tried again without the user. Before the first
    /// attempt, only the day itself makes it wait.
    public var isWaiting: Bool {
        switch state {
        case .pending, .sending, .unknown: nextAttempt != nil && attempts > 0
        case .sent, .rejected: false
        }
    }
}
