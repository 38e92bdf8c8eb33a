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
            /// The destination has earlier figures, and cannot be given others.
            case fixed
            /// The destination shows one day only, and a later one.
            case passed
            /// It goes out when the day is over, or when its missing steps have had their time.
            case held(until: Timestamp)
            /// It stays in the outbox.
            case queued(reason: String)
            /// It may have arrived; the next attempt will tell, or do no harm.
            case unknown(reason: String)
            /// It may have arrived, and only the user can tell.
            case doubtful(reason: String)
            case rejected(reason: String)
            /// Nothing is known of the day, so that there is nothing to share.
            case nothingKnown
        }

        public var user: User.ID
        public var day: Day
        public var outcome: Outcome

        public init(user: User.ID, day: Day, outcome: Outcome) {
            self.user = user
            self.day = day
            self.outcome = outcome
        }
    }

    public var destination: String
    public var kind: String
    /// In the order in which they happened.
    public var events: [Event]
    /// Entries in the outbox that nothing was tried for: the destination is down, stopped, or time was up.
    public var waiting: Int
    /// How the destination stands now.
    public var state: DestinationState
    /// What held up the destination as a whole, if anything did.
    public var failure: ShareFailure?
    /// The history or another fault of istep's own ended the sharing with this destination.
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

/// How far sharing with a destination has come.
public struct ShareProgress: Hashable, Sendable {
    public var destination: String
    /// Days dealt with, and all that were due.
    public var done: Int
    public var all: Int

    public init(destination: String, done: Int, all: Int) {
        self.destination = destination
        self.done = done
        self.all = all
    }
}
