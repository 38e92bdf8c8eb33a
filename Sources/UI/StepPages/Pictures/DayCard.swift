package import StepDomain
package import StepViews

/// A day as a picture of its own: a card in SVG, for a web page, a post or a printer.
package struct DayCard: Sendable {
    private let view: DayView
    private let units: UnitSystem

    package init(_ view: DayView, units: UnitSystem = .metric) {
        self.view = view
        self.units = units
    }

    package static let width = 480.0, height = 270.0
    private static let margin = 24.0

    private var day: DaySummary { view.summary }

    /// The card in words, for those who do not see it.
    package var summary: String {
        var parts = ["\(Printable(day.user.name, limit: 32)), \(Words.date(day.day)): \(steps)"]
        if let goal { parts.append(day.isRestDay ? goal : "goal \(goal)") }
        parts.append(DayWords.completeness(day))
        if let hoursNote { parts.append(hoursNote) }
        return parts.joined(separator: "; ")
    }

    /// `102 % of 8,000 steps`, `rest day`; nil if there is no plan.
    private var goal: String? {
        if day.isRestDay { return "rest day" }
        guard let goal = day.goal else { return nil }
        return "\(day.percentage.map(Words.percent) ?? "unknown") of \(Words.count(goal, "step"))"
    }

    /// Marks the hours of a day whose total was corrected.
    private var hoursNote: String? {
        view.holds(.hours) && view.holds(.steps) && !day.hours.isEmpty
            ? day.countedHoursWords.map { "hours \($0)" } : nil
    }

    private var steps: String { day.steps == nil ? DayWords.steps(view) : "\(DayWords.steps(view)) steps" }

    /// The file.
    package var document: Markup {
        Picture.document(width: Self.width, height: Self.height, title: Words.date(day.day), summary: summary) {
            let left = percentage == nil ? Self.margin : 150
            ring
            // Beside the ring there is less room.
            let name = Printable(day.user.name, limit: percentage == nil ? 24 : 12)
            Picture.text("\(Words.date(day.day)) · \(name)", x: left, y: 46, size: 14)
            Picture.text(DayWords.steps(view), x: left, y: 90, size: 42, tone: .text, isBold: true)
            Picture.text(details, x: left, y: 117, size: 15)
            Picture.text(hoursNote ?? state, x: left, y: 136, size: 12)
            hours
        }
    }

    private var percentage: Double? {
        view.holds(.steps) && view.holds(.goal) && view.holds(.percentage) ? day.percentage : nil
    }

    @MarkupBuilder private var ring: Markup {
        if let percentage {
            let ring = Ring(steps: nil, word: "", name: "", remark: "", percentage: percentage, summary: "")
            Element.svg(
                Attribute(.x, 20), Attribute(.y, 24), Attribute(.width, 112), Attribute(.height, 112),
                Attribute(.viewBox, "0 0 200 200")
            ) { ring.drawing }
            Picture.text(
                Words.percent(percentage), x: 76, y: 86, size: 16, tone: percentage >= 100 ? .accent : .text,
                isBold: true,
                anchor: "middle")
        }
    }

    private var details: String {
        var parts: [String] = []
        if view.holds(.steps), day.steps != nil {
            let goal = view.holds(.goal) ? day.goal : nil
            parts.append(goal.map { "of \(Words.count($0, "step"))" } ?? (day.isRestDay ? "steps, rest day" : "steps"))
        }
        if view.holds(.distance), let distance = day.distance { parts.append(units.words(distance: distance)) }
        if view.holds(.energy), let energy = day.energy { parts.append("\(Words.grouped(energy)) kcal") }
        return parts.joined(separator: ", ")
    }

    private var state: String {
        let words = DayWords.completeness(day)
        return words == "complete" || day.steps == nil ? "" : words
    }

    private var hours: Markup {
        let isShown = view.holds(.hours) && view.holds(.steps) && !day.hours.isEmpty
        let over = day.day < view.today ? 24 : Int(Words.clock(view.now, view.localTime).suffix(5).prefix(2)) ?? 24
        let bars =
            isShown
            ? DayWords.bars(view)
            : (0..<24).map { hour in
                BarChart.Bar(
                    label: hour % 6 == 0 ? "\(hour):00" : "", steps: nil, hasBegun: hour < over,
                    title: "\(hour):00: \(hour < over ? "unknown" : "not over")")
            }
        let chart = BarChart(bars: bars, summary: "Steps by hour", height: 88, isPicture: true)
        return Element.svg(
            Attribute(.x, Self.margin), Attribute(.y, 124), Attribute(.width, Self.width - 2 * Self.margin),
            Attribute(.height, 140),
            Attribute(.overflow, "visible")
        ) { chart.svg }
    }
}
