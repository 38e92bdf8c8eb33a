/// How sharing with one destination went.
public struct ShareReport: Sendable {
    /// What happened to one day.
    public struct Event: Hashable, Sendable {
        public enum Outcome: Hashable, Sendable {
            case sent
            /// Figures sent before were replaced.
            case corrected
            /// The destination has these figures already.
            case unchanged
            /// The destination has earlier figures, and they cannot be changed.
            case fixed
            /// The destination shows only one day, and already shows a later one.
            case passed
            /// It is sent when the day is over, or when the wait for its missing steps has ended.
            case held(until: Timestamp)
            /// It stays in the outbox.
            case queued(reason: String)
            /// It may have arrived; the next attempt asks the destination, or repeats it without harm.
            case unknown(reason: String)
            /// It may have arrived, and only the user can find out.
            case doubtful(reason: String)
            case rejected(reason: String)
            /// It was not sent, because its steps are not plausible (`ShareEntry.isWithheld`).
            case withheld
            /// Nothing is known of the day, so that there is nothing to share.
            case nothingKnown

            /// Whether the day stays in the outbox, or is left to the user.
            public var isOpen: Bool {
                switch self {
                case .held, .queued, .unknown, .doubtful, .rejected, .withheld: true
                case .sent, .corrected, .unchanged, .fixed, .passed, .nothingKnown: false
                }
            }
        }

        public var user: User.ID
        public var day: Day
        public var outcome: Outcome
        /// Whether the user named the day, rather than that it was due by itself.
        public var isRequested: Bool

        public init(user: User.ID, day: Day, outcome: Outcome, isRequested: Bool = false) {
            self.user = user
            self.day = day
            self.outcome = outcome
            self.isRequested = isRequested
        }
    }

    public var destination: String
    public var kind: String
    /// In the order in which they happened.
    public var events: [Event]
    /// Entries in the outbox that were not tried: the destination is down or stopped, or time was up.
    public var waiting: Int
    /// The current state of the destination.
    public var state: DestinationState
    /// The failure that held up the destination as a whole, if any.
    public var failure: ShareFailure?
    /// The users whose days the destination does not accept (`ShareFailure.users`); those of the others were sent.
    public var refused: Set<User.ID> = []
    /// The fault of the history, or another one of istep itself, that ended the sharing with this destination.
    public var fault: (any Error)?

    public init(
        destination: String, kind: String, events: [Event] = [], waiting: Int = 0, state: DestinationState,
        failure: ShareFailure? = nil, fault: (any Error)? = nil
    ) {
        self.destination = destination
        self.kind = kind
        self.events = events
        self.waiting = waiting
        self.state = state
        self.failure = failure
        self.fault = fault
    }
}

/// The progress of sharing with a destination.
public struct ShareProgress: Hashable, Sendable {
    public var destination: String
    /// Days that were sent, or did not have to be, and all days that were due.
    public var done: Int
    public var all: Int

    public init(destination: String, done: Int, all: Int) {
        self.destination = destination
        self.done = done
        self.all = all
    }
}

extension ShareReport {
    /// Days that are still in the outbox and that another try may deliver.
    public var queued: Int {
        waiting
            + events.count { event in
                switch event.outcome {
                case .queued, .unknown: true
                default: false
                }
            }
    }

    /// The same sharing, as far as it concerns one user: without the refusal of other users, and their days.
    public func concerning(_ user: User.ID) -> ShareReport {
        guard !refused.isEmpty, !refused.contains(user) else { return self }
        var report = self
        if failure?.users != nil { report.failure = nil }
        report.events.removeAll { refused.contains($0.user) }
        return report
    }
}
