package import StepDomain
internal import StepViews

/// The days of a year as a picture of its own: the heat map with what it adds up to.
package struct YearPicture: Sendable {
    private let statistics: PeriodStatistics
    private let user: User
    private let weekStart: Weekday

    /// - Parameter statistics: of a year.
    package init(_ statistics: PeriodStatistics, of user: User) {
        self.statistics = statistics
        self.user = user
        weekStart = statistics.period.weekStart
    }

    /// The picture in words, for those who do not see it.
    package var summary: String {
        var parts = [
            "\(Printable(user.name, limit: 32)), \(statistics.period.title): \(statistics.total.map { Words.count($0, "step") } ?? "nothing known")"
        ]
        if let mean = statistics.mean { parts.append("\(Words.grouped(Int(mean.rounded()))) a day") }
        if statistics.daysWithGoal > 0 {
            parts.append("goal reached on \(statistics.goalDays) of \(Words.count(statistics.daysWithGoal, "day"))")
        }
        return parts.joined(separator: "; ")
    }

    /// The file.
    package var document: Markup {
        let cells = statistics.days.map { day in
            HeatMap.Cell(day: day.day, steps: day.shownSteps, goal: day.goal, isPartial: day.isDrawnPartial, title: day.title)
        }
        let map = HeatMap(cells: cells, firstWeekday: weekStart, summary: summary)
        return .xml
            + Element.svg(
                Attribute(.xmlns, "http://www.w3.org/2000/svg"), Attribute(.viewBox, "0 0 740 170"), Attribute(.width, 740),
                Attribute(.height, 170),
                Attribute(.role, "img"), Attribute(.ariaLabel, summary)
            ) {
                Element.title { "\(statistics.period.title)" }
                Element.desc { summary }
                Markup.style(.picture)
                ChartPatterns.definitions
                Element.rect(
                    .css("ground"), Attribute(.x, 1), Attribute(.y, 1), Attribute(.width, 738), Attribute(.height, 168), Attribute(.rx, 14))
                Element.text(Attribute(.x, 20), Attribute(.y, 32), Attribute(.fontSize, 16)) { summary }
                Element.g(Attribute(.transform, "translate(20 48)")) { map.content }
            } + .text("\n")
    }
}
