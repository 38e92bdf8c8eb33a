public import StepDomain

/// What is to be shared.
public enum ShareOrder: Hashable, Sendable {
    /// All that is due.
    case due
    /// These days of a user, in any state, and with them what already waits in the outbox.
    /// - Parameter again: send them even where the destination has confirmed them, as if they never had been sent.
    case days([Day], of: User, again: Bool = false)
}

/// The days that a user asks to share.
public struct ShareDays: Hashable, Sendable {
    public enum Choice: Hashable, Sendable {
        /// One day, also if nothing is known of it.
        case day(Day)
        /// The known days of a range, and the deleted ones that a destination has. Without a last day they end
        /// yesterday: today is not over.
        case range(from: Day, through: Day?)
    }

    public var choice: Choice
    public var today: Day

    public init(_ choice: Choice, today: Day) {
        self.choice = choice
        self.today = today
    }

    /// - Parameter ledger: the history that knows the days of a range.
    /// - Returns: at least one day, none of them in the future.
    /// - Throws: `ServiceError.dayNotBegun`, `.rangeReversed`, `.rangeEndsYesterday`, `.nothingKnown`; the history's
    ///   error.
    public func days(of user: User, in ledger: any ShareLedger) throws -> [Day] {
        switch choice {
        case .day(let day):
            try ServiceError.checkBegun(day, today: today)
            return [day]
        case .range(let first, let end):
            let yesterday = today.advanced(by: -1)
            let last = end ?? yesterday
            try ServiceError.checkBegun(first, today: today)
            guard first <= last else {
                throw end == nil ? ServiceError.rangeEndsYesterday(yesterday) : ServiceError.rangeReversed(first, last)
            }
            let end = min(last, today)
            let days = Set(
                try ledger.knownDays(of: user.id, from: first, through: end)
                    + ledger.deletedDays(of: user.id, from: first, through: end)
            ).sorted()
            guard !days.isEmpty else { throw ServiceError.nothingKnown(first, last) }
            return days
        }
    }
}
