/// A day with other steps than before; nil if nothing is known of it.
public struct DayChange: Hashable, Sendable {
    public var day: Day
    public var before: Int?
    public var after: Int?

    public init(day: Day, before: Int?, after: Int?) {
        self.day = day
        self.before = before
        self.after = after
    }
}
