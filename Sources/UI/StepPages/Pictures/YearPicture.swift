internal import StepDomain
internal import StepViews

/// The days of a year as a picture of its own: the calendar with what it adds up to.
struct YearPicture: Sendable {
    /// Of a year.
    let statistics: PeriodStatistics
    let user: User

    private static let width = 760.0, height = 196.0, left = 56.0

    /// The picture in words, for those who do not see it.
    var summary: String {
        "\(Printable(user.name, limit: 32)), \(statistics.period.title): \(figures.joined(separator: "; "))"
    }

    private var figures: [String] {
        var parts = [statistics.total.map { Words.count($0, "step") } ?? "nothing known"]
        if let mean = statistics.mean { parts.append("\(Words.grouped(mean)) a day") }
        if statistics.daysWithGoal > 0 {
            parts.append("goal reached on \(statistics.goalDays) of \(Words.count(statistics.daysWithGoal, "day"))")
        }
        return parts
    }

    /// The file.
    var document: Markup {
        let calendar = Calendar(
            cells: statistics.days.map { day in
                Calendar.Cell(
                    day: day.day, steps: day.plausibleSteps, goal: day.goal, isPartial: day.isDrawnPartial,
                    title: day.title(.short, nil))
            }, firstWeekday: statistics.period.weekStart, summary: summary)
        return Picture.document(
            width: Self.width, height: Self.height, title: statistics.period.title, summary: summary
        ) {
            Picture.text(
                "\(statistics.period.title) · \(Printable(user.name, limit: 24))", x: 20, y: 34, size: 16, tone: .text,
                isBold: true)
            Picture.text(figures.joined(separator: " · "), x: 20, y: 56, size: 13)
            part(calendar.names, x: 20, width: 46)
            part(calendar.content(ofHalf: 0), x: Self.left, width: Calendar.width)
            part(calendar.content(ofHalf: 1), x: Self.left + Calendar.width * Self.scale, width: Calendar.width)
        }
    }

    /// Both halves beside each other.
    private static let scale = (width - left - 14) / (2 * Calendar.width)

    private func part(_ content: Markup, x: Double, width: Double) -> Markup {
        Element.svg(
            Attribute(.x, x), Attribute(.y, 72), Attribute(.width, width * Self.scale),
            Attribute(.height, Calendar.height * Self.scale),
            Attribute(.viewBox, "0 0 \(Int(width)) \(Int(Calendar.height))")
        ) { content }
    }
}
