internal import StepDomain

/// The bars of a view.
struct HistoryBars {
    let view: HistoryView
    let isNarrow: Bool
    /// A day whose bar is marked, or the bar of the month with it.
    var marked: Day?

    var bars: [TextBarChart.Bar] {
        switch view.grouping {
        case .day: view.statistics.days.map(bar)
        case .week, .month, .year: view.parts.map(bar)
        case .weekday:
            // A weekday that has not begun, or lies before the history, has no bar: it is not unknown.
            view.statistics.weekdays.filter(\.isOver).map {
                .init(
                    label: $0.weekday.title, steps: $0.mean, goal: $0.meanGoal,
                    kind: $0.days == 0 ? .unknown : .complete,
                    note: Words.count($0.days, "day"))
            }
        case .hour:
            view.statistics.hourlyMeans.enumerated().map { hour, mean in
                .init(label: hour < 10 ? "0\(hour)" : "\(hour)", steps: mean, kind: mean == nil ? .unknown : .complete)
            }
        }
    }

    private func bar(_ day: DayFigures) -> TextBarChart.Bar {
        let (_, _, number) = day.day.components
        let padded = number < 10 ? " \(number)" : "\(number)"
        let month = Words.month(day.day).prefix(3)
        return TextBarChart.Bar(
            label: isNarrow ? "\(padded) \(month)" : "\(day.day.weekday.shortName) \(padded) \(month)",
            steps: day.plausibleSteps.map(Double.init), running: Double(day.isPlausible ? day.runningSteps ?? 0 : 0),
            goal: day.goal.map(Double.init),
            // A day that is not over has all the steps that were read.
            kind: day.plausibleSteps == nil
                ? .unknown : day.completeness == .partial && !day.isInProgress ? .partial : .complete,
            note: Self.note(day), isMarked: day.day == marked)
    }

    private static func note(_ day: DayFigures) -> String {
        var notes: [String] = []
        if let wrong = HistoryView.wrong(day) { notes.append("wrong: \(wrong)") }
        if day.isInProgress {
            notes.append((day.steps == nil ? DaySummary.Completeness.unknown : .partial).words(isInProgress: true))
        }
        if day.isCorrected {
            notes.append("by hand")
        } else if !day.isInProgress, day.completeness != .complete {
            notes.append(day.completeness.rawValue)
        }
        if day.isRestDay { notes.append("rest day") }
        return notes.joined(separator: ", ")
    }

    /// A week, month or year: its steps a day.
    private func bar(_ part: PeriodStatistics) -> TextBarChart.Bar {
        let (first, known) = (part.period.days.lowerBound, part.days.count - part.unknownDays)
        let label =
            switch part.period.unit {
            case .month: "\(Words.month(first).prefix(3)) \(first.components.year)"
            case .year: "\(first.components.year)"
            case .day, .week, nil: "\(first)"
            }
        var notes: [String] = []
        if part.daysWithGoal > 0 { notes.append("goal \(part.goalDays)/\(part.daysWithGoal)") }
        if part.unknownDays > 0 { notes.append("\(part.unknownDays) unknown") }
        if part.partialDays > 0 { notes.append("\(part.partialDays) partial") }
        let perDay = part.perDay
        return TextBarChart.Bar(
            label: label, steps: perDay?.steps, running: perDay?.running ?? 0, goal: part.perDayGoal,
            kind: perDay == nil || known == 0 ? .unknown : .complete, note: notes.joined(separator: ", "),
            isMarked: marked.map(part.period.days.contains) ?? false)
    }
}
