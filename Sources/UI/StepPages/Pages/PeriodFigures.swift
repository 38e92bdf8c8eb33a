internal import StepDomain
internal import StepViews

/// The figures of a period: the four largest, and all others as a list.
struct PeriodFigures: Sendable {
    let statistics: PeriodStatistics
    let figures: DaySeries
    let context: PageContext

    private var isNow: Bool { statistics.daysInProgress > 0 }

    /// Days whose steps cannot be are in the figures.
    var wrong: Markup { HistoryView.wrong(in: statistics).map { NoticeBox.markup(.bad, $0) } ?? .nothing }

    var stats: Markup { Figure.stats([mean, goal, total, distance]) }

    private var mean: Figure {
        guard let mean = statistics.mean else {
            return Figure("Steps a day", "unknown", isNow ? "today is not over" : "")
        }
        let comparison = figures.comparison(of: statistics.period).map { ComparisonWords($0, today: figures.today) }
        return Figure("Steps a day", Words.grouped(mean), comparison?.sentence ?? "", comparison?.tendency ?? .neutral)
    }

    private var goal: Figure {
        guard statistics.daysWithGoal > 0 else {
            let words =
                statistics.meanGoal == nil ? "no goal" : isNow && statistics.knownDays > 0 ? "not yet" : "unknown"
            return best ?? Figure("Goal reached", words)
        }
        let share = 100 * Double(statistics.goalDays) / Double(statistics.daysWithGoal)
        return Figure(
            "Goal reached", Words.grouped(statistics.goalDays),
            unit: "of \(Words.count(statistics.daysWithGoal, "day"))",
            "\(Words.percent(share)) of the days with a goal")
    }

    private var total: Figure {
        Figure(
            "Total", statistics.total.map(Words.grouped) ?? "unknown",
            isNow && statistics.total != nil && statistics.days.last?.steps != nil
                ? "with today so far" : "in \(Words.count(statistics.knownDays, "known day"))")
    }

    private var distance: Figure {
        let run = statistics.runningSteps > 0 ? "\(Words.count(statistics.runningSteps, "step")) run" : ""
        guard let distance = statistics.distance else {
            return statistics.knownDays == 0
                ? Figure("Running", "unknown")
                : Figure(
                    "Running", Words.grouped(statistics.runningSteps), unit: Words.noun("step", statistics.runningSteps)
                )
        }
        return Figure(
            "Distance", context.units.number(distance: distance), unit: context.units.distanceUnit, run)
    }

    private var best: Figure? {
        statistics.best.flatMap { best in
            best.steps.map {
                Figure("Best day", Words.grouped($0), context.date(best.day), link: context.link(to: best.day))
            }
        }
    }

    var facts: Markup { facts(inTwo: false) }

    /// - Parameter inTwo: in two columns where there is room.
    func facts(inTwo: Bool) -> Markup {
        var list: [Figure] = []
        if let median = statistics.median { list.append(Figure("Median a day", Words.grouped(median))) }
        if statistics.daysWithGoal > 0, statistics.days.count > 1, let best { list.append(best) }
        let streaks = figures.streaks
        if let longest = streaks.longest {
            list.append(
                Figure(
                    "Longest streak", Words.count(longest.count, "day"),
                    "\(context.days(longest.first, longest.last)), of all days"))
        }
        // The present streak has nothing to do with a period that is over.
        if isNow, let last = streaks.last { list.append(now(last)) }
        if statistics.distance != nil, statistics.runningSteps > 0, statistics.walkingSteps > 0 {
            let share =
                100 * Double(statistics.runningSteps) / Double(statistics.runningSteps + statistics.walkingSteps)
            list.append(
                Figure("Running", "\(Words.grouped(share)) % of the steps", "more than \(Gait.runningCadence) a minute")
            )
        }
        if let energy = statistics.energy {
            let sources = Set(statistics.days.compactMap(\.energySource)).map(\.shortWords).sorted()
            list.append(Figure("Calories", "\(Words.grouped(energy)) kcal", sources.joined(separator: ", or ")))
        }
        list.append(Figure("Days known", "\(Words.grouped(statistics.completeDays)) complete", others))
        return Figure.facts(list, inTwo ? "two" : "")
    }

    /// The streak that continues, or why the last one ended.
    private func now(_ streak: Streak) -> Figure {
        guard let end = context.end(of: streak) else {
            return Figure("Streak now", Words.count(streak.count, "day"), "since \(context.date(streak.first))")
        }
        return Figure("Streak now", "none", end)
    }

    private var others: String {
        var parts = [
            "\(Words.grouped(statistics.partialDays)) partial", "\(Words.grouped(statistics.unknownDays)) unknown",
        ]
        if statistics.correctedDays > 0 { parts.append("\(Words.grouped(statistics.correctedDays)) by hand") }
        return parts.joined(separator: ", ")
    }
}

/// A comparison in words, with its sign and what it is compared with.
struct ComparisonWords: Sendable {
    private let comparison: Comparison
    private let today: Day

    init(_ comparison: Comparison, today: Day) {
        self.comparison = comparison
        self.today = today
    }

    private var whole: Int? {
        comparison.percentage.map { Int($0.rounded()) } ?? (comparison.difference == 0 ? 0 : nil)
    }

    var tendency: Figure.Tendency { (whole ?? 0) > 0 ? .up : (whole ?? 0) < 0 ? .down : .neutral }

    /// `+36 %`, `−6 %`, `0 %`; a number of steps where the days before have none.
    var change: String {
        guard let whole else { return "+\(Words.grouped(comparison.difference))" }
        return "\(whole > 0 ? "+" : whole < 0 ? "−" : "")\(Words.grouped(abs(whole))) %"
    }

    /// `▲ 36 % on the same days of week 47`.
    var sentence: String {
        let isWhole = comparison.previousDays == comparison.previous.days
        let other = (isWhole ? "on " : "on the same days of ") + name
        guard let whole else { return "\(change) \(other)" }
        if whole == 0 { return "as \(isWhole ? "in " : "on the same days of ")\(name)" }
        return "\(whole > 0 ? "▲" : "▼") \(Words.grouped(abs(whole))) % \(other)"
    }

    private var name: String {
        let (first, previous) = (comparison.previous.days.lowerBound, comparison.previous)
        let year = first.components.year == today.components.year ? "" : " \(first.components.year)"
        switch previous.unit {
        case .week: return previous.isoWeek.map { "week \($0.week)" } ?? "the week before"
        case .month: return Words.month(first) + year
        case .year: return previous.title
        case .day: return DateForm.short.day(first, today: today)
        case nil: return "the \(Words.count(previous.count, "day")) before"
        }
    }
}

extension PageContext {
    /// How a streak ended; nil if it continues.
    func end(of streak: Streak) -> String? {
        let ended = "the last, of \(Words.count(streak.count, "day")), ended"
        return switch streak.end {
        case .none: nil
        case .missed(let day): "\(ended) \(date(day)): goal missed"
        case .unknown(let day): "\(ended) \(date(day)): not known whether the goal was reached"
        }
    }
}
