/// A period in figures, calculated from its days between the first day about which anything is known and today.
///
/// Unknown days never count as zero. Sums include all known steps; means, medians and what is calculated by weekday and
/// hour leave out the day that is not over.
public struct PeriodStatistics: Hashable, Sendable {
    public let period: Period
    /// The days of the period that are neither before the first known one nor after today, in order. Empty if there are
    /// none.
    public let days: [DayFigures]

    /// The sum of the known steps; nil if no day is known.
    public let total: Int?
    /// Mean steps per day of the known days that are over; nil if there are none.
    public let mean: Double?
    /// The middle of the steps of the known days that are over; for an even number of days, the mean of the middle two.
    public let median: Double?
    /// The day with the most steps, today included; the first if several are equal. Nil if no day has steps.
    public let best: DayFigures?
    /// The walked part of the known steps.
    public let walkingSteps: Int
    public let runningSteps: Int
    /// Metres on the days for which they are known; nil if there are none.
    public let distance: Double?
    /// Kilocalories above rest on the days for which they are known; nil if there are none.
    public let energy: Double?

    /// Days that are over and known completely, or entered by hand.
    public let completeDays: Int
    /// Days that are over and of which steps may be missing.
    public let partialDays: Int
    /// Days that are over and of which nothing is known.
    public let unknownDays: Int
    /// 1 if today is one of the days, which then belongs to none of the three above; else 0.
    public let daysInProgress: Int
    /// Days that were entered by hand.
    public let correctedDays: Int
    public let restDays: Int
    /// Days on which the steps reached the goal effective on that day.
    public let goalDays: Int
    /// Days with a goal and plausible steps that are over, and today if its goal is met: the days from which `goalDays`
    /// counts.
    public let daysWithGoal: Int
    /// Mean goal in steps of the days that have one, for a mark beside `mean`. Nil if no day has a goal.
    public let meanGoal: Double?

    /// - Parameter days: the days of the period, in order, without gaps.
    public init(_ period: Period, _ days: ArraySlice<DayFigures>) {
        self.period = period
        self.days = Array(days)
        let known = days.compactMap(\.steps)
        let over = days.filter { !$0.isInProgress }
        let settled = over.compactMap(\.steps).sorted()
        total = known.isEmpty ? nil : known.reduce(0, +)
        mean = settled.isEmpty ? nil : Double(settled.reduce(0, +)) / Double(settled.count)
        median = settled.isEmpty ? nil : Double(settled[(settled.count - 1) / 2] + settled[settled.count / 2]) / 2
        best = days.filter { $0.steps ?? 0 > 0 }.reduce(nil) { best, day in
            (best?.steps ?? 0) >= (day.steps ?? 0) ? best : day
        }
        walkingSteps = days.reduce(0) { $0 + ($1.walkingSteps ?? 0) }
        runningSteps = days.reduce(0) { $0 + ($1.runningSteps ?? 0) }
        let distances = days.compactMap(\.distance)
        distance = distances.isEmpty ? nil : distances.reduce(0, +)
        let energies = days.compactMap(\.energy)
        energy = energies.isEmpty ? nil : energies.reduce(0, +)
        completeDays = over.count { $0.completeness == .complete }
        partialDays = over.count { $0.completeness == .partial }
        unknownDays = over.count { $0.completeness == .unknown }
        daysInProgress = days.count - over.count
        correctedDays = days.count { $0.isCorrected }
        restDays = days.count { $0.isRestDay }
        goalDays = days.count { $0.isGoalMet }
        daysWithGoal = days.count { $0.goal != nil && $0.plausibleSteps != nil && (!$0.isInProgress || $0.isGoalMet) }
        let goals = days.compactMap(\.goal)
        meanGoal = goals.isEmpty ? nil : Double(goals.reduce(0, +)) / Double(goals.count)
    }

    /// Mean steps per day, and the running part of them: the height of the period's bar in a chart. Calculated from the
    /// known days that are over, like `mean`; if only today is known, from today so far. Nil if nothing is known.
    public var perDay: (steps: Double, running: Double)? {
        let counted = countedDays
        if counted.isEmpty { return nil }
        let steps = counted.reduce(0) { $0 + ($1.steps ?? 0) },
            running = counted.reduce(0) { $0 + ($1.runningSteps ?? 0) }
        return (Double(steps) / Double(counted.count), Double(running) / Double(counted.count))
    }

    /// The goal to compare `perDay` with: the mean of the same days, of which a rest day demands nothing. `meanGoal` if
    /// nothing is known.
    public var perDayGoal: Double? {
        let counted = countedDays
        if counted.isEmpty { return meanGoal }
        let goals = counted.compactMap(\.goal)
        if goals.isEmpty { return nil }
        return Double(goals.reduce(0, +)) / Double(goals.count + counted.count { $0.goal == nil && $0.isRestDay })
    }

    /// The known days that are over; only if there are none, today.
    private var countedDays: [DayFigures] {
        let known = days.filter { $0.steps != nil }
        let over = known.filter { !$0.isInProgress }
        return over.isEmpty ? known : over
    }

    /// Days whose steps cannot be. The sums, the means and the best day include them.
    public var implausibleDays: [DayFigures] { days.filter { !$0.isPlausible } }

