/// Steps a day in words, after C. Tudor-Locke et al., "Revisiting 'How many steps are enough?'", Medicine & Science in
/// Sports & Exercise 40 (2008) S537–S543, doi 10.1249/MSS.0b013e31817c7133.
public enum ActivityCategory: String, Sendable, Codable, CaseIterable {
    case sedentary, lowActive, somewhatActive, active, highlyActive

    /// The fewest steps of the category.
    public var minimum: Int {
        switch self {
        case .sedentary: 0
        case .lowActive: 5_000
        case .somewhatActive: 7_500
        case .active: 10_000
        case .highlyActive: 12_500
        }
    }

    public init(steps: Int) { self = Self.allCases.last { steps >= $0.minimum } ?? .sedentary }
}
