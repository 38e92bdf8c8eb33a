/// The days of a user in figures, from the first day about which anything is known to today: the source of all
/// statistics of weeks, months and years. A value: the same days give the same statistics wherever they are shown.
public struct DaySeries: Hashable, Sendable {
    public let user: User
    /// The day that was in progress when the figures were calculated.
    public let today: Day
    /// In order, without gaps; empty if nothing is known. The last is today.
    public let days: [DayFigures]
    public let streaks: Streaks

    /// - Parameters:
    ///   - input: the data of all days from the first known one to today; later days are left out.
    ///   - localTime: decides with `now` which day is today.
    public init(_ input: DaySeriesInput, localTime: LocalTime, now: Timestamp) {
        let today = localTime.day(of: now)
        let days = input.sums.prefix { $0.day <= today }.map { sums in
            DayFigures(
                sums, correction: input.corrections[sums.day], profile: input.profiles.effective(on: sums.day),
                plan: input.plans.effective(on: sums.day), isInProgress: sums.day == today)
        }
        self.init(user: input.user, today: today, days: days)
    }

    /// - Parameter days: in order and without gaps; the last is not after today.
    public init(user: User, today: Day, days: [DayFigures]) {
        self.user = user
        self.today = today
        self.days = days
        streaks = Streaks(days)
    }

    /// The days from the first one about which anything is known to today; nil if nothing is known.
    public var known: ClosedRange<Day>? {
        guard let first = days.first, let last = days.last else { return nil }
        return first.day...last.day
    }

    /// Nil for a day before the first known one, and after today.
    public subscript(day: Day) -> DayFigures? {
        guard let first = days.first else { return nil }
        let index = first.day.distance(to: day)
        return days.indices.contains(index) ? days[index] : nil
    }

    /// The days of a range that are neither before the first known one nor after today.
    public subscript(range: ClosedRange<Day>) -> ArraySlice<DayFigures> {
        guard let known, known.overlaps(range) else { return [] }
        let clipped = range.clamped(to: known)
        let start = known.lowerBound.distance(to: clipped.lowerBound)
        return days[start...(start + clipped.lowerBound.distance(to: clipped.upperBound))]
    }

    /// The statistics of a period.
    public func statistics(of period: Period) -> PeriodStatistics { PeriodStatistics(period, self[period.days]) }

    /// The statistics of the parts of a period, without the parts that have no day between the first known one and
    /// today.
    public func statistics(of period: Period, by unit: Period.Unit) -> [PeriodStatistics] {
        let shown = self[period.days]
        guard let first = shown.first?.day, let last = shown.last?.day else { return [] }
        var parts: [PeriodStatistics] = []
        var part = Period(unit, containing: first, weekStart: period.weekStart)
        while part.days.lowerBound <= last {
            // Only days of the whole period count: the first and the last week of a year may contain others.
            parts.append(PeriodStatistics(part, self[part.days.clamped(to: first...last)]))
            guard let next = part.next else { break }
            part = next
        }
        return parts
    }

    /// A period compared with the one before it; nil if one of them has no known day that is over.
    public func comparison(of period: Period) -> Comparison? {
        guard let before = period.previous else { return nil }
        return Comparison(period, before, self)
    }
}

/// All that a history holds on consecutive days of a user, in little space: the input of `DaySeries`.
public struct DaySeriesInput: Hashable, Sendable {
    public var user: User
    /// The sums of each day, in order and without gaps.
    public var sums: [DaySums]
    /// Corrections on any of the days.
    public var corrections: [Day: StepCorrection]
    /// All profiles of the user, oldest first.
    public var profiles: [Profile]
    /// All plans of the user, oldest first.
    public var plans: [SportPlan]

    public init(
        user: User, sums: [DaySums] = [], corrections: [Day: StepCorrection] = [:], profiles: [Profile] = [],
        plans: [SportPlan] = []
    ) {
        self.user = user
        self.sums = sums
        self.corrections = corrections
        self.profiles = profiles
        self.plans = plans
    }
}
