public import StepDomain

/// The period of a history that a user asks for, in words or by days.
public struct PeriodRequest: Hashable, Sendable {
    public enum Named: String, Hashable, Sendable, CaseIterable {
        case week, month, year
        /// From the first known day.
        case all
    }

    /// Nil if days are given, or nothing: then it is the last 30 days.
    public var named: Named?
    /// A day of the week, month or year; nil for the current one.
    public var day: Day?
    /// The first day; nil with `last` for the first known day.
    public var first: Day?
    /// The last day; nil with `first` for today.
    public var last: Day?
    /// Whether a week begins on Monday, as weeks with numbers do (ISO 8601), wherever the user's begin.
    public var isISOWeek: Bool

    public init(
        named: Named? = nil, day: Day? = nil, first: Day? = nil, last: Day? = nil, isISOWeek: Bool = false
    ) {
        self.isISOWeek = isISOWeek
        self.named = named
        self.day = day
        self.first = first
        self.last = last
    }

    /// Days of the standard period.
    public static let standardDays = 30

    /// The period, which may lie before the history: that nothing is known of a day is an answer, as for a single day.
    ///
    /// - Parameter known: the days from the first known day to today; nil if nothing is known.
    /// - Throws: `ServiceError.rangeReversed`, `.dayNotBegun`.
    public func period(in known: ClosedRange<Day>?, today: Day, weekStart: Weekday) throws(ServiceError) -> Period {
        if let first, let last, last < first { throw .rangeReversed(first, last) }
        for day in [day, first, last].compactMap(\.self) { try ServiceError.checkBegun(day, today: today) }
        let start = known?.lowerBound ?? today
        return switch named {
        case .week: Period(.week, containing: day ?? today, weekStart: isISOWeek ? .monday : weekStart)
        case .month: Period(.month, containing: day ?? today, weekStart: weekStart)
        case .year: Period(.year, containing: day ?? today, weekStart: weekStart)
        case .all: Period(start...today, weekStart: weekStart)
        case nil where first == nil && last == nil:
            Period(today.advanced(by: 1 - Self.standardDays)...today, weekStart: weekStart)
        case nil:
            Period((first ?? min(start, last ?? start))...(last ?? today), weekStart: weekStart)
        }
    }
}
