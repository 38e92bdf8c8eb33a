/// What is moved from one user of a history to another.
public enum Move: Hashable, Sendable {
    /// All that is known of days of a user.
    case days(ClosedRange<Day>, from: User, to: User)
    /// A pedometer or a source of imports, with all that it has counted for its user.
    case source(HeldSource, from: User, to: User)

    /// The user who has it until now.
    public var from: User {
        switch self {
        case .days(_, let user, _), .source(_, let user, _): user
        }
    }

    /// The user who gets it.
    public var to: User {
        switch self {
        case .days(_, _, let user), .source(_, _, let user): user
        }
    }
}

/// What a move changes on both sides.
public struct MoveEffect: Hashable, Sendable {
    /// The days of one user whose steps change, and the destinations that have such days.
    public struct Side: Hashable, Sendable {
        /// By day.
        public var days: [DayChange]
        public var shared: [DeletionLosses.Shared]

        public init(days: [DayChange] = [], shared: [DeletionLosses.Shared] = []) {
            self.days = days
            self.shared = shared
        }
    }

    /// The user who has had the days.
    public var from: Side
    /// The user who gets them.
    public var to: Side
    /// Days whose steps were entered by hand, and that are moved with them.
    public var corrections: Int
    /// Days whose corrections are lost, because the other user has a correction of the same day.
    public var lostCorrections: Int

    public init(from: Side = Side(), to: Side = Side(), corrections: Int = 0, lostCorrections: Int = 0) {
        self.from = from
        self.to = to
        self.corrections = corrections
        self.lostCorrections = lostCorrections
    }

    public var isEmpty: Bool { self == MoveEffect() }
}
