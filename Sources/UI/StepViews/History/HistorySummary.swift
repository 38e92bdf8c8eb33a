internal import StepDomain

/// What the days of a period add up to, in words.
struct HistorySummary {
    let view: HistoryView
    let units: UnitSystem

    private var statistics: PeriodStatistics { view.statistics }

    struct Entry {
        let label: String
        let text: StyledText
        /// What to do about a value that is not there.
        var hint: Advice?
    }

    /// Labels and their values, without values that are unknown.
    var entries: [Entry] {
        let values = [
            ("Total", total), ("Mean", mean), ("Best", best), ("Check", check), ("Goal", goal), ("Streak", streak),
            ("Compared", comparison),
            ("Running", running), ("Days", days),
        ]
        return values.compactMap { label, text in
            text.map {
                Entry(
                    label: label, text: $0, hint: label == "Goal" && hasNoPlan ? "\(command: "istep plan 8000")" : nil)
            }
        }
    }

    private var total: StyledText? {
        guard let total = statistics.total else { return StyledText("unknown", .doubtful) }
        var text = StyledText(Words.count(total, "step"), .strong)
        if let distance = statistics.distance { text = text + " · \(units.words(distance: distance))" }
        if let energy = statistics.energy { text = text + " · \(Words.grouped(energy)) kcal" }
        return text
    }

    private var mean: StyledText? {
        guard let mean = statistics.mean, let median = statistics.median else { return nil }
        let known =
            statistics.knownDays
            - (statistics.days.last?.isInProgress == true && statistics.days.last?.steps != nil ? 1 : 0)
        return StyledText("\(Words.grouped(Int(mean.rounded()))) a day", .strong)
            + ", median \(Words.grouped(Int(median.rounded())))"
            + StyledText(
                "  of \(Words.count(known, "day"))\(statistics.daysInProgress > 0 ? ", without today" : "")", .faint)
    }

    private var best: StyledText? {
        guard statistics.days.count > 1, let best = statistics.best, let steps = best.steps else { return nil }
        return StyledText(Words.grouped(steps)) + " on \(Words.date(best.day))"
    }

    private var check: StyledText? { HistoryView.wrong(in: statistics).map { StyledText($0, .bad) } }

    private var hasNoPlan: Bool { !statistics.days.contains { $0.isRestDay || $0.goal != nil } }

    private var goal: StyledText? {
        guard statistics.daysWithGoal > 0 else { return hasNoPlan ? StyledText("none: set one", .faint) : nil }
        return StyledText("reached on \(statistics.goalDays) of \(Words.count(statistics.daysWithGoal, "day"))")
    }

    /// The streaks of the whole history, so that they are the same in all views. The present one has nothing to do with
    /// a period that is over.
    private var streak: StyledText? {
        let streaks = view.figures.streaks
        guard let longest = streaks.longest, let last = streaks.last else { return nil }
        let words =
            "longest of the whole history: \(Words.count(longest.count, "day")), \(Words.range(longest.first...longest.last))"
        guard statistics.daysInProgress > 0 else { return StyledText(words) }
        let now: StyledText =
            switch last.end {
            case .none:
                StyledText("\(Words.count(last.count, "day")) now", .good)
                    + ", since \(Words.range(last.first...last.first))"
            case .missed(let day): StyledText("none now: the goal of \(Words.range(day...day)) was missed")
            case .unknown(let day):
                StyledText("none now: not known whether the goal of \(Words.range(day...day)) was reached", .doubtful)
            }
        return now
            + StyledText(streaks.current == longest ? "  (the longest of the whole history)" : "  (\(words))", .faint)
    }

    private var comparison: StyledText? {
        guard let comparison = view.comparison else { return nil }
        let isWhole = comparison.previousDays == comparison.previous.days
        let name =
            switch comparison.previous.unit {
            case nil: "from \(Words.range(comparison.previousDays))"
            case .day: "on \(comparison.previous.shortTitle)"
            case .week, .month, .year: "in \(comparison.previous.shortTitle)"
            }
        let before = "\(Words.grouped(Int(comparison.previousMean.rounded()))) a day \(name)"
        let days =
            isWhole || comparison.previous.unit == nil
            ? "" : StyledText("  (\(Words.range(comparison.previousDays)))", .faint)
        guard let percentage = comparison.percentage else {
            return StyledText(comparison.difference > 0 ? "more than" : "as much as") + " the \(before)" + days
        }
        let whole = Int(percentage.rounded())
        let change =
            whole == 0
            ? StyledText("as much as")
            : StyledText("\(Words.grouped(abs(whole))) % \(whole > 0 ? "more" : "less") than", whole > 0 ? .good : nil)
        return change + " the \(before)" + days
    }

    private var running: StyledText? {
        let (walking, running) = (statistics.walkingSteps, statistics.runningSteps)
        guard walking + running > 0, running > 0 else { return nil }
        return Words.runningSteps(running, of: walking + running)
    }

    private var days: StyledText? {
        var parts: [StyledText] = []
        func add(_ count: Int, _ words: String, _ emphasis: StyledText.Emphasis? = nil) {
            if count > 0 { parts.append(StyledText("\(Words.grouped(count)) \(words)", emphasis)) }
        }
        add(statistics.completeDays, "complete")
        add(statistics.partialDays, "partial", .doubtful)
        add(statistics.unknownDays, "unknown", .doubtful)
        if statistics.daysInProgress > 0 { parts.append("today so far") }
        guard let first = parts.first else { return nil }
        let days = parts.dropFirst().reduce(first) { $0 + ", " + $1 }
        // Any of these days, also today.
        return statistics.correctedDays > 0
            ? days + StyledText("; \(Words.grouped(statistics.correctedDays)) by hand") : days
    }
}
