/// The figures of a day that statistics need, in little space: ten years of them can be held in memory.
///
/// `DaySummary` takes its figures from here, so that a figure is the same wherever it is shown.
public struct DayFigures: Hashable, Sendable {
    public var day: Day
    /// Nil if nothing is known; unknown steps never count as zero.
    public var steps: Int?
    /// Those of `steps` that were walked; nil where `steps` is. A correction keeps the day's shares of walking and running.
    public var walkingSteps: Int?
    /// Those of `steps` that were run, by cadence (`Gait`).
    public var runningSteps: Int?
    /// As `DaySums.hours`: 24 of them, those that are not known nil, or none where nothing is known of the day. A correction leaves them as
    /// they were counted.
    public var hours: [Int?]
    /// Metres.
    public var distance: Double?
    public var distanceSource: DaySummary.DistanceSource?
    /// Kilocalories above rest.
    public var energy: Double?
    public var energySource: DaySummary.EnergySource?
    /// Steps, by the plan in force on the day; nil on a rest day and without a plan.
    public var goal: Int?
    public var isRestDay: Bool
    /// A day that is not over is never `complete`, unless its steps were entered by hand.
    public var completeness: DaySummary.Completeness
    /// The day is not over yet.
    public var isRunning: Bool
    /// The steps were entered by hand.
    public var isCorrected: Bool
    /// When they were entered, if the history knows it.
    public var correctedAt: Timestamp?
    /// What the pedometers counted, which a correction replaces; nil where nothing is known.
    public var countedSteps: Int?

    /// - Parameters:
    ///   - profile: in force on the day.
    ///   - plan: in force on the day.
    ///   - isRunning: whether the day is not over yet.
    public init(_ sums: DaySums, correction: StepCorrection?, profile: Profile?, plan: SportPlan?, isRunning: Bool) {
        let counted = sums.steps
        let isKnown = sums.completeness != .unknown
        let seen = isRunning && sums.completeness == .complete ? .partial : sums.completeness
        let steps = correction?.steps ?? (isKnown ? counted : nil)
        var distance: DistanceEstimate?
        var energy: EnergyEstimate?
        var running: Int?
        if let correction, counted == 0 {
            distance = DistanceEstimate(walkedSteps: correction.steps, profile: profile)
            energy = EnergyEstimate(distance: distance, profile: profile)
            running = 0
        } else if let steps {
            let factor = correction == nil ? 1 : Double(steps) / Double(counted)
            let unscaled = DistanceEstimate(sums.gaits, profile: profile)
            distance = unscaled?.scaled(by: factor)
            energy = EnergyEstimate(sums.gaits, distance: unscaled, profile: profile)?.scaled(by: factor)
            running = correction == nil ? sums.gaits.runningSteps : Int((Double(sums.gaits.runningSteps) * factor).rounded())
        }
        day = sums.day
        self.steps = steps
        walkingSteps = steps.map { $0 - (running ?? 0) }
        runningSteps = running
        hours = isKnown ? sums.hours : []
        self.distance = distance?.metres
        distanceSource = distance?.source
        self.energy = energy?.kilocalories
        energySource = energy?.source
        goal = plan?.goal(on: sums.day)
        isRestDay = plan?.isRestDay(sums.day) ?? false
        completeness = correction == nil ? seen : .complete
        self.isRunning = isRunning
        isCorrected = correction != nil
        correctedAt = correction?.enteredAt
        countedSteps = isKnown ? counted : nil
    }

    /// 100 · steps / goal; nil where either is.
    public var percentage: Double? { SportPlan.percentage(steps: steps, goal: goal) }

    /// Whether the steps reached the goal; false without a goal or without steps.
    public var isGoalMet: Bool {
        guard let steps, let goal else { return false }
        return steps >= goal
    }
}

/// The days of a user in figures, from the first of which anything is known to today: the source of all statistics of weeks, months and
/// years. A value: the same days give the same statistics wherever they are shown.
public struct DailyFigures: Hashable, Sendable {
    public let user: User
    /// The day that was running when the figures were calculated.
    public let today: Day
    /// In order, without gaps; empty where nothing is known. The last is today.
    public let days: [DayFigures]
    public let streaks: Streaks

    /// - Parameters:
    ///   - records: of all days from the first known one to today; later days are left out.
    ///   - localTime: decides with `now` which day is running.
    public init(_ records: DayRecords, localTime: LocalTime, now: Timestamp) {
        let today = localTime.day(of: now)
        var profile = InForce(records.profiles)
        var plan = InForce(records.plans)
        let days = records.sums.prefix { $0.day <= today }.map { sums in
            DayFigures(
                sums, correction: records.corrections[sums.day], profile: profile.advance(to: sums.day), plan: plan.advance(to: sums.day),
                isRunning: sums.day == today)
        }
        self.init(user: records.user, today: today, days: days)
    }

    /// - Parameter days: in order, without gaps, the last is not after today.
    public init(user: User, today: Day, days: [DayFigures]) {
        self.user = user
        self.today = today
        self.days = days
        streaks = Streaks(days)
    }

    /// From the first day of which anything is known to today; nil where nothing is known.
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

    /// A period divided into smaller ones, those left out that have no day between the first known one and today.
    public func statistics(of period: Period, by unit: Period.Unit) -> [PeriodStatistics] {
        let shown = self[period.days]
        guard let first = shown.first?.day, let last = shown.last?.day else { return [] }
        var parts: [PeriodStatistics] = []
        var part = Period(unit, containing: first, weekStart: period.weekStart)
        while part.days.lowerBound <= last {
            // Only the days of the whole count, such as those of a year in its first and last week.
            parts.append(PeriodStatistics(part, self[part.days.clamped(to: first...last)]))
            guard let next = part.next else { break }
            part = next
        }
        return parts
    }

    /// A period beside the one before it; nil where one of them has no known day that is over.
    public func comparison(of period: Period) -> Comparison? {
        guard let before = period.previous else { return nil }
        return Comparison(period, before, self)
    }
}

/// Which of a series of profiles or plans is in force, for days in ascending order.
private struct InForce<Item: ValidFrom> {
    private let items: [Item]
    private var index = -1

    init(_ items: [Item]) { self.items = items.sorted { $0.validFrom < $1.validFrom } }

    mutating func advance(to day: Day) -> Item? {
        while index + 1 < items.count, items[index + 1].validFrom <= day { index += 1 }
        return index < 0 ? nil : items[index]
    }
}
