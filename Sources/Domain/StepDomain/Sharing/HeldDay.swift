/// When a day may first be sent without a request by the user.
public enum HeldDay {
    /// Seconds after the end of a day for which a day with gaps waits for the sync that may fill them: two nights.
    package static let delayOfIncompleteDays = 36 * 3600

    /// - Parameter acceptsUnfinishedDays: whether the destination gets days that are in progress or incomplete.
    /// - Returns: nil for immediately.
    package static func end(_ day: DaySummary, acceptsUnfinishedDays: Bool, _ localTime: LocalTime) -> Timestamp? {
        // A day that was deleted waits for nothing.
        if day.steps == nil || acceptsUnfinishedDays { return nil }
        let end = localTime.span(of: day.day).end
        if day.isInProgress { return end }
        return day.completeness == .complete ? nil : end + delayOfIncompleteDays
    }
}
