/// The figures of a day that statistics need, in little space: ten years of them can be held in memory.
///
/// `DaySummary` takes its figures from here, so that a figure is the same wherever it is shown.
public struct DayFigures: Hashable, Sendable {
    public var day: Day
    /// Nil if nothing is known; unknown steps never count as zero.
    public var steps: Int?
    /// The walked part of `steps`; nil if `steps` is nil. A correction keeps the day's shares of walking and running.
    public var walkingSteps: Int?
    /// The part of `steps` that was run, by cadence (`Gait`).
    public var runningSteps: Int?
    /// Like `DaySums.hours`: 24 values, nil for each unknown hour; none if nothing is known of the day. A correction
    /// leaves them as they were counted.
    public var hours: [Int?]
    /// Metres.
    public var distance: Double?
    /// Of the walked part.
    public var distanceSource: DaySummary.DistanceSource?
    /// Of the part that was run; nil if there is none.
    public var runningDistanceSource: DaySummary.DistanceSource?
    /// Kilocalories above rest.
    public var energy: Double?
    public var energySource: DaySummary.EnergySource?
    /// Steps, by the effective plan on the day; nil on a rest day and without a plan.
    public var goal: Int?
    public var isRestDay: Bool
    /// A day that is not over is never `complete`, unless its steps were entered by hand.
    public var completeness: DaySummary.Completeness
    /// The day is not over yet.
    public var isInProgress: Bool
    /// The steps were entered by hand.
    public var isCorrected: Bool
    /// When they were entered, if the history has the time.
    public var correctedAt: Timestamp?
    /// What the pedometers counted, which a correction replaces; nil if nothing is known.
    public var countedSteps: Int?

    /// - Parameters:
    ///   - profile: the effective profile on the day.
    ///   - plan: the effective plan on the day.
    ///   - isInProgress: whether the day is not over yet.
    public init(_ sums: DaySums, correction: StepCorrection?, profile: Profile?, plan: SportPlan?, isInProgress: Bool) {
        let counted = sums.steps
        let isKnown = sums.completeness != .unknown
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
            running =
                correction == nil ? sums.gaits.runningSteps : Int((Double(sums.gaits.runningSteps) * factor).rounded())
        }
        day = sums.day
        self.steps = steps
        walkingSteps = steps.map { $0 - (running ?? 0) }
        runningSteps = running
        hours = isKnown ? sums.hours : []
        self.distance = distance?.metres
        distanceSource = distance?.source
        runningDistanceSource = distance?.runningSource
        self.energy = energy?.kilocalories
        energySource = energy?.source
        goal = plan?.goal(on: sums.day)
        isRestDay = plan?.isRestDay(sums.day) ?? false
        completeness = sums.completeness.shown(isInProgress: isInProgress, isCorrected: correction != nil)
        self.isInProgress = isInProgress
        isCorrected = correction != nil
        correctedAt = correction?.enteredAt
        countedSteps = isKnown ? counted : nil
    }

    /// 100 · steps / goal; nil if steps or goal is nil.
    public var percentage: Double? { SportPlan.percentage(steps: steps, goal: goal) }

    /// Whether a person can have made the steps.
    public var isPlausible: Bool { DaySummary.isPlausible(steps) }

    /// The steps; nil also where they are not plausible: these are named, and neither drawn nor counted for a goal.
    public var plausibleSteps: Int? { isPlausible ? steps : nil }

    /// Whether the steps reached the goal; false without a goal, and if the steps are not known or not plausible.
    public var isGoalMet: Bool { SportPlan.isMet(goal, by: plausibleSteps) }
}
