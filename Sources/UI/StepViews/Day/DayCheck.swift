internal import StepDomain

extension DayView {
    private static let maximumSteps = DaySummary.possibleSteps.upperBound
    /// Metres; the distance of `maximumSteps` very long steps.
    static let maximumDistance = 500_000.0
    /// Kilocalories; above what the hardest day of sport costs.
    static let maximumEnergy = 30_000.0

    private static let maximumGoal = Words.grouped(SportPlan.goalRange.upperBound)

    /// Checks every value by itself and against the others.
    ///
    /// - Returns: the first thing wrong with each attribute.
    static func verify(_ summary: DaySummary, today: Day, now: Timestamp) -> [AttributeError] {
        let checks: [(AttributeError.Attribute, String?)] = [
            (.day, summary.day > today ? "\(summary.day) has not begun" : nil),
            (.steps, wrongSteps(summary)),
            (.distance, wrongDistance(summary)),
            (.energy, wrongEnergy(summary)),
            (
                .goal,
                summary.goal.flatMap {
                    $0 > 0 && SportPlan.goalRange.contains($0) ? nil : "\($0) is not between 1 and \(maximumGoal)"
                }
            ),
            (.percentage, wrongPercentage(summary)),
            (.category, wrongCategory(summary)),
            (.hours, wrongHours(summary)),
            (.completeness, wrongCompleteness(summary)),
            (.implausibleSteps, summary.implausibleSteps < 0 ? "\(summary.implausibleSteps) is negative" : nil),
            // A tolerance of one minute: clocks are sometimes set back by this much.
            (
                .lastSync,
                summary.lastSync.flatMap { $0 > now + 60 ? "it is in the future: check this machine's clock" : nil }
            ),
        ]
        return checks.compactMap { attribute, message in message.map { AttributeError(attribute, $0) } }
    }

    private static func wrongSteps(_ summary: DaySummary) -> String? {
        guard let steps = summary.steps else { return nil }
        if steps < 0 { return "\(steps) is negative" }
        return steps > maximumSteps ? "\(Words.grouped(steps)) is more than anyone walks in a day" : nil
    }

    private static func wrongDistance(_ summary: DaySummary) -> String? {
        guard let distance = summary.distance else { return nil }
        if summary.steps == nil { return "there are no steps to calculate it from" }
        if !distance.isFinite { return "it is not a number" }
        if distance < 0 { return "it is negative" }
        if distance > maximumDistance { return "it is farther than anyone walks in a day" }
        return summary.distanceSource == nil ? "its source is missing" : nil
    }

    private static func wrongEnergy(_ summary: DaySummary) -> String? {
        guard let energy = summary.energy else { return nil }
        if summary.steps == nil { return "there are no steps to calculate it from" }
        if !energy.isFinite { return "it is not a number" }
        if energy < 0 { return "it is negative" }
        if energy > maximumEnergy { return "it is more than anyone burns in a day" }
        return summary.energySource == nil ? "its source is missing" : nil
    }

    private static func wrongPercentage(_ summary: DaySummary) -> String? {
        let expected = SportPlan.percentage(steps: summary.steps, goal: summary.goal)
        guard let percentage = summary.percentage else { return expected == nil ? nil : "it is missing" }
        guard let expected else { return "there is no goal, or there are no steps, to calculate it from" }
        // Anything but a number fails this comparison, too.
        return abs(percentage - expected) <= 0.01 ? nil : "it does not match steps and goal"
    }

    private static func wrongCategory(_ summary: DaySummary) -> String? {
        summary.category == summary.steps.map { ActivityCategory(steps: $0) } ? nil : "it does not match the steps"
    }

    private static func wrongHours(_ summary: DaySummary) -> String? {
        let hours = summary.hours
        let known = hours.compactMap(\.steps)
        if let wrong = known.first(where: { $0 < 0 }) { return "\(wrong) in an hour is negative" }
        if let wrong = known.first(where: { $0 > maximumSteps }) {
            return "\(Words.grouped(wrong)) in an hour is more than anyone walks in a day"
        }
        if let wrong = hours.first(where: { !(0...23).contains($0.hour) }) {
            return "\(wrong.hour) is not an hour of the day"
        }
        if zip(hours, hours.dropFirst()).contains(where: { $0.start >= $1.start }) { return "they are not in order" }
        // More than 25 only where clocks are set within an hour.
        if hours.count > 26 { return "\(hours.count) are too many for a day" }
        // The hours of a corrected day stay as they were counted.
        guard !hours.isEmpty, !summary.isCorrected else { return nil }
        let sum = known.reduce(0, +)
        return sum == summary.steps ? nil : "they add up to \(Words.grouped(sum)), not to the day's steps"
    }

    private static func wrongCompleteness(_ summary: DaySummary) -> String? {
        if summary.isCorrected { return nil }
        if summary.completeness == .unknown, summary.steps != nil { return "steps are known, yet the day is not" }
        if summary.completeness != .unknown, summary.steps == nil { return "the day is known, yet its steps are not" }
        return summary.completeness == .complete && summary.isInProgress ? "the day is not over" : nil
    }
}

/// An error of an invalid value: shown in its place.
public struct AttributeError: Hashable, Sendable, Codable {
    /// The values of a day that are verified.
    public enum Attribute: String, Sendable, Codable, CaseIterable {
        case day, steps, distance, energy, goal, percentage, category, hours, completeness, implausibleSteps, lastSync
    }

    public var attribute: Attribute
    /// What is wrong with it, without its name: `-5 is negative`.
    public var message: String

    static let schema = JSONSchema.object([
        .init("attribute", .choice(Attribute.self), "The value that is wrong."),
        .init("message", .text, "What is wrong with it."),
    ])

    public init(_ attribute: Attribute, _ message: String) {
        self.attribute = attribute
        self.message = message
    }
}
