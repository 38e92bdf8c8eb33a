internal import StepDomain

extension DayView {
    /// More steps than anyone makes in a day: the record over 24 hours of running lies below.
    public static let mostSteps = 200_000
    /// Metres; what `mostSteps` of a very long step make.
    static let longestDistance = 500_000.0
    /// Kilocalories; above what the hardest day of sport costs.
    static let mostEnergy = 30_000.0

    /// Checks every value by itself and against the others.
    ///
    /// - Returns: the first thing wrong with each attribute.
    static func verify(_ summary: DaySummary, today: Day, now: Timestamp) -> [AttributeError] {
        let checks: [(AttributeError.Attribute, String?)] = [
            (.day, summary.day > today ? "\(summary.day) has not begun" : nil),
            (.steps, wrongSteps(summary)),
            (.distance, wrongDistance(summary)),
            (.energy, wrongEnergy(summary)),
            (.goal, summary.goal.flatMap { (1...200_000).contains($0) ? nil : "\($0) is not between 1 and 200,000" }),
            (.percentage, wrongPercentage(summary)),
            (.category, wrongCategory(summary)),
            (.hours, wrongHours(summary)),
            (.completeness, wrongCompleteness(summary)),
            (.implausibleSteps, summary.implausibleSteps < 0 ? "\(summary.implausibleSteps) is negative" : nil),
            // A minute of grace: clocks are set back by so much now and then.
            (.lastSync, summary.lastSync.flatMap { $0 > now + 60 ? "it lies in the future: check this machine's clock" : nil }),
        ]
        return checks.compactMap { attribute, message in message.map { AttributeError(attribute, $0) } }
    }

    private static func wrongSteps(_ summary: DaySummary) -> String? {
        guard let steps = summary.steps else { return nil }
        if steps < 0 { return "\(steps) is negative" }
        return steps > mostSteps ? "\(Words.grouped(steps)) is more than anyone walks in a day" : nil
    }

    private static func wrongDistance(_ summary: DaySummary) -> String? {
        guard let distance = summary.distance else { return nil }
        if summary.steps == nil { return "there are no steps that it could be of" }
        if !distance.isFinite { return "it is no number" }
        if distance < 0 { return "it is negative" }
        if distance > longestDistance { return "it is farther than anyone walks in a day" }
        return summary.distanceSource == nil ? "nothing tells where it comes from" : nil
    }

    private static func wrongEnergy(_ summary: DaySummary) -> String? {
        guard let energy = summary.energy else { return nil }
        if summary.steps == nil { return "there are no steps that it could be of" }
        if !energy.isFinite { return "it is no number" }
        if energy < 0 { return "it is negative" }
        if energy > mostEnergy { return "it is more than anyone burns in a day" }
        return summary.energySource == nil ? "nothing tells where it comes from" : nil
    }

    private static func wrongPercentage(_ summary: DaySummary) -> String? {
        let expected = SportPlan.percentage(steps: summary.steps, goal: summary.goal)
        guard let percentage = summary.percentage else { return expected == nil ? nil : "it is missing" }
        guard let expected else { return "there is no goal, or no steps, that it could be of" }
        // Anything but a number fails this comparison, too.
        return abs(percentage - expected) <= 0.01 ? nil : "it does not match steps and goal"
    }

    private static func wrongCategory(_ summary: DaySummary) -> String? {
        summary.category == summary.steps.map { ActivityCategory(steps: $0) } ? nil : "it does not match the steps"
    }

    private static func wrongHours(_ summary: DaySummary) -> String? {
        let hours = summary.hours
        if let wrong = hours.first(where: { $0.steps < 0 }) { return "\(wrong.steps) in an hour is negative" }
        if let wrong = hours.first(where: { $0.steps > mostSteps }) {
            return "\(Words.grouped(wrong.steps)) in an hour is more than anyone walks in a day"
        }
        if let wrong = hours.first(where: { !(0...23).contains($0.hour) }) { return "\(wrong.hour) is no hour" }
        if zip(hours, hours.dropFirst()).contains(where: { $0.start >= $1.start }) { return "they are not in order" }
        // More than 25 only where clocks are set within an hour.
        if hours.count > 26 { return "\(hours.count) are too many for a day" }
        // The hours of a corrected day stay as they were counted.
        guard !hours.isEmpty, !summary.isCorrected else { return nil }
        let sum = hours.reduce(0) { $0 + $1.steps }
        return sum == summary.steps ? nil : "they add up to \(Words.grouped(sum)), not to the day's steps"
    }

    private static func wrongCompleteness(_ summary: DaySummary) -> String? {
        if summary.isCorrected { return nil }
        if summary.completeness == .unknown, summary.steps != nil { return "steps are known, yet the day is not" }
        if summary.completeness != .unknown, summary.steps == nil { return "the day is known, yet its steps are not" }
        return summary.completeness == .complete && summary.isRunning ? "the day is not over" : nil
    }
}
