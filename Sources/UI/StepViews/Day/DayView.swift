public import StepDomain

/// A user's day, verified before it is shown: what does not hold is shown as an error in place of the value.
public struct DayView: View {
    public let summary: DaySummary
    /// The day that it is now.
    public let today: Day
    public let now: Timestamp
    public let localTime: LocalTime
    /// What `verify` found; each attribute at most once.
    public let errors: [AttributeError]

    public init(_ summary: DaySummary, today: Day, now: Timestamp, localTime: LocalTime) {
        self.summary = summary
        self.today = today
        self.now = now
        self.localTime = localTime
        errors = Self.verify(summary, today: today, now: now)
    }

    /// Nil before the first day that can be written.
    public var previousDay: Day? {
        let day = summary.day.advanced(by: -1)
        return day.components.year >= 1 ? day : nil
    }
    /// Nil where the next day has not begun.
    public var nextDay: Day? { summary.day < today ? summary.day.advanced(by: 1) : nil }

    func error(_ attribute: AttributeError.Attribute) -> AttributeError? { errors.first { $0.attribute == attribute } }
    func holds(_ attribute: AttributeError.Attribute) -> Bool { error(attribute) == nil }
}
