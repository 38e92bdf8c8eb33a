/// A day, week, month or year, or any other range of days.
public struct Period: Hashable, Sendable {
    /// How long a period of the calendar is.
    public enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        case day, week, month, year
    }

    /// All days of the calendar that belong to it, including those that have not begun.
    public let days: ClosedRange<Day>
    /// Nil for a range that is not a period of the calendar.
    public let unit: Unit?
    /// The first day of a week.
    public let weekStart: Weekday

    /// The period of the calendar that a day belongs to.
    public init(_ unit: Unit, containing day: Day, weekStart: Weekday = .monday) {
        self.unit = unit
        self.weekStart = weekStart
        let (year, month, _) = day.components
        switch unit {
        case .day: days = day...day
        case .week:
            let first = day.advanced(by: -((day.weekday.rawValue - weekStart.rawValue + 7) % 7))
            days = first...first.advanced(by: 6)
        case .month: days = Self.days(from: (year, month), through: (year, month), else: day)
        case .year: days = Self.days(from: (year, 1), through: (year, 12), else: day)
        }
    }

    /// Any range of days.
    public init(_ days: ClosedRange<Day>, weekStart: Weekday = .monday) {
        self.days = days
        unit = nil
        self.weekStart = weekStart
    }

    /// Number of days.
    public var count: Int { days.lowerBound.distance(to: days.upperBound) + 1 }

    /// The period of the same kind that ends on the day before this one begins: a calendar period, or a range with as
    /// many days. Nil if it would begin before the first day that can be written.
    public var previous: Period? {
        let last = days.lowerBound.advanced(by: -1)
        let period =
            unit.map { Period($0, containing: last, weekStart: weekStart) }
            ?? Period(days.lowerBound.advanced(by: -count)...last, weekStart: weekStart)
        return Self.calendar.contains(period.days.lowerBound) ? period : nil
    }

    /// The period of the same kind that begins on the day after this one ends. Nil if it would end after the last day
    /// that can be written.
    public var next: Period? {
        let first = days.upperBound.advanced(by: 1)
        let period =
            unit.map { Period($0, containing: first, weekStart: weekStart) }
            ?? Period(first...first.advanced(by: count - 1), weekStart: weekStart)
        return Self.calendar.contains(period.days.upperBound) ? period : nil
    }

    /// ISO 8601: the year to which the week belongs and its number; nil for a period that is not a week from Monday to
    /// Sunday.
    public var isoWeek: (year: Int, week: Int)? {
        guard unit == .week, weekStart == .monday else { return nil }
        // A week belongs to the year of its Thursday.
        let thursday = days.lowerBound.advanced(by: 3)
        let year = thursday.components.year
        guard let first = Day(year: year, month: 1, day: 1) else { return nil }
        return (year, first.distance(to: thursday) / 7 + 1)
    }

    /// The day that decides to which month and year it belongs: the fourth of a week, as in ISO 8601; else the first.
    public var decidingDay: Day { days.lowerBound.advanced(by: unit == .week ? 3 : 0) }

    /// 0001-01-01 to 9999-12-31: the days with a name of ten characters.
    public static let calendar = Day(daysSince1970: -719_162)...Day(daysSince1970: 2_932_896)

    /// The first day of one month to the last day of another; only `day` if one of the years cannot be written.
    private static func days(from first: (year: Int, month: Int), through last: (year: Int, month: Int), else day: Day)
        -> ClosedRange<Day>
    {
        guard let start = Day(year: first.year, month: first.month, day: 1) else { return day...day }
        for length in [31, 30, 29, 28] {
            if let end = Day(year: last.year, month: last.month, day: length) { return start...end }
        }
        return day...day
    }
}
