public import StepDomain

/// Excluding a block of time of a day from counting, and letting it count again.
public struct Exclusions: Sendable {
    private let history: EditableHistory
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(_ history: EditableHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.localTime = localTime
        self.now = now
    }

    /// Times are those of clocks where the day was walked (`DayClock`); of one that clocks here show twice, the first.
    ///
    /// - Parameters:
    ///   - to: after `from`.
    /// - Throws: `ServiceError.dayNotBegun`, `.dayTooEarly`, `.unusableReason`, `.skippedTime`, `.repeatedTime`,
    ///   `.unclearTime`, `.timeOfOtherDay`, `.blockTooLong`; the history's error.
    public func exclude(_ day: Day, from: BlockTime, to: BlockTime, reason: String?, of user: User) throws {
        let moment = now()
        try Corrections.check(
            StepCorrection(steps: 0, reason: reason), on: day, today: localTime.day(of: moment))
        let neighbours = try history.dayData(of: user, on: [-1, 1].map { day.advanced(by: $0) })
        var exclusion = try block(
            day, from, to, of: user, beside: neighbours.flatMap(\.tracks).flatMap { $0.samples + $0.excluded })
        exclusion.reason = reason
        try history.exclude(exclusion, of: user.id, at: moment)
    }

    /// The neighbouring days keep their steps anyway.
    ///
    /// - Throws: `ServiceError.notExcluded`, `.skippedTime`, `.repeatedTime`, `.unclearTime`, `.blockTooLong`; the
    ///   history's error.
    public func include(_ day: Day, from: BlockTime, to: BlockTime, of user: User) throws {
        guard try history.include(try block(day, from, to, of: user).span, of: user.id) else {
            throw ServiceError.notExcluded(day)
        }
    }

    private func block(
        _ day: Day, _ from: BlockTime, _ to: BlockTime, of user: User, beside others: [StepSample] = []
    ) throws -> Exclusion {
        let clock = DayClock(try history.dayData(of: user, on: day), here: localTime)
        do throws(BlockTimeError) {
            return try clock.block(from: from, to: to, beside: others)
        } catch {
            switch error {
            case .skipped: throw ServiceError.skippedTime(day)
            case .reversed: throw ServiceError.repeatedTime(day)
            case .unclear: throw ServiceError.unclearTime(day)
            case .ofOtherDay: throw ServiceError.timeOfOtherDay(day)
            case .tooLong: throw ServiceError.blockTooLong(day)
            }
        }
    }
}
