internal import StepDomain

/// What a template can name of a day.
enum PostFigure: String, CaseIterable, Sendable {
    /// ISO 8601.
    case date
    /// In English.
    case weekday
    case steps, distance, calories, percentage, goal
    /// The hours as bars.
    case bars

    /// Characters of the longest value.
    var longest: Int {
        switch self {
        case .date: 10
        case .weekday, .steps: 9
        case .distance, .calories: 11
        case .percentage: 7
        case .goal: 7
        case .bars: 24
        }
    }

    /// Whether it is known of every day that is shared.
    var isAlwaysKnown: Bool { [.date, .weekday, .steps].contains(self) }

    /// Nil where it is not known of the day.
    func value(_ day: SharedDay, _ units: Units) -> String? {
        switch self {
        case .date: "\(day.day)"
        case .weekday: Self.capitalized(day.day.weekday.name)
        case .steps: Self.grouped(day.steps)
        case .distance: day.summary.distance.flatMap(units.distance)
        case .calories: day.kilocalories.map { Self.grouped($0) + " kcal" }
        // Rounded down: a goal that is missed by a few steps is not reached.
        case .percentage: day.summary.percentage.flatMap { Int(exactly: $0.rounded(.down)) }.map { "\(Self.grouped($0))%" }
        case .goal: day.summary.goal.map(Self.grouped)
        case .bars: Self.bars(day.summary.hours)
        }
    }

    /// The characters that its values are made of, spaces left out; nil where the day lays the value down to the letter.
    var alphabet: Set<Character>? {
        switch self {
        case .date, .weekday: nil
        case .steps, .goal: Set("0123456789,")
        case .distance: Set("0123456789,.kmi")
        case .calories: Set("0123456789,kcal")
        case .percentage: Set("0123456789,%")
        case .bars: Set(Self.blocks)
        }
    }

    /// What distances are told in.
    enum Units: String, CaseIterable, Sendable {
        case metric, imperial

        func distance(_ metres: Double) -> String? {
            let (length, unit) = self == .metric ? (1000.0, "km") : (1609.344, "mi")
            return Int(exactly: (metres / length * 10).rounded()).map { "\(grouped($0 / 10)).\($0 % 10) \(unit)" }
        }
    }
}

extension PostFigure {
    static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// A bar for each of the 24 hours that clocks show: an hour that they skip is empty, one that they show twice is one bar.
    private static func bars(_ hours: [DaySummary.Hour]) -> String? {
        guard !hours.isEmpty else { return nil }
        var steps = Array(repeating: 0, count: 24)
        for hour in hours where steps.indices.contains(hour.hour) { steps[hour.hour] += max(0, hour.steps) }
        let most = steps.max() ?? 0
        return String(steps.map { count in
            // Any step at all shows.
            guard count > 0 else { return blocks[0] }
            return blocks[1 + Int((Double(count) / Double(most) * 6).rounded())]
        })
    }

    /// Digits in groups of three: `12,345`.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    private static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}
