public import StepDomain

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
    ///   - from: seconds after midnight, as clocks here show them.
    ///   - to: above `from`; 86,400 is the end of the day.
    /// - Throws: `ServiceError.dayNotBegun`, `.dayTooEarly`, `.unusableReason`, `.skippedTime`; the history's error.
    public func exclude(_ day: Day, from: Int, to: Int, reason: String?, of user: User) throws {
        let moment = now()
        try Corrections.check(
            StepCorrection(steps: 0, reason: reason), on: day, today: localTime.day(of: moment))
        let span = try span(day, from, to)
        let exclusion = Exclusion(span, utcOffset: localTime.utcOffset(span.start), reason: reason)
        try store.exclude(exclusion, of: user.id, at: moment)
    }

    /// - Throws: `ServiceError.notExcluded`, `.skippedTime`; the history's error.
    public func include(_ day: Day, from: Int, to: Int, of user: User) throws {
        guard try store.include(try span(day, from, to), of: user.id) else { throw ServiceError.notExcluded(day) }
    }

    private func span(_ day: Day, _ from: Int, _ to: Int) throws(ServiceError) -> TimeSpan {
        let start = localTime.moment(day, seconds: from)
        let end = to == 86_400 ? localTime.span(of: day).end : localTime.moment(day, seconds: to)
        guard start < end else { throw .skippedTime(day) }
        return TimeSpan(start, end)
    }
}
