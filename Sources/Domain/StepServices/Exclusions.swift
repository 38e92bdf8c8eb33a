public import StepDomain

/// A time of a day as the user writes it.
public struct BlockTime: Hashable, Sendable {
    /// After midnight, as clocks show them; 86,400 is the end of the day.
    public var seconds: Int
    /// Nil for the offset of clocks here; of a time that they show twice, the first one.
    public var utcOffset: Int?

    public init(_ seconds: Int, utcOffset: Int? = nil) { (self.seconds, self.utcOffset) = (seconds, utcOffset) }
}

/// Excluding a block of time of a day from counting, and letting it count again.
public struct Exclusions: Sendable {
    private let store: any ExclusionStore
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(_ store: any ExclusionStore, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.localTime = localTime
        self.now = now
    }

    /// - Parameters:
    ///   - to: after `from`.
    /// - Throws: `ServiceError.dayNotBegun`, `.dayTooEarly`, `.unusableReason`, `.skippedTime`, `.repeatedTime`; the
    ///   history's error.
    public func exclude(_ day: Day, from: BlockTime, to: BlockTime, reason: String?, of user: User) throws {
        let moment = now()
        try Corrections.check(
            StepCorrection(steps: 0, reason: reason), on: day, today: localTime.day(of: moment))
        let span = try span(day, from, to)
        let exclusion = Exclusion(span, utcOffset: from.utcOffset ?? localTime.utcOffset(span.start), reason: reason)
        try store.exclude(exclusion, of: user.id, at: moment)
    }

    /// - Throws: `ServiceError.notExcluded`, `.skippedTime`, `.repeatedTime`; the history's error.
    public func include(_ day: Day, from: BlockTime, to: BlockTime, of user: User) throws {
        guard try store.include(try span(day, from, to), of: user.id) else { throw ServiceError.notExcluded(day) }
    }

    private func span(_ day: Day, _ from: BlockTime, _ to: BlockTime) throws(ServiceError) -> TimeSpan {
        let (start, end) = (moment(day, from), moment(day, to))
        guard start < end else {
            throw from.utcOffset == nil && to.utcOffset == nil ? .skippedTime(day) : .repeatedTime(day)
        }
        return TimeSpan(start, end)
    }

    private func moment(_ day: Day, _ time: BlockTime) -> Timestamp {
        if let offset = time.utcOffset { return Timestamp(day.daysSince1970 * 86_400 + time.seconds - offset) }
        return time.seconds == 86_400 ? localTime.span(of: day).end : localTime.moment(day, seconds: time.seconds)
    }
}
