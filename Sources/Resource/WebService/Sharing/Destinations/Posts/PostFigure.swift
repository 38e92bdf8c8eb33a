internal import StepDomain

/// The figures of a day that a template can name.
enum PostFigure: String, CaseIterable, Sendable {
    /// ISO 8601.
    case date
    /// In English.
    case weekday
    case steps, distance, calories, percentage, goal
    /// The hours as bars; a middle dot for an hour that is not known.
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

    /// Whether it is known for every day that is shared.
    var isAlwaysKnown: Bool { [.date, .weekday, .steps].contains(self) }

    /// The text that replaces the figure in every post of a day; nil for a figure that can change.
    func fixedValue(of day: Day) -> String? {
        switch self {
        case .date: "\(day)"
        case .weekday: Self.capitalized(day.weekday.name)
        default: nil
        }
    }

    /// Nil if it is not known for the day.
    func value(_ day: SharedDay, _ units: UnitSystem) -> String? {
        switch self {
        case .date, .weekday: fixedValue(of: day.day)
        case .steps: Self.grouped(day.steps)
        case .distance: day.summary.distance.flatMap { Self.distance($0, units) }
        case .calories: day.kilocalories.map { Self.grouped($0) + " kcal" }
        case .percentage: day.summary.percentage.flatMap(SportPlan.wholePercentage).map { "\(Self.grouped($0))%" }
        case .goal: day.summary.goal.map(Self.grouped)
        case .bars: Self.bars(day.summary.hours)
        }
    }

    /// The characters of its values, without spaces; nil if the day determines the exact value.
    var alphabet: Set<Character>? {
        switch self {
        case .date, .weekday: nil
        case .steps, .goal: Set("0123456789,")
        case .distance: Set("0123456789,.kmi")
        case .calories: Set("0123456789,kcal")
        case .percentage: Set("0123456789,%")
        case .bars: Set(Self.blocks + [Self.unknownHour])
        }
    }
}

extension PostFigure {
    static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Shown instead of a bar for an hour that is not known: the lowest block means no steps. It is not a space,
    /// because servers of posts remove or combine spaces.
    static let unknownHour: Character = "·"

    /// A bar for each of the 24 hours that clocks show: an hour that they skip is empty, one that they show twice is
    /// one bar of what is known of both.
    ///
    /// - Returns: nil if no hour is known.
    private static func bars(_ hours: [DaySummary.Hour]) -> String? {
        guard hours.contains(where: { $0.steps != nil }) else { return nil }
        let byClock = Dictionary(grouping: hours, by: \.hour)
        let steps = (0..<24).map { clock -> Int? in
            guard let hours = byClock[clock] else { return 0 }
            let known = hours.compactMap(\.steps)
            return known.isEmpty ? nil : known.reduce(0) { $0 + max(0, $1) }
        }
        let most = steps.compactMap(\.self).max() ?? 0
        return String(
            steps.map { count -> Character in
                guard let count else { return unknownHour }
                // Even a single step is visible.
                guard count > 0 else { return blocks[0] }
                return blocks[1 + Int((Double(count) / Double(most) * 6).rounded())]
            })
    }

    private static func distance(_ metres: Double, _ units: UnitSystem) -> String? {
        Int(exactly: (units.distance(metres) * 10).rounded()).map {
            "\(grouped($0 / 10)).\($0 % 10) \(units.distanceUnit)"
        }
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
