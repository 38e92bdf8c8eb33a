/// Something that holds from a day on, until the next of its kind does.
public protocol ValidFrom {
    var validFrom: Day { get }
}

extension Profile: ValidFrom {}
extension SportPlan: ValidFrom {}

extension Sequence where Element: ValidFrom {
    /// The one in force on a day: the latest that is valid from that day or an earlier one; nil before the first.
    public func inForce(on day: Day) -> Element? {
        lazy.filter { $0.validFrom <= day }.max { $0.validFrom < $1.validFrom }
    }
}

/// From which day on a plan or a profile holds.
public enum Validity {
    /// What holds for all days is stored with this day.
    public static let beginning = Day(daysSince1970: 0)

    /// The days on which a plan or a profile may begin. A day before the beginning would be a second beginning.
    public static let firstDays = beginning...Period.calendar.upperBound
}
