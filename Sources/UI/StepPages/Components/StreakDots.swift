internal import StepDomain
internal import StepViews

/// The last days as dots: filled where the goal was reached, a dash on a rest day, a ring around today.
struct StreakDots: Sendable {
    var days: [DayFigures]
    var context: PageContext

    /// Days for which there is room: fewer are not larger.
    static let most = 14

    var markup: Markup {
        Element.svg(
            .css("streak"), Attribute(.viewBox, "0 0 \(24 * max(Self.most, days.count)) 40"), Attribute(.role, "img"),
            Attribute(.ariaLabel, summary)
        ) { days.enumerated().map { dot($1, at: Double($0) * 24 + 12) } }
    }

    private var summary: String {
        let met = days.count(where: \.isGoalMet), goals = days.count { $0.goal != nil }
        return
            "The last \(Words.count(days.count, "day")): goal reached on \(met) of \(Words.count(goals, "day")) with a goal"
    }

    private func dot(_ day: DayFigures, at x: Double) -> Markup {
        Element.g {
            if day.goal == nil {
                Element.rect(
                    .fill(.below), Attribute(.x, x - 8), Attribute(.y, 10), Attribute(.width, 16),
                    Attribute(.height, 4), Attribute(.rx, 2))
            } else if day.plausibleSteps == nil, !day.isInProgress {
                Element.circle(
                    .stroke(.unknown), Attribute(.fill, "none"), Attribute(.strokeDasharray, "2 2"), Attribute(.cx, x),
                    Attribute(.cy, 12),
                    Attribute(.r, 7.5))
            } else {
                Element.circle(
                    .fill(day.isGoalMet ? .heat4 : .heat0), Attribute(.cx, x), Attribute(.cy, 12), Attribute(.r, 8))
            }
            if day.isInProgress {
                Element.circle(
                    .stroke(.text), Attribute(.fill, "none"), Attribute(.strokeWidth, 2), Attribute(.cx, x),
                    Attribute(.cy, 12),
                    Attribute(.r, 8.5))
            }
            Element.text(
                .fill(.muted), Attribute(.fontSize, 11), Attribute(.x, x), Attribute(.y, 36),
                Attribute(.textAnchor, "middle")
            ) {
                String(day.day.weekday.shortName.prefix(1))
            }
            Element.title { "\(context.date(day.day)): \(day.words)" }
        }
    }
}
