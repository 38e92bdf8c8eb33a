package import StepDomain
package import StepViews

/// A day as a picture of its own: a card in SVG, for a web page, a post or a printer.
package struct DayCard: Sendable {
    private let view: DayView

    package init(_ view: DayView) { self.view = view }

    package static let width = 480.0, height = 270.0
    private static let margin = 24.0

    /// The card in words, for those who do not see it.
    package var summary: String {
        let day = view.summary
        var parts = ["\(Printable(day.user.name, limit: 32)), \(Words.date(day.day)): \(steps)"]
        if let goal { parts.append(day.isRestDay ? goal : "goal \(goal)") }
        parts.append(DayWords.completeness(day))
        if let hoursNote { parts.append(hoursNote) }
        return parts.joined(separator: "; ")
    }

    /// `101 % of 8,000 steps`, `rest day`; nil if there is no plan.
    private var goal: String? {
        let day = view.summary
        if day.isRestDay { return DayWords.percentage(day) }
        return day.goal == nil ? nil : "\(DayWords.percentage(day)) \(DayWords.goal(day))"
    }

    /// Marks the hours of a day whose total was corrected.
    private var hoursNote: String? {
        view.holds(.hours) && view.holds(.steps) && !view.summary.hours.isEmpty ? view.summary.countedHoursWords.map { "hours \($0)" } : nil
    }

    private var steps: String { view.summary.steps == nil ? DayWords.steps(view) : "\(DayWords.steps(view)) steps" }

    /// The file.
    package var document: Markup { document(.picture) }

    /// The same for programs that draw only the simpler parts of CSS: without variables and without a choice of colours.
    package var plainDocument: Markup { document(.plainPicture) }

    private func document(_ style: StyleSheet) -> Markup {
        .xml
            + Element.svg(
                Attribute(.xmlns, "http://www.w3.org/2000/svg"), Attribute(.viewBox, "0 0 480 270"), Attribute(.width, 480),
                Attribute(.height, 270),
                Attribute(.role, "img"), Attribute(.ariaLabel, summary)
            ) {
                Element.title { Words.date(view.summary.day) }
                Element.desc { summary }
                Markup.style(style)
                ChartPatterns.definitions
                content
            } + .text("\n")
    }

    @MarkupBuilder private var content: Markup {
        let day = view.summary
        Element.rect(
            .css("ground"), Attribute(.x, 1), Attribute(.y, 1), Attribute(.width, Self.width - 2), Attribute(.height, Self.height - 2),
            Attribute(.rx, 14))
        text("\(Printable(day.user.name, limit: 24)) · \(Words.date(day.day))", x: Self.margin, y: 38, size: 17, style: "faint")
        text(DayWords.steps(view), x: Self.margin, y: 92, size: 50, weight: "bold")
        text(
            day.steps == nil ? "" : DayWords.completeness(day) == "complete" ? "steps" : "steps, \(DayWords.completeness(day))", x: Self.margin,
            y: 117, size: 15, style: "faint")
        details
        goalBar
        hours
    }

    private var details: Markup {
        let day = view.summary
        var lines: [String] = []
        if view.holds(.distance), let distance = day.distance { lines.append("\(Words.fixed(distance / 1000, 2)) km") }
        if view.holds(.energy), let energy = day.energy { lines.append("\(Words.grouped(energy)) kcal") }
        if view.holds(.goal), view.holds(.percentage), let goal { lines.append(goal) }
        return .joined(
            lines.enumerated().map { index, line in
                text(line, x: Self.width - Self.margin, y: 68 + 24 * Double(index), size: 17, anchor: "end")
            })
    }

    @MarkupBuilder private var goalBar: Markup {
        if view.holds(.percentage), let percentage = view.summary.percentage {
            let whole = Self.width - 2 * Self.margin
            Element.rect(
                .css("track"), Attribute(.x, Self.margin), Attribute(.y, 132), Attribute(.width, whole), Attribute(.height, 8), Attribute(.rx, 4)
            )
            Element.rect(
                .css("walking"), Attribute(.x, Self.margin), Attribute(.y, 132), Attribute(.width, max(8, whole * min(1, percentage / 100))),
                Attribute(.height, 8), Attribute(.rx, 4))
        }
    }

    @MarkupBuilder private var hours: Markup {
        let hours = view.holds(.hours) && view.holds(.steps) ? view.summary.hours : []
        let floor = 240.0, top = 158.0
        text(hoursNote ?? "", x: Self.margin, y: 153, size: 12, style: "faint")
        if hours.isEmpty {
            Element.rect(
                .css("unknown"), .fill(pattern: "unknown"), Attribute(.x, Self.margin), Attribute(.y, top),
                Attribute(.width, Self.width - 2 * Self.margin),
                Attribute(.height, floor - top))
        } else {
            let greatest = Double(max(1, hours.compactMap(\.steps).max() ?? 1))
            let pitch = (Self.width - 2 * Self.margin) / Double(hours.count)
            for (index, hour) in hours.enumerated() {
                let x = Self.margin + Double(index) * pitch
                let title = "\(HourWords.name(index, in: hours)): \(HourWords.steps(hour, now: view.now))"
                if let steps = hour.steps {
                    let height = max(steps > 0 ? 2 : 1, (floor - top) * Double(steps) / greatest)
                    Element.rect(
                        .css(steps > 0 ? "walking" : "zero"), Attribute(.x, x + pitch * 0.1), Attribute(.y, floor - height),
                        Attribute(.width, pitch * 0.8), Attribute(.height, height)
                    ) { Element.title { title } }
                } else if hour.start <= view.now {
                    Element.rect(
                        .css("unknown"), .fill(pattern: "unknown"), Attribute(.x, x + pitch * 0.1), Attribute(.y, top),
                        Attribute(.width, pitch * 0.8), Attribute(.height, floor - top)
                    ) { Element.title { title } }
                }
                if hour.hour % 6 == 0 { text("\(hour.hour)", x: x + pitch / 2, y: 258, size: 12, style: "faint", anchor: "middle") }
            }
        }
    }

    private func text(
        _ text: String, x: Double, y: Double, size: Int, weight: String? = nil, style: String? = nil, anchor: String? = nil
    ) -> Markup {
        if text.isEmpty { return .nothing }
        return Element.text(
            Attribute(.x, x), Attribute(.y, y), Attribute(.fontSize, size), weight.map { Attribute(.fontWeight, $0) }, style.map { .css($0) },
            anchor.map { Attribute(.textAnchor, $0) }
        ) { text }
    }
}

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
            SVGHeatMap.Cell(day: day.day, steps: day.shownSteps, goal: day.goal, isPartial: day.isDrawnPartial, title: day.title)
        }
        let map = SVGHeatMap(cells: cells, firstWeekday: weekStart, summary: summary)
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
