internal import StepDomain
internal import StepViews

/// The figures of a day for its page and the overview: the ring and what stands beside it.
struct DayFigureWords: Sendable {
    let view: DayView
    let figures: DaySeries
    let context: PageContext

    private var summary: DaySummary { view.summary }
    private var isToday: Bool { summary.day == view.today }
    private var percentage: Double? {
        view.holds(.steps) && view.holds(.goal) && view.holds(.percentage) ? summary.percentage : nil
    }
    private var goal: Int? { view.holds(.goal) ? summary.goal : nil }
    private var steps: Int? { view.holds(.steps) ? summary.steps : nil }

    /// What is wrong with figures that are not shown.
    var errors: Markup {
        .joined(
            view.errors.map { error in
                NoticeBox.markup(.bad, "\(error.attribute.rawValue): wrong: \(error.message). It is not shown.")
            })
    }

    var ring: Markup {
        let remark =
            percentage.map { "\(Words.percent($0)) of \(Words.grouped(goal ?? 0))" }
            ?? (goal.map { "goal \(Words.grouped($0))" } ?? (summary.isRestDay ? "rest day" : "no goal"))
        let name = isToday && !summary.isCorrected ? "steps so far" : summary.isCorrected ? "by hand" : "steps"
        let words = DayWords.steps(view)
        return Ring(
            steps: steps, word: words, name: name, remark: remark, percentage: percentage,
            summary: "\(words) \(summary.isCorrected ? "entered \(name)" : name), \(remark)"
        ).markup
    }

    // MARK: The day

    var ofDay: [Figure] { [distance, running, energy, isToday ? toGoal : reached] }

    private var distance: Figure {
        guard view.holds(.distance), let distance = summary.distance else {
            return Figure("Distance", "unknown", unknownDistance)
        }
        return Figure(
            "Distance", context.units.number(distance: distance), unit: context.units.distanceUnit, Self.source(summary)
        )
    }

    private var unknownDistance: String { summary.steps == nil ? "" : advice("set your height in Plan") }

    /// Guests have no page *Plan*.
    private func advice(_ words: String) -> String { context.isGuest ? "" : words }

    static func source(_ summary: DaySummary) -> String {
        summary.distanceSource?.words(running: summary.runningDistanceSource) ?? ""
    }

    private var running: Figure {
        guard let steps, let running = summary.runningSteps else { return Figure("Running", "unknown") }
        let share =
            steps > 0 && running > 0 ? "\(Words.grouped(100 * Double(running) / Double(steps))) % of the day" : ""
        return Figure("Running", Words.grouped(running), unit: Words.noun("step", running), share)
    }

    private var energy: Figure {
        guard view.holds(.energy), let energy = summary.energy else {
            return Figure("Calories", "unknown", summary.steps == nil ? "" : advice("set your weight in Plan"))
        }
        return Figure(
            "Calories", Words.grouped(energy), unit: "kcal",
            summary.energySource?.shortWords ?? "")
    }

    /// When the goal of a day that is over was reached, or how much was missing.
    private var reached: Figure {
        guard let steps, let goal else {
            return Figure(
                "Goal", summary.isRestDay ? "rest day" : goal.map(Words.grouped) ?? "none",
                summary.isRestDay ? "does not end a streak" : "")
        }
        if steps < goal {
            return Figure(
                "Goal missed", Words.grouped(goal - steps), unit: Words.noun("step", goal - steps) + " short",
                completeness)
        }
        let time = summary.isCorrected || !view.holds(.hours) ? nil : timeOfGoal(goal)
        return Figure("Goal reached", time ?? "yes", streak ?? completeness)
    }

    private var completeness: String {
        DayWords.completeness(summary) == "complete" ? "" : DayWords.completeness(summary)
    }

    /// The end of the hour in which the steps of the hours so far reached the goal: `by 18:00`.
    private func timeOfGoal(_ goal: Int) -> String? {
        var sum = 0
        for hour in summary.hours {
            // An hour that is unknown can have any steps.
            guard let steps = hour.steps else { return nil }
            sum += steps
            if sum >= goal { return "by \(hour.hour + 1):00" }
        }
        return nil
    }

    /// `day 5 of a streak of 6`, of the latest or the longest streak.
    private var streak: String? {
        let streaks = [figures.streaks.last, figures.streaks.longest].compactMap(\.self)
        guard let streak = streaks.first(where: { $0.first <= summary.day && summary.day <= $0.last }), streak.count > 1
        else { return nil }
        let number = figures[streak.first...summary.day].count(where: \.isGoalMet)
        return "day \(number) of a streak of \(streak.count)"
    }

    // MARK: Today

    /// Beside the ring of today, on the first page.
    func ofToday(_ usual: WeekdayFigures?) -> [Figure] { [toGoal, compared(with: usual), distance, energy] }

    /// Steps a minute of a brisk walk: 100 a minute is the threshold of moderate intensity, C. Tudor-Locke et al., "How
    /// fast is fast enough? Walking cadence (steps/min) as a practical estimate of intensity in adults", British
    /// Journal of Sports Medicine 52 (2018).
    private static let walkingCadence = 100

    private var toGoal: Figure {
        guard let goal else {
            return Figure(
                "To the goal", summary.isRestDay ? "rest day" : "no goal",
                summary.isRestDay ? "" : advice("set one in Plan"))
        }
        guard let steps else { return Figure("To the goal", Words.grouped(goal), unit: Words.noun("step", goal)) }
        let rest = abs(goal - steps), unit = Words.noun("step", abs(goal - steps))
        if steps >= goal { return Figure("Beyond the goal", Words.grouped(rest), unit: unit, "goal reached", .up) }
        let minutes = max(1, (rest + Self.walkingCadence - 1) / Self.walkingCadence)
        return Figure("To the goal", Words.grouped(rest), unit: unit, "about \(minutes) min of walking")
    }

    /// The steps of the hours that are over, compared with what they usually have.
    private func compared(with usual: WeekdayFigures?) -> Figure {
        let over = summary.hours.prefix { $0.isOver(at: view.now) }
        // The hours of a corrected day are those that were counted.
        guard let usual, view.holds(.hours), view.holds(.steps), !summary.isCorrected, let last = over.last,
            over.allSatisfy({ $0.steps != nil })
        else {
            return running
        }
        let before = over.compactMap { usual.mean(hour: $0.hour) }
        guard before.count == over.count else { return running }
        let difference = Int((Double(over.reduce(0) { $0 + ($1.steps ?? 0) }) - before.reduce(0, +)).rounded())
        let sign = difference > 0 ? "+" : difference < 0 ? "−" : ""
        let words = difference > 0 ? "ahead" : difference < 0 ? "behind" : "as usual"
        return Figure(
            "Usual \(usual.weekday.title)", sign + Words.grouped(abs(difference)),
            unit: Words.noun("step", abs(difference)),
            "\(words) at \(last.hour + 1):00",
            difference > 0 ? .up : difference < 0 ? .down : .neutral)
    }
}
