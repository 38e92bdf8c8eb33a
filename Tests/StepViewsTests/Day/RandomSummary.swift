import StepDomain
import TestSupport

/// Valid and invalid summaries: a view must handle both.
enum RandomSummary {
    static func make(using generator: inout SeededGenerator) -> DaySummary {
        var summary = Sample.summary(Sample.day.advanced(by: Int.random(in: -400...3, using: &generator)))
        for _ in 0..<Int.random(in: 0...4, using: &generator) { spoil(&summary, &generator) }
        return summary
    }

    private static func spoil(_ summary: inout DaySummary, _ generator: inout SeededGenerator) {
        let number = [nil, 0, -1, 1, 199_999, 1_000_000, .max, .min].randomElement(using: &generator) ?? nil
        let real = [nil, 0, -1, .nan, .infinity, 1e300, 4e5].randomElement(using: &generator) ?? nil
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: summary.steps = number
        case 1: summary.distance = real
        case 2: summary.energy = real
        case 3: summary.goal = number
        case 4: summary.percentage = real
        case 5: summary.implausibleSteps = number ?? 5
        case 6: summary.lastSync = [nil, Sample.now + 5000, Timestamp(0)].randomElement(using: &generator) ?? nil
        case 7: summary.completeness = [.complete, .partial, .unknown].randomElement(using: &generator) ?? .partial
        case 8: summary.isCorrected = true
        case 9: summary.hours = []
        case 10:
            let hour = Int.random(in: 0..<24, using: &generator)
            if hour < summary.hours.count { summary.hours[hour].steps = number ?? 7 }
        default:
            let name = String(repeating: "\u{1b}]0;\u{202e}腕\u{301}", count: 40)
            summary = DaySummary(
                user: User(id: 1, name: name), day: summary.day, steps: summary.steps, hours: summary.hours)
        }
    }
}
