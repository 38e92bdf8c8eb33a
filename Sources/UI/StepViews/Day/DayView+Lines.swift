internal import StepDomain

extension DayView {
    /// One screenful: at most 22 lines.
    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let isToday = summary.day == today
        page.line(
            InkedText(Printable(summary.user.name, limit: 32).description, .strong) + " · "
                + InkedText(Words.date(summary.day), .strong) + InkedText(isToday ? " · today" : ""))
        page.blank()
        if let error = error(.day) {
            page.line("  " + wrong(error))
            return page.lines
        }
        page.line(labelled("Steps", steps))
        if summary.steps != nil {
            page.line(labelled("Distance", distance))
            page.line(labelled("Calories", energy))
        }
        page.line(labelled("Goal", goal(style)))
        if summary.implausibleSteps != 0 { page.line(labelled("Left out", leftOut)) }
        chart(on: &page)
        page.blank()
        page.line(labelled("Day", completeness))
        page.line(labelled("Synced", synced(style)))
        page.blank()
        let neighbours = [
            previousDay.map { "Previous: istep show \($0)" }, nextDay.map { "Next: istep show \($0)" },
        ].compactMap(\.self)
        let isWide = style.width >= 64
        for line in isWide ? [neighbours.joined(separator: "   ")] : neighbours { page.line(InkedText("  " + line, .faint)) }
        return page.lines
    }

    private func labelled(_ label: String, _ value: InkedText) -> InkedText {
        InkedText("  " + Columns.pad(label, 10), .faint) + value
    }

    private func wrong(_ error: AttributeError) -> InkedText { InkedText("wrong: \(error.message)", .bad) }

    // MARK: Values

    private var steps: InkedText {
        if let error = error(.steps) { return wrong(error) }
        guard let steps = summary.steps else { return InkedText("unknown", .doubtful) }
        let number = InkedText(Words.grouped(steps), .strong)
        if let error = error(.category) { return number + "  " + wrong(error) }
        guard let category = summary.category else { return number }
        if summary.isRunning {
            // A morning with few steps is no way of life.
            return category == .sedentary ? number : number + "  \(category.words) so far"
        }
        return number + "  \(category.words)"
    }

    private var distance: InkedText {
        if let error = error(.distance) { return wrong(error) }
        guard let metres = summary.distance, let source = summary.distanceSource else {
            return InkedText("unknown: tell your height with istep profile --height CM", .faint)
        }
        return InkedText("\(Words.fixed(metres / 1000, 2)) km") + InkedText("  \(source.words)", .faint)
    }

    private var energy: InkedText {
        if let error = error(.energy) { return wrong(error) }
        guard let energy = summary.energy, let source = summary.energySource else {
            return InkedText("unknown: tell your weight with istep profile --weight KG", .faint)
        }
        return InkedText("\(Words.fixed(energy, 0)) kcal") + InkedText("  \(source.words)", .faint)
    }

    private func goal(_ style: TextStyle) -> InkedText {
        if let error = error(.goal) ?? error(.percentage) { return wrong(error) }
        guard let goal = summary.goal else {
            return summary.isRestDay ? "rest day" : InkedText("none: set one with istep plan 8000", .faint)
        }
        let number = InkedText(Words.grouped(goal))
        guard holds(.steps), let percentage = summary.percentage else { return number }
        // Rounded down: 100 % is shown when it is reached and not before.
        let whole = Int(percentage.rounded(.down))
        let cells = min(30, style.width - 32)
        let filled = min(cells, max(0, Int(percentage * Double(cells) / 100)))
        let ink: InkedText.Ink = whole >= 100 ? .good : .doubtful
        return number + "  " + InkedText(String(repeating: "█", count: filled), ink)
            + InkedText(String(repeating: "░", count: cells - filled), .faint) + "  \(Words.grouped(whole)) %"
    }

    private var leftOut: InkedText {
        if let error = error(.implausibleSteps) { return wrong(error) }
        return InkedText("\(Words.count(summary.implausibleSteps, "step")) that nobody can make so fast", .doubtful)
    }

    private func chart(on page: inout Page) {
        if let error = error(.hours) {
            page.line(labelled("Hours", wrong(error)))
            return
        }
        guard holds(.steps) else { return }
        let lines = HourChart(hours: summary.hours, width: page.style.width, unicode: page.style.unicode).lines
        guard !lines.isEmpty else { return }
        page.blank()
        for line in lines { page.line(InkedText(line)) }
    }

    // MARK: What is known

    private var completeness: InkedText {
        if let error = error(.completeness) { return wrong(error) }
        if summary.isCorrected { return "entered by hand" }
        switch summary.completeness {
        case .complete: return InkedText("complete", .good)
        case .partial where summary.isRunning: return "so far"
        case .partial: return InkedText("partial: steps may be missing", .doubtful)
        case .unknown: return InkedText(summary.isRunning ? "nothing known yet" : "nothing known", .doubtful)
        }
    }

    private func synced(_ style: TextStyle) -> InkedText {
        if let error = error(.lastSync) { return wrong(error) }
        guard let moment = summary.lastSync else { return InkedText("never: istep sync reads your pedometers", .doubtful) }
        let ago = Words.ago(moment, now: now)
        // A narrow line has no room for both.
        return InkedText(style.width < 48 ? ago : "\(ago), \(Words.clock(moment, localTime))")
    }
}

extension ActivityCategory {
    var words: String {
        switch self {
        case .sedentary: "sedentary"
        case .lowActive: "low active"
        case .somewhatActive: "somewhat active"
        case .active: "active"
        case .highlyActive: "highly active"
        }
    }
}

extension DaySummary.DistanceSource {
    var words: String {
        switch self {
        case .measuredStepLength: "by your step length"
        case .height: "by your height"
        case .pedometer: "by the pedometer"
        }
    }
}

extension DaySummary.EnergySource {
    var words: String {
        switch self {
        case .weight: "by your weight, above rest"
        case .pedometer: "by the pedometer"
        }
    }
}
