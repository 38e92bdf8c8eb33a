public import StepDomain

/// Correcting the steps of a day by hand, and removing the correction.
public struct Corrections: Sendable {
    private let history: any StepHistory
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(_ history: any StepHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.localTime = localTime
        self.now = now
    }

    /// Replaces the steps of a day, whatever was counted or will be synced. Days that were shared are shared again with
    /// the new figure.
    ///
    /// - Parameter day: today, or a past day from 1970 on.
    /// - Throws: `ServiceError.dayNotBegun`, `.dayTooEarly`, `.implausibleSteps`, `.unusableReason`; the history's
    ///   error.
    public func set(_ correction: StepCorrection, on day: Day, of user: User) throws {
        let moment = now()
        try Self.check(correction, on: day, today: localTime.day(of: moment))
        try history.setCorrection(correction, of: user.id, on: day, at: moment)
    }

    /// Whether a correction can be made: to be called before a history or a user is created for it.
    ///
    /// - Throws: as `set`, but for the history's error.
    public static func check(_ correction: StepCorrection, on day: Day, today: Day) throws(ServiceError) {
        try ServiceError.checkBegun(day, today: today)
        // One mistyped year would make a history of centuries.
        guard Validity.firstDays.contains(day) else { throw .dayTooEarly(day) }
        guard StepCorrection.stepRange.contains(correction.steps) else { throw .implausibleSteps(correction.steps) }
        if let reason = correction.reason, !StepCorrection.isUsable(reason: reason) { throw .unusableReason }
    }

    /// The day has the steps that were counted again.
    ///
    /// - Throws: `ServiceError.notCorrected`; the history's error.
    public func remove(on day: Day, of user: User) throws {
        let data = try history.dayData(of: user, on: day)
        guard data.correction != nil else {
            throw ServiceError.notCorrected(day, hasExclusions: !data.exclusions.isEmpty)
        }
        try history.setCorrection(nil, of: user.id, on: day, at: now())
    }
}
