extension DaySeries {
    /// Weeks before a day from which its usual steps are calculated: enough for a mean, and not so many that a season
    /// ago counts.
    public static let usualWeeks = 12
    /// Fewer known days of a weekday show no habit.
    static let fewestUsualDays = 3

    /// The `usualWeeks` weeks that end on the day before `day`.
    public func weeks(before day: Day, weekStart: Weekday = .monday) -> Period {
        Period(day.advanced(by: -7 * Self.usualWeeks)...day.advanced(by: -1), weekStart: weekStart)
    }

    /// What is usual on the weekday of a day: the figures of this weekday in the weeks before; nil if too few of its
    /// days are known.
    public func usual(on day: Day) -> WeekdayFigures? {
        statistics(of: weeks(before: day)).weekdays.first {
            $0.weekday == day.weekday && $0.days >= Self.fewestUsualDays
        }
    }
}
