/// A setting that is valid from a day on, until the next one of its kind begins.
public protocol ValidFrom {
    var validFrom: Day { get set }
}

extension ValidFrom where Self: Equatable {
    /// Whether both say the same, from whichever day.
    public func hasContent(of other: Self) -> Bool {
        var same = self
        same.validFrom = other.validFrom
        return same == other
    }
}

extension Profile: ValidFrom {}
extension SportPlan: ValidFrom {}

extension Sequence where Element: ValidFrom {
    /// The one effective on a day: the latest that is valid from that day or an earlier one; nil before the first.
    public func effective(on day: Day) -> Element? {
        lazy.filter { $0.validFrom <= day }.max { $0.validFrom < $1.validFrom }
    }
}

/// The days on which a plan or a profile may begin.
public enum Validity {
    /// The day that is stored for a plan or profile that is valid for all days.
    public static let beginning = Day(daysSince1970: 0)

    /// The valid first days. A day before `beginning` would be a second beginning.
    public static let firstDays = beginning...Period.calendar.upperBound
}
