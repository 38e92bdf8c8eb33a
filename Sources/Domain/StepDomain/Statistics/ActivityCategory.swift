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
        self = switch steps {
        case ..<5_000: .sedentary
        case ..<7_500: .lowActive
        case ..<10_000: .somewhatActive
        case ..<12_500: .active
        default: .highlyActive
        }
    }
}
