public import StepDomain

/// A day of a user as the history has it now, with what else is shown of it.
public struct DayReport: Sendable {
    public let summary: DaySummary
    public let now: Timestamp
    public let localTime: LocalTime
    /// The first known day; nil if nothing is known.
    public let historyBegins: Day?
    /// Whether the user has a pedometer to read.
    public let hasPedometers: Bool
    /// Destinations that have earlier figures of the day, and get these once they may be sent something.
    public let unsent: [DestinationState]

    /// The current day.
    public var today: Day { localTime.day(of: now) }

    /// - Throws: the history's error.
    public init(of user: User, on day: Day, in context: ServiceContext) throws {
        let (history, localTime, now) = (context.history, context.localTime, context.now())
        summary = try StepStatistics(history, localTime: localTime, now: { now }).summary(of: user, on: day)
        self.now = now
        self.localTime = localTime
        historyBegins = try history.firstKnownDay(of: user.id)
        hasPedometers = try summary.lastSync != nil || !history.pedometers(of: user.id).isEmpty
        unsent = try OutboxService(context).destinationsToCorrect(day, of: user)
    }
}
