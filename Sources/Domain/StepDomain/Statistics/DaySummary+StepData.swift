extension DaySummary {
    /// A day in figures, from all that is known of it. Pure: the same material gives the same figures.
    ///
    /// - No knowledge gives no steps (nil), a day that is accounted for and has no samples gives 0.
    /// - A correction by hand replaces the steps; distance and energy follow it in proportion, because the day's walking and
    ///   running stay as they were seen. The hours stay as they were counted.
    ///
    /// - Parameters:
    ///   - localTime: decides the hours of the day, and with `now` whether it is over.
    public init(_ data: StepData, localTime: LocalTime, now: Timestamp) {
        let merged = MergedTracks(data.tracks)
        let samples = merged.samples
        let counted = merged.steps
        let isRunning = localTime.span(of: data.day).contains(now)
        var seen = Completeness(data.tracks.flatMap(\.coverage), of: data.day, hasSamples: !samples.isEmpty)
        if isRunning, seen == .complete { seen = .partial }

        let steps = data.correction ?? (seen == .unknown ? nil : counted)
        var distance: DistanceEstimate?
        var energy: EnergyEstimate?
        if let correction = data.correction, counted == 0 {
            distance = DistanceEstimate(walkedSteps: correction, profile: data.profile)
            energy = EnergyEstimate(distance: distance, profile: data.profile)
        } else if let steps {
            let factor = data.correction == nil ? 1 : Double(steps) / Double(counted)
            let unscaled = DistanceEstimate(samples, profile: data.profile)
            distance = unscaled?.scaled(by: factor)
            energy = EnergyEstimate(samples, distance: unscaled, profile: data.profile)?.scaled(by: factor)
        }

        let goal = data.plan?.goal(on: data.day)
        self.init(
            user: data.user, day: data.day, steps: steps,
            distance: distance?.metres, distanceSource: distance?.source,
            energy: energy?.kilocalories, energySource: energy?.source,
            goal: goal, isRestDay: data.plan?.isRestDay(data.day) ?? false,
            percentage: SportPlan.percentage(steps: steps, goal: goal),
            category: steps.map { ActivityCategory(steps: $0) },
            hours: seen == .unknown ? [] : HourlyProfile(samples, of: data.day, localTime: localTime).hours,
            completeness: data.correction == nil ? seen : .complete,
            isRunning: isRunning, isCorrected: data.correction != nil,
            implausibleSteps: data.tracks.reduce(0) { sum, track in track.implausible.reduce(sum) { $0 + max(0, $1.steps) } },
            lastSync: data.lastSync)
    }
}
