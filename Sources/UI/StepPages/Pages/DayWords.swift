internal import StepDomain
internal import StepViews

/// The values of a day in words, for the page and the card.
enum DayWords {
    static func steps(_ view: DayView) -> String {
        guard view.holds(.steps) else { return "wrong" }
        return view.summary.steps.map(Words.grouped) ?? "unknown"
    }

    static func completeness(_ summary: DaySummary) -> String {
        summary.isCorrected ? "entered by hand" : summary.completenessWords
    }

    /// The hours as bars: an hour of which nothing is known and one that has not begun differ.
    static func bars(_ view: DayView, usual: WeekdayFigures? = nil) -> [BarChart.Bar] {
        let hours = view.summary.hours
        return hours.indices.map { index in
            let hour = hours[index]
            return BarChart.Bar(
                label: hour.hour % 3 == 0 ? "\(hour.hour):00" : "", isMinor: hour.hour % 6 != 0, steps: hour.steps,
                running: hour.running,
                hasBegun: hour.isOver(at: view.now), usual: usual?.mean(hour: hour.hour).map { Int($0.rounded()) },
                title: "\(HourWords.name(index, in: hours)): \(HourWords.steps(hour, now: view.now))")
        }
    }
}

/// An hour of a day in words.
enum HourWords {
    /// `8:00`; on a day of 25 hours `2:00 (first)` and `2:00 (second)`.
    static func name(_ index: Int, in hours: [DaySummary.Hour]) -> String {
        let hour = hours[index].hour
        guard hours.count(where: { $0.hour == hour }) > 1 else { return "\(hour):00" }
        let isSecond = hours[..<index].contains { $0.hour == hour }
        return "\(hour):00 (\(isSecond ? "second" : "first"))"
    }

    static func steps(_ hour: DaySummary.Hour, now: Timestamp) -> String {
        guard let steps = hour.steps else { return unknown(hour, now: now) }
        return Words.count(steps, "step") + (hour.running > 0 ? ", \(Words.grouped(hour.running)) run" : "")
    }

    /// The word for an hour without a figure.
    static func unknown(_ hour: DaySummary.Hour, now: Timestamp) -> String {
        hour.isOver(at: now) ? "unknown" : hour.start > now ? "not begun" : "not over"
    }
}

extension EntryWords {
    /// With the reason why the last attempt failed.
    static func line(_ entry: ShareEntry, _ context: PageContext, at destination: DestinationState? = nil) -> String {
        let error = entry.state != .sent ? entry.lastError.map { ": \(Printable($0, limit: 300))" } ?? "" : ""
        return state(entry, at: destination, now: context.now, localTime: context.localTime, form: .short)
            + error
    }
}

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

    /// Nil if nothing is known, and where the steps are not possible (`HistoryView.wrong`): these are named, not drawn.
    var shownSteps: Int? { HistoryView.wrong(self) == nil ? steps : nil }

    /// Whether a chart marks that steps may be missing. A day is not partial because it is not over.
    var isDrawnPartial: Bool { completeness == .partial && !isInProgress }

    /// How much is known of the day, in a word.
    var state: String {
        if isCorrected { return "by hand" }
        if isInProgress { return "so far" }
        return completeness.rawValue
    }
}