    /// Days of which steps are known, today included.
    public var knownDays: Int { days.count { $0.steps != nil } }

    /// The first and the last of `days`; nil if there are none.
    public var shown: ClosedRange<Day>? {
        guard let first = days.first, let last = days.last else { return nil }
        return first.day...last.day
    }
}

/// The steps of the days of one weekday.
public struct WeekdayFigures: Hashable, Sendable {
    public var weekday: Weekday
    /// Known days that are over.
    public var days: Int
    /// Steps of these days.
    public var steps: Int
    /// Days that are over and of which nothing is known.
    public var unknownDays: Int
    /// Steps by hour, 24 numbers, as they were counted: corrections do not change them.
    public var hours: [Int]
    /// For each of the 24 hours, the number of days on which it is known: the days from which `hours` counts.
    public var daysByHour: [Int]
    /// Mean goal of these days in steps; nil if none has one.
    public var meanGoal: Double?

    /// Mean steps per day; nil if no day is known.
    public var mean: Double? { days == 0 ? nil : Double(steps) / Double(days) }

    /// Whether any day of this weekday is over, known or not.
    public var isOver: Bool { days + unknownDays > 0 }

    /// Mean steps per day in one hour, of the days on which the hour is known; nil if there are none.
    public func mean(hour: Int) -> Double? {
        hours.indices.contains(hour) && daysByHour[hour] > 0 ? Double(hours[hour]) / Double(daysByHour[hour]) : nil
    }

    fileprivate init(_ weekday: Weekday, _ all: some Sequence<DayFigures>) {
        self.weekday = weekday
        (days, steps, unknownDays) = (0, 0, 0)
        (hours, daysByHour) = (Array(repeating: 0, count: 24), Array(repeating: 0, count: 24))
        var goals: [Int] = []
        for day in all where day.day.weekday == weekday && !day.isInProgress {
            guard let known = day.steps else {
                unknownDays += 1
                continue
            }
            days += 1
            steps += known
            if let goal = day.goal { goals.append(goal) }
            for (hour, steps) in day.hours.enumerated().prefix(24) {
                guard let steps else { continue }
                hours[hour] += steps
                daysByHour[hour] += 1
            }
        }
        meanGoal = goals.isEmpty ? nil : Double(goals.reduce(0, +)) / Double(goals.count)
    }
}

extension PeriodStatistics {
    /// Figures by weekday, beginning with the first day of the period's weeks; always seven.
    public var weekdays: [WeekdayFigures] {
        (0..<7).map { WeekdayFigures(Weekday.allCases[(period.weekStart.rawValue - 1 + $0) % 7], days) }
    }

    /// Mean steps per day in each of the 24 hours, of the days that are over and on which the hour is known; nil if
    /// there are none. Empty if no hour is known.
    public var hourlyMeans: [Double?] {
        let weekdays = weekdays
        let means = (0..<24).map { hour -> Double? in
            let days = weekdays.reduce(0) { $0 + $1.daysByHour[hour] }
            return days == 0 ? nil : Double(weekdays.reduce(0) { $0 + $1.hours[hour] }) / Double(days)
        }
        return means.contains { $0 != nil } ? means : []
    }
}

/// A period compared with the one before it.
///
/// If the period is not over, as many days of the one before count as have elapsed: the first 19 of April are compared
/// with the first 19 of March. Whole periods are compared with whole periods, such as April with its 30 days and March
/// with its 31. Means per day are compared, so that unknown days do not count as days without steps.
public struct Comparison: Hashable, Sendable {
    public var period: Period
    public var previous: Period
    /// The days that were compared, without today.
    public var days: ClosedRange<Day>
    public var previousDays: ClosedRange<Day>
    /// Mean steps per day, of the known days.
    public var mean: Double
    public var previousMean: Double

    /// Steps per day.
    public var difference: Double { mean - previousMean }
    /// Per cent of the previous mean; nil if that is 0.
    public var percentage: Double? { previousMean > 0 ? 100 * difference / previousMean : nil }

    /// Nil if less than half of the days of one of them are known: their mean would be that of a few days.
    init?(_ period: Period, _ previous: Period, _ figures: DaySeries) {
        let yesterday = figures.today.advanced(by: -1)
        guard period.days.lowerBound <= yesterday else { return nil }
        let isOver = period.days.upperBound <= yesterday
        let days = period.days.lowerBound...min(period.days.upperBound, yesterday)
        let elapsed = days.lowerBound.distance(to: days.upperBound)
        let end =
            isOver
            ? previous.days.upperBound : min(previous.days.upperBound, previous.days.lowerBound.advanced(by: elapsed))
        let previousDays = previous.days.lowerBound...end
        let (steps, before) = (figures[days].compactMap(\.steps), figures[previousDays].compactMap(\.steps))
        guard 2 * steps.count >= days.count, 2 * before.count >= previousDays.count else { return nil }
        self.period = period
        self.previous = previous
        self.days = days
        self.previousDays = previousDays
        mean = Double(steps.reduce(0, +)) / Double(steps.count)
        previousMean = Double(before.reduce(0, +)) / Double(before.count)
    }
}
