import StepDomain

extension Day {
    /// 0001-01-01.
    static let first = Day(daysSince1970: -719_162)
    /// 9999-12-31.
    static let last = Day(of: .last, utcOffset: 0)

    /// The nearest that has a name of ten characters: only those compare as text as they do by time.
    var inCalendar: Day { min(max(self, .first), .last) }
}
