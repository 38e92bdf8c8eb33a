internal import StepDomain
internal import StepViews

/// Mean steps of each hour of each weekday.
struct WeekdayHours: Sendable {
    /// In the order of the calendar.
    var weekdays: [WeekdayFigures]
    var summary: String

    private static let row = 24.0, top = 22.0
    /// Squares of quarters of the greatest: one hour with a run would otherwise make all others look alike.
    private static let thresholds = [1.0 / 16, 4.0 / 16, 9.0 / 16]

    private var greatest: Double {
        weekdays.flatMap { day in (0..<24).compactMap(day.mean(hour:)) }.reduce(1) { max($0, $1) }
    }

    var markup: Markup {
        let greatest = greatest
        return Element.div(.css("chart")) {
            Element.svg(
                Attribute(.width, percent: 100), Attribute(.height, Self.top + 7 * Self.row), Attribute(.role, "img"),
                Attribute(.ariaLabel, summary)
            ) {
                [0, 3, 6, 9, 12, 15, 18, 21].map { hour in
                    Element.text(
                        .fill(.muted, hour % 6 == 0 ? "" : "minor"), Attribute(.fontSize, 12),
                        Attribute(.x, percent: Double(hour) / 0.24),
                        Attribute(.y, 14)
                    ) { "\(hour):00" }
                }
                weekdays.enumerated().map { row($1, at: Self.top + Double($0) * Self.row, greatest) }
            }
        }
    }

    private func row(_ day: WeekdayFigures, at y: Double, _ greatest: Double) -> Markup {
        Element.text(
            .fill(.muted), Attribute(.fontSize, 12), Attribute(.x, -8), Attribute(.y, y + 15),
            Attribute(.textAnchor, "end")
        ) {
            day.weekday.shortName
        }
            + .joined((0..<24).map { cell(day.mean(hour: $0), $0, day.weekday, y, greatest) })
    }

    private func cell(_ mean: Double?, _ hour: Int, _ weekday: Weekday, _ y: Double, _ greatest: Double) -> Markup {
        let when = "\(weekday.shortName) \(hour):00"
        let frame = [
            Attribute(.x, percent: (Double(hour) + 0.05) / 0.24), Attribute(.width, percent: 0.9 / 0.24),
            Attribute(.y, y + 1),
            Attribute(.height, Self.row - 3), Attribute(.rx, 3),
        ]
        guard let mean else {
            let hole = [.stroke(.unknown), Attribute(.fill, "none"), Attribute(.strokeDasharray, "2 2")]
            return Element.rect(hole + frame) { Element.title { "\(when): unknown" } }
        }
        return Element.rect([.fill(Self.tone(mean, greatest))] + frame) {
            Element.title { "\(when): \(Words.count(Int(mean.rounded()), "step"))" }
        }
    }

    static func tone(_ mean: Double, _ greatest: Double) -> Tone {
        // What is shown as 0.
        if mean < 0.5 { return .heat0 }
        return Calendar.tones[1 + thresholds.count { mean >= $0 * greatest }]
    }

    var legend: Markup {
        let greatest = greatest
        var legend = Legend()
        legend.add(.box(.heat0), "0")
        for (tone, threshold) in zip([Tone.heat1, .heat2, .heat3], Self.thresholds) {
            legend.add(.box(tone), "below \(Words.grouped(threshold * greatest))")
        }
        legend.add(.box(.heat4), "up to \(Words.grouped(greatest))")
        if weekdays.contains(where: { day in (0..<24).contains { day.mean(hour: $0) == nil } }) {
            legend.add(.hole, "unknown")
        }
        return legend.markup
    }

    var table: Table {
        Table(
            caption: "mean steps by weekday and hour",
            columns: [.words("Hour")] + weekdays.map { .number($0.weekday.shortName) },
            rows: (0..<24).map { hour in
                Table.Row(
                    "\(hour):00",
                    weekdays.map { day in day.mean(hour: hour).map(Words.grouped) ?? (day.isOver ? "?" : "") })
            })
    }
}

/// Mean steps of each weekday, as bars that lie.
struct WeekdayBars: Sendable {
    var weekdays: [WeekdayFigures]
    var summary: String

    private static let row = 30.0

    var markup: Markup {
        let greatest = weekdays.compactMap(\.mean).max() ?? 1
        return Element.div(.css("chart")) {
            Element.svg(
                Attribute(.width, percent: 100), Attribute(.height, 7 * Self.row), Attribute(.role, "img"),
                Attribute(.ariaLabel, summary)
            ) { weekdays.enumerated().map { row($1, at: Double($0) * Self.row, greatest) } }
        }
    }

    private func row(_ day: WeekdayFigures, at y: Double, _ greatest: Double) -> Markup {
        var parts = [
            Element.text(
                .fill(.muted), Attribute(.fontSize, 12), Attribute(.x, -8), Attribute(.y, y + 19),
                Attribute(.textAnchor, "end")
            ) {
                day.weekday.shortName
            }
        ]
        if let mean = day.mean {
            // Beside goals, a weekday without one is a rest day.
            let isReached =
                day.meanGoal.map { SportPlan.isMet($0, by: mean) } ?? weekdays.allSatisfy { $0.meanGoal == nil }
            parts.append(
                Element.rect(
                    .fill(.steps(isReached: isReached)), Attribute(.x, 0),
                    Attribute(.width, percent: max(0.5, 76 * mean / max(1, greatest))),
                    Attribute(.y, y + 7), Attribute(.height, 16), Attribute(.rx, 3)))
        } else if day.isOver {
            parts.append(
                Element.rect(
                    .fill(.unknown), Attribute(.x, 0), Attribute(.width, 8), Attribute(.y, y + 7),
                    Attribute(.height, 16), Attribute(.rx, 2)))
        }
        let words = day.mean.map(Words.grouped) ?? (day.isOver ? "unknown" : "")
        parts.append(
            Element.text(
                .fill(.text), Attribute(.fontSize, 12), Attribute(.fontWeight, 600), Attribute(.x, percent: 100),
                Attribute(.y, y + 19),
                Attribute(.textAnchor, "end")
            ) { words })
        return .joined(parts)
    }

    var table: Table {
        Table(
            caption: "steps a day by weekday",
            columns: [.words("Weekday"), .number("Days"), .number("Steps a day"), .number("Mean goal")],
            rows: weekdays.map { day in
                Table.Row(
                    day.weekday.title,
                    [
                        "\(day.days)", day.mean.map(Words.grouped) ?? (day.isOver ? "unknown" : ""),
                        day.meanGoal.map(Words.grouped) ?? "",
                    ])
            })
    }
}
