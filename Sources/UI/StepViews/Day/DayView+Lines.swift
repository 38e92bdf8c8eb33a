package import StepDomain

extension DayView {
    /// One screenful: at most 24 lines where the terminal has 80 columns.
    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let isToday = summary.day == today
        page.wrap(
            InkedText(Printable(summary.user.name, limit: 32).description, .strong) + " · "
                + InkedText(Words.date(summary.day), .strong) + InkedText(isToday ? " · today" : ""), hanging: 2)
        if let laterBegin { page.wrap(InkedText("  The history begins on \(laterBegin).", .faint), hanging: 2) }
        page.blank()
        if let error = error(.day) {
            page.wrap("  " + wrong(error), hanging: 2)
            return page.lines
        }
        show("Steps", steps, on: &page)
        if summary.steps != nil {
            show("Distance", distance, hint: isUnknown(.distance, summary.distance) ? "\(command: "istep profile --height CM")" : nil, on: &page)
            show("Calories", energy, hint: isUnknown(.energy, summary.energy) ? "\(command: "istep profile --weight KG")" : nil, on: &page)
        }
        show("Goal", goal(style), hint: hasNoPlan ? "\(command: "istep plan 8000")" : nil, on: &page)
        if summary.implausibleSteps != 0 { show("Left out", leftOut, on: &page) }
        if let doubt { show("Check", doubt, on: &page) }
        chart(on: &page)
        page.blank()
        show("Day", completeness, on: &page)
        show("Synced", synced, hint: isUnknown(.lastSync, summary.lastSync) ? "\(command: "istep sync")" : nil, on: &page)
        page.blank()
        let neighbours = [
            previousDay.map { "Previous: istep show \($0)" }, nextDay.map { "Next: istep show \($0)" },
        ].compactMap(\.self)
        let isWide = style.width >= 64
        for line in isWide ? [neighbours.joined(separator: "   ")] : neighbours { page.row(InkedText("  " + line, .faint)) }
        return page.lines
    }

    /// The same without the commands that show other days: keys do that.
    public func browserLines(_ style: TextStyle) -> [String] {
        var lines = lines(style)
        while let last = lines.last, last.isEmpty || last.contains("istep show ") { lines.removeLast() }
        return lines
    }

    /// - Parameter hint: what to do about a value that is not there.
    private func show(_ label: String, _ value: InkedText, hint: Advice? = nil, on page: inout Page) {
        page.labelled(label, value)
        if let hint { page.advice(hint, ink: .faint, indent: 12) }
    }

    private func isUnknown<T>(_ attribute: AttributeError.Attribute, _ value: T?) -> Bool { value == nil && holds(attribute) }

    private var hasNoPlan: Bool { isUnknown(.goal, summary.goal) && holds(.percentage) && !summary.isRestDay }

    private func wrong(_ error: AttributeError) -> InkedText { InkedText("wrong: \(error.message)", .bad) }

    // MARK: Values

    private var steps: InkedText {
        if let error = error(.steps) { return wrong(error) }
        guard let steps = summary.steps else { return InkedText("unknown", .doubtful) }
        let number = InkedText(Words.grouped(steps), .strong)
        if let error = error(.category) { return number + "  " + wrong(error) }
        guard let category = summary.category else { return number }
        if summary.isRunning {
            // Few steps in the morning do not make a day sedentary.
            return category == .sedentary ? number : number + "  \(category.words) so far"
        }
        return number + "  \(category.words)"
    }

    private var distance: InkedText {
        if let error = error(.distance) { return wrong(error) }
        guard let metres = summary.distance, let source = summary.distanceSource else {
            return InkedText("unknown: set your height, and it is calculated", .faint)
        }
        return InkedText("\(Words.fixed(metres / 1000, 2)) km") + InkedText("  \(source.words)", .faint)
    }

    private var energy: InkedText {
        if let error = error(.energy) { return wrong(error) }
        guard let energy = summary.energy, let source = summary.energySource else {
            return InkedText("unknown: set your weight, and they are calculated", .faint)
        }
        return InkedText("\(Words.fixed(energy, 0)) kcal") + InkedText("  \(source.words)", .faint)
    }

    private func goal(_ style: TextStyle) -> InkedText {
        if let error = error(.goal) ?? error(.percentage) { return wrong(error) }
        guard let goal = summary.goal else {
            return summary.isRestDay ? "rest day" : InkedText("none: set one", .faint)
        }
        let number = InkedText(Words.grouped(goal))
        guard holds(.steps), let percentage = summary.percentage else { return number }
        // Rounded down: 100 % is shown when it is reached and not before.
        let whole = Int(percentage.rounded(.down))
        let bar = GoalBar(percentage: percentage, cells: min(30, style.width - 32))
        return number + "  " + bar.text + "  \(Words.grouped(whole)) %"
    }

    private var leftOut: InkedText {
        if let error = error(.implausibleSteps) { return wrong(error) }
        return InkedText("\(Words.count(summary.implausibleSteps, "implausible step")), not counted", .doubtful)
    }

    /// The pedometer whose own total of the day differs most from what its slots add up to; nil if none differs.
    private var doubt: InkedText? { deviceTotalWords.map { InkedText($0, .doubtful) } }

    /// The same in words.
    package var deviceTotalWords: String? {
        guard let worst = summary.deviceTotals.filter(\.total.differs).max(by: { abs($0.total.difference) < abs($1.total.difference) })
        else { return nil }
        let (total, name) = (worst.total, Printable(worst.pedometer, limit: 32))
        let claim = "\(name) itself reported \(Words.count(total.total, "step")) at \(Words.clock(total.at, localTime)), "
        guard total.isPossible else { return claim + "more than anyone walks in a day: not used" }
        let difference = "\(Words.grouped(abs(total.difference))) \(total.difference > 0 ? "more" : "fewer") than its slots had then"
        return claim + difference + (total.difference > 0 ? "" : ": not used")
    }

    private func chart(on page: inout Page) {
        if let error = error(.hours) {
            return show("Hours", wrong(error), on: &page)
        }
        guard holds(.steps) else { return }
        let chart = HourChart(hours: summary.hours, now: now, width: page.style.width, unicode: page.style.unicode)
        let lines = chart.lines
        guard !lines.isEmpty else { return }
        page.blank()
        page.row(InkedText("  Steps per hour of the day" + (chart.hasUnknown ? "  (? unknown)" : ""), .faint))
        for line in lines { page.row(InkedText(line)) }
    }

    // MARK: What is known

    private var completeness: InkedText {
        if let error = error(.completeness) { return wrong(error) }
        if summary.isCorrected { return correction }
        let ink: InkedText.Ink? =
            switch summary.completeness {
            case .complete: .good
            case .partial: summary.isRunning ? nil : .doubtful
            case .unknown: .doubtful
            }
        return InkedText(summary.completenessWords, ink)
    }

    /// By how much the steps were corrected, and why.
    private var correction: InkedText {
        let difference: String
        if let steps = summary.steps, holds(.steps), let counted = summary.countedSteps {
            let count = "the \(Words.grouped(counted)) counted"
            difference =
                steps == counted
                ? ": as many as were counted" : ": \(Words.grouped(abs(steps - counted))) \(steps > counted ? "more" : "fewer") than \(count)"
        } else {
            difference = "; nothing was counted"
        }
        return InkedText("entered by hand\(difference)")
            + InkedText(summary.correctionReason.map { " (\(Printable($0, limit: 80)))" } ?? "", .faint)
    }

    private var synced: InkedText {
        if let error = error(.lastSync) { return wrong(error) }
        guard let moment = summary.lastSync else { return InkedText("never: read your pedometers", .doubtful) }
        let clock = Words.clock(moment, localTime)
        // How long ago matters for a day that still grows; beside a day of the past, `just now` would seem to be of that day.
        return InkedText(summary.day == today ? "\(Words.ago(moment, now: now)), \(clock)" : "last on \(clock)")
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

extension DaySummary {
    /// How much is known of the day: `complete`, `partial: steps may be missing`.
    package var completenessWords: String {
        switch completeness {
        case .complete: "complete"
        case .partial: isRunning ? "so far" : "partial: steps may be missing"
        case .unknown: isRunning ? "nothing known yet" : "nothing known"
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

/// Steps beside their goal, as a bar with a mark where the goal is.
struct GoalBar {
    /// Of the goal; 100 when it is reached. Finite, not negative.
    let percentage: Double
    /// Columns.
    let cells: Int

    /// Twice the goal fills the bar; a greater value is only shown by the number beside it.
    private static let mostPercentage = 200.0

    var text: InkedText {
        let full = min(max(percentage, 100), Self.mostPercentage)
        // Rounded down: the bar reaches the mark when the goal is reached and not before.
        let goal = max(1, Int(100 * Double(cells) / full))
        let filled = percentage >= 100 ? cells : max(0, Int(percentage * Double(cells) / 100))
        let ink: InkedText.Ink = percentage >= 100 ? .good : .doubtful
        func part(_ range: Range<Int>) -> InkedText {
            let done = min(max(filled - range.lowerBound, 0), range.count)
            return InkedText(String(repeating: "█", count: done), ink)
                + InkedText(String(repeating: "░", count: range.count - done), .faint)
        }
        return part(0..<(goal - 1)) + InkedText("│", .strong) + part(goal..<max(goal, cells))
    }
}

/// The hours of a day as bars, each some columns wide, over a line of hours. An hour that is not known has a question mark, and one that has
/// not begun nothing.
struct HourChart {
    let hours: [DaySummary.Hour]
    let now: Timestamp
    let width: Int
    let unicode: Bool

    /// Lines of the bars; the labels are one more.
    static let height = 5

    private var most: Int { hours.compactMap(\.steps).max() ?? 0 }
    private func isUnknown(_ hour: DaySummary.Hour) -> Bool { hour.steps == nil && hour.start <= now }
    /// Whether any hour has a question mark.
    var hasUnknown: Bool { hours.contains(where: isUnknown) }
    /// Columns for the scale at the left.
    private var margin: Int { max(6, Words.grouped(most).count) + 2 }
    /// Columns of an hour, the gap to the next counted.
    private var pitch: Int { max(1, min(3, (width - margin) / max(hours.count, 1))) }

    /// Empty if there is nothing to draw.
    var lines: [String] {
        guard most > 0 else { return [] }
        return (0..<Self.height).map { row(Self.height - 1 - $0) } + [labels]
    }

    /// - Parameter level: 0 is the lowest.
    private func row(_ level: Int) -> String {
        let scale = level == Self.height - 1 ? Words.grouped(most) : level == 0 ? "0" : ""
        let cells = hours.map { hour -> String in
            let cell = isUnknown(hour) ? level == 0 ? "?" : " " : self.cell(hour.steps ?? 0, level)
            let isWide = pitch > 1
            return String(repeating: cell, count: isWide ? pitch - 1 : 1) + (isWide ? " " : "")
        }
        return Columns.padLeft(scale, margin - 2) + "  " + cells.joined()
    }

    private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let marks: [Character] = [" ", ".", ":", "#"]

    private func cell(_ steps: Int, _ level: Int) -> Character {
        let shades = unicode ? Self.blocks : Self.marks
        let full = shades.count - 1
        // Even a single step is shown: an hour with few must not look like one with none.
        let filled = max(steps > 0 ? 1 : 0, steps * full * Self.height / most)
        return shades[min(max(filled - level * full, 0), full)]
    }

    private var labels: String {
        var line = String(repeating: " ", count: margin)
        for (index, hour) in hours.enumerated() where hour.hour % (pitch > 1 ? 3 : 6) == 0 {
            let column = margin + index * pitch
            guard line.count <= column else { continue }
            line += String(repeating: " ", count: column - line.count) + "\(hour.hour)"
        }
        return line
    }
}
