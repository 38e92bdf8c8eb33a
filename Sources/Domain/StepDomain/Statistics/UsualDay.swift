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

    /// The mean steps of the days up to each day of a range: of the known days that are over among the last `window`
    /// ones.
    ///
    /// - Returns: one value for each day between the first known day and today; nil where fewer than half of the days
    ///   of the window are known, since a mean of the rest could be far from that of all.
    public func means(over window: Int, to range: ClosedRange<Day>) -> [Double?] {
        guard let known, known.overlaps(range), window > 0 else { return [] }
        let wanted = range.clamped(to: known)
        let first = max(0, known.lowerBound.distance(to: wanted.lowerBound) - window + 1)
        let begin = known.lowerBound.distance(to: wanted.lowerBound),
            end = known.lowerBound.distance(to: wanted.upperBound)
        func settled(_ index: Int) -> Int? { days[index].isInProgress ? nil : days[index].steps }
        var means: [Double?] = [], sum = 0, count = 0
        for index in first...end {
            if let steps = settled(index) { (sum, count) = (sum + steps, count + 1) }
            if index - window >= first, let steps = settled(index - window) { (sum, count) = (sum - steps, count - 1) }
            if index >= begin { means.append(2 * count >= window ? Double(sum) / Double(count) : nil) }
        }
        return means
    }
}
