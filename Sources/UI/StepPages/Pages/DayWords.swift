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

extension EntryWords {
    /// With the reason why the last attempt failed.
    static func line(_ entry: ShareEntry, _ context: PageContext, at destination: DestinationState? = nil) -> String {
        let error = entry.state != .sent ? entry.lastError.map { ": \(Printable($0, limit: 300))" } ?? "" : ""
        return state(entry, at: destination, now: context.now, localTime: context.localTime, form: .short)
            + error
    }
}
