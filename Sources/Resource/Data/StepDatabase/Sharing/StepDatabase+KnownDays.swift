import GRDB
public import StepDomain

extension StepDatabase {
    public func knownDays(of user: User.ID, from first: Day, through last: Day) throws(HistoryError) -> [Day] {
        guard first <= last, first <= .last, last >= .first else { return [] }
        return try read { database in
            try String.fetchAll(
                database,
                sql: "SELECT day FROM changed_day WHERE person = ? AND day BETWEEN ? AND ? AND \(Day.isKnown) ORDER BY day",
                arguments: [user, first.inCalendar.description, last.inCalendar.description]
            ).map(Day.init(column:))
        }
    }
}

extension Day {
    /// Whether the history knows something of the day of a row of `changed_day`.
    static let isKnown = """
        (counted OR EXISTS (
            SELECT 1 FROM correction WHERE correction.person = changed_day.person AND correction.day = changed_day.day))
        """
}
