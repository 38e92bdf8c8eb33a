internal import StepDomain
internal import StepViews

/// Lines of the means of the last days: a line shows where the days are going, which bars do not.
struct TrendChart: Sendable {
    /// Days of which the means are.
    static let week = 7, month = 30
    static let words = "means of the last \(week) and \(month) days"

    /// The first day of the lines.
    var first: Day
    /// One value for each day; nil where too little is known.
    var week: [Double?]
    var month: [Double?]
    var summary: String
    /// Days that are named, by their slots.
    var months: [(slot: Int, name: String)]

    private static let top = 12.0, height = 150.0
    private static var base: Double { top + height }

    private var count: Int { max(2, week.count) }
    private var scale: Scale { Scale(Int((week + month).compactMap(\.self).max() ?? 1)) }

    var markup: Markup {
        let scale = scale
        return Element.div(.css("chart")) {
            Element.svg(
                Attribute(.width, percent: 100), Attribute(.height, Self.base + 24), Attribute(.role, "img"),
                Attribute(.ariaLabel, summary)
            ) {
                scale.grid(top: Self.top, base: Self.base)
                Element.line(
                    .stroke(.border), Attribute(.x1, 0), Attribute(.x2, percent: 100), Attribute(.y1, Self.base),
                    Attribute(.y2, Self.base))
                // One unit across is a day; the lines keep their width, whatever that is on the screen.
                Element.svg(
                    Attribute(.width, percent: 100), Attribute(.height, Self.base),
                    Attribute(.viewBox, "0 0 \(count - 1) \(Int(Self.base))"), Attribute(.preserveAspectRatio, "none")
                ) {
                    path(week, .below, 1.5, scale)
                    path(month, .walk, 3, scale)
                }
                // At the right edge there is no room for a name.
                months.enumerated().filter { 25 * $1.slot <= 24 * count }.map { index, month in
                    Element.text(
                        .fill(.muted, BarChart.isMinor(index, of: months, slots: count, limit: 6) ? "minor" : ""),
                        Attribute(.fontSize, 12),
                        Attribute(.x, percent: 100 * Double(month.slot) / Double(count - 1)),
                        Attribute(.y, Self.base + 19)
                    ) { month.name }
                }
            }
        }
    }

    private func path(_ values: [Double?], _ tone: Tone, _ width: Double, _ scale: Scale) -> Markup {
        var text = "", isDrawn = false
        for (index, value) in values.enumerated() {
            if let value {
                text +=
                    "\(isDrawn ? "L" : "M")\(index) \(Geometry.tenths(scale.y(value, top: Self.top, base: Self.base)))"
            }
            isDrawn = value != nil
        }
        return Element.path(
            .stroke(tone), Attribute(.fill, "none"), Attribute(.strokeWidth, width),
            Attribute(.vectorEffect, "non-scaling-stroke"),
            Attribute(.d, text))
    }

    static var legend: Markup {
        var legend = Legend()
        legend.add(.line(.below, 1.5), "mean of \(week) days")
        legend.add(.line(.walk, 3), "of \(month) days")
        return legend.markup
    }

    /// The ends of weeks, latest last.
    func table(_ context: PageContext) -> Table {
        let ends = week.indices.filter { $0 == week.count - 1 || (week.count - 1 - $0) % 7 == 0 }
        return Table(
            caption: Self.words,
            columns: [.words("Up to"), .number("\(Self.week) days"), .number("\(Self.month) days")],
            rows: ends.map { index in
                let words = [week[index], month[index]].map { $0.map(Words.grouped) ?? "unknown" }
                return Table.Row(context.date(first.advanced(by: index)), words)
            })
    }
}
