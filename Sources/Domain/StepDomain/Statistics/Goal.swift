/// Something that holds from a day on, until the next of its kind does.
public protocol ValidFrom {
    var validFrom: Day { get }
}

extension Profile: ValidFrom {}
extension SportPlan: ValidFrom {}

extension Sequence where Element: ValidFrom {
    /// The one in force on a day: the latest that is valid from that day or an earlier one; nil before the first.
    public func inForce(on day: Day) -> Element? {
        filter { $0.validFrom <= day }.max { $0.validFrom < $1.validFrom }
    }
}

extension SportPlan {
    /// Steps, 1 or more; nil on a rest day.
    public func goal(on day: Day) -> Int? {
        let steps = self[day.weekday]
        return steps > 0 ? steps : nil
    }

    public func isRestDay(_ day: Day) -> Bool { goal(on: day) == nil }

    /// 100 · steps / goal; nil without a goal.
    public static func percentage(steps: Int?, goal: Int?) -> Double? {
        guard let steps, let goal, goal > 0 else { return nil }
        return 100 * Double(steps) / Double(goal)
    }
}

/// Steps a day in words, after C. Tudor-Locke et al., "Revisiting 'How many steps are enough?'", Medicine & Science in
/// Sports & Exercise 40 (2008) S537–S543, doi 10.1249/MSS.0b013e31817c7133.
public enum ActivityCategory: String, Sendable, Codable, CaseIterable {
    /// Below 5,000.
    case sedentary
    /// 5,000 to 7,499.
    case lowActive
    /// 7,500 to 9,999.
    case somewhatActive
    /// 10,000 to 12,499.
    case active
    /// 12,500 and more.
    case highlyActive

    public init(steps: Int) {
        self =
            switch steps {
            case ..<5_000: .sedentary
            case ..<7_500: .lowActive
            case ..<10_000: .somewhatActive
            case ..<12_500: .active
            default: .highlyActive
            }
    }
}
