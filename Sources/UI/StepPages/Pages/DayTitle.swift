internal import StepDomain
internal import StepViews

/// A day in a line: what charts and calendars show of it in their tooltips and tables.
extension DayFigures {
    /// All of the day in a line: `Mon 3 Nov: 8,123 steps, 102 % of 8,000`.
    ///
    /// - Parameter today: nil for words that stand alone, which then have the year.
    func title(_ form: DateForm, _ today: Day?) -> String {
        // A day of another year is named with its year.
        let other = today ?? day.advanced(by: 3660)
        return "\(form.day(day, today: other)): \(words)"
    }

    /// `8,123 steps, 102 % of 8,000`.
    var words: String {
        if let wrong = HistoryView.wrong(self) { return "wrong: \(wrong)" }
        guard let steps else { return isInProgress ? "nothing known yet" : "unknown" }
        var text = Words.count(steps, "step")
        if let goal, let percentage { text += ", \(Words.percent(percentage)) of \(Words.grouped(goal))" }
        if isRestDay { text += ", rest day" }
        if let run = runningSteps, run > 0 { text += ", \(Words.grouped(run)) run" }
        if isInProgress { text += ", so far" } else if completeness == .partial { text += ", partial" }
        if isCorrected { text += ", entered by hand" }
        return text
    }

    /// Whether a chart marks that steps may be missing. A day is not partial because it is not over.
    var isDrawnPartial: Bool { completeness == .partial && !isInProgress }

    /// How much is known of the day, in a word.
    var state: String {
        if isCorrected { return "by hand" }
        if isInProgress { return "so far" }
        return completeness.rawValue
    }
}
