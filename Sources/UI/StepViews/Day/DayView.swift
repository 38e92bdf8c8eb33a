public import StepDomain
public import StepServices

/// A user's day, verified before it is shown: an error is shown in place of an invalid value.
public struct DayView: View {
    public let summary: DaySummary
    /// The current day.
    public let today: Day
    public let now: Timestamp
    public let localTime: LocalTime
    /// What `verify` found; each attribute at most once.
    public let errors: [AttributeError]
    /// The first known day of the history; nil if nothing is known.
    private let historyBegins: Day?
    /// Whether the user has a pedometer to read.
    private let hasPedometers: Bool
    private let unsent: [DestinationState]
    private let isChanged: Bool

    /// - Parameters:
    ///   - historyBegins: the first known day; nil if nothing is known.
    ///   - unsent: destinations that have earlier figures of the day, and get these once they may be sent something.
    ///   - isChanged: whether the user has just changed it: what takes corrections back is named even if the view is
    ///     then longer than a screen.
    public init(
        _ summary: DaySummary, today: Day, now: Timestamp, localTime: LocalTime, historyBegins: Day? = nil,
        hasPedometers: Bool = true, unsent: [DestinationState] = [], isChanged: Bool = false
    ) {
        self.isChanged = isChanged
        self.unsent = unsent
        self.historyBegins = historyBegins
        self.hasPedometers = hasPedometers
        self.summary = summary
        self.today = today
        self.now = now
        self.localTime = localTime
        errors = Self.verify(summary, today: today, now: now)
    }

    /// - Parameter isChanged: whether the user has just changed it.
    public init(_ report: DayReport, isChanged: Bool = false) {
        self.init(
            report.summary, today: report.today, now: report.now, localTime: report.localTime,
            historyBegins: report.historyBegins, hasPedometers: report.hasPedometers, unsent: report.unsent,
            isChanged: isChanged)
    }

    /// Nil if it lies before the history, or cannot be written.
    public var previousDay: Day? {
        let day = summary.day.advanced(by: -1)
        if let historyBegins, day < historyBegins { return nil }
        return day.components.year >= 1 ? day : nil
    }
    /// Nil if the next day has not begun. Before the history it is the first day of the history.
    public var nextDay: Day? {
        summary.day < today ? min(max(summary.day.advanced(by: 1), historyBegins ?? summary.day), today) : nil
    }

    /// The first known day, if this one lies before it.
    var laterBegin: Day? { historyBegins.flatMap { summary.day < $0 ? $0 : nil } }

    package func error(_ attribute: AttributeError.Attribute) -> AttributeError? {
        errors.first { $0.attribute == attribute }
    }
    package func holds(_ attribute: AttributeError.Attribute) -> Bool { error(attribute) == nil }
}

extension DayView {
    /// One screenful: at most 24 lines where the terminal has 80 columns.
    public func lines(_ style: TextStyle) -> [String] {
        let head = browserHead(style), whole = head + lines(style, hasCommands: true, hasRemoval: true)
        return isChanged || whole.count <= 24 ? whole : head + lines(style, hasCommands: true)
    }

    /// What stays on the screen of a browser while the rest scrolls.
    public func browserHead(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let isToday = summary.day == today
        page.wrap(
            StyledText(Printable(summary.user.name, limit: 32).description, .strong) + " · "
                + StyledText(Words.date(summary.day), .strong) + StyledText(isToday ? " · today" : ""), hanging: 2)
        if let laterBegin { page.wrap(StyledText("  The history begins on \(laterBegin).", .faint), hanging: 2) }
        return page.lines
    }

    /// The rest, without the commands that show other days: keys do that.
    public func browserLines(_ style: TextStyle) -> [String] { lines(style, hasCommands: false) }

    /// - Parameter hasRemoval: whether the commands are shown that remove the correction and excluded blocks.
    private func lines(_ style: TextStyle, hasCommands: Bool, hasRemoval: Bool = false) -> [String] {
        var page = TextPage(style)
        page.blank()
        if let error = error(.day) {
            page.wrap("  " + wrong(error), hanging: 2)
            return page.lines
        }
        show("Steps", steps, on: &page)
        if holds(.steps), let steps = summary.steps, let running = summary.runningSteps, running > 0 {
            show("Running", Words.runningSteps(running, of: steps), on: &page)
        }
        if summary.steps != nil {
            show(
                "Distance", distance(style.units),
                hint: isUnknown(.distance, summary.distance) ? "\(command: "istep profile --height CM")" : nil,
                on: &page)
            show(
                "Calories", energy,
                hint: isUnknown(.energy, summary.energy) ? "\(command: "istep profile --weight KG")" : nil, on: &page)
        }
        show("Goal", goal(style), hint: hasNoPlan ? "\(command: "istep plan 8000")" : nil, on: &page)
        if summary.implausibleSteps != 0 { show("Ignored", implausible, on: &page) }
        for (index, words) in summary.excludedWords().enumerated() {
            show(
                index == 0 ? "Excluded" : "", StyledText(words, .doubtful), hint: hasRemoval ? inclusion(index) : nil,
                on: &page)
        }
        if let moment = summary.deletedAt {
            show(
                "Deleted", StyledText(Words.deleted(on: "\(localTime.day(of: moment))"), .doubtful),
                hint: hasCommands ? "\(command: "istep delete --readmit", "\(summary.day)")" : nil, on: &page)
        }
        if let doubt { show("Check", doubt, on: &page) }
        chart(on: &page)
        page.blank()
        show("Day", completeness, hint: hasRemoval && summary.isCorrected ? removal : nil, on: &page)
        // Steps that were imported or entered by hand need no pedometer.
        if hasPedometers || summary.steps == nil || !isUnknown(.lastSync, summary.lastSync) {
            show("Synced", synced, hint: isUnknown(.lastSync, summary.lastSync) ? firstSync.advice : nil, on: &page)
        }
        showUnsent(hasCommands: hasCommands, on: &page)
        if hasCommands { neighbours(on: &page) }
        return page.lines
    }

    /// The destinations that are to get these figures, with the moment when they will.
    private func showUnsent(hasCommands: Bool, on page: inout TextPage) {
        func show(_ states: [DestinationState], _ moment: String, _ hint: Advice) {
            if states.isEmpty { return }
            let names = Words.list(states.map { Printable($0.name, limit: 32).description })
            let words = StyledText(
                "\(names) will \(summary.steps == nil ? "learn that the day is deleted" : "get these figures") \(moment)",
                .doubtful)
            self.show("Shared", words, hint: hasCommands ? hint : nil, on: &page)
        }
        let share: Advice = "\(command: "istep share", "\(summary.day)")"
        show(unsent.filter { !$0.isHeldBack(at: now) }, "with the next sync", share)
        show(unsent.filter { $0.nextAttempt(after: now) != nil }, "after the next attempt", share)
        for state in unsent where state.stopped != nil {
            show([state], "after its pause", "\(command: "istep outbox retry", state.name)")
        }
    }

    /// The commands that show the days around this one.
    private func neighbours(on page: inout TextPage) {
        let style = page.style
        let days: [(label: String, day: Day?)] = [("Previous:", previousDay), ("Next:", nextDay)]
        let neighbours = days.compactMap { label, day in
            day.map { (label: label, command: style.text(of: ShellCommand("istep show \($0)"))) }
        }
        if neighbours.isEmpty { return }
        page.blank()
        let line = "  " + neighbours.map { "\($0.label) \($0.command)" }.joined(separator: "   ")
        if Columns.of(line) <= style.width { return page.row(StyledText(line, .faint)) }
        for neighbour in neighbours { page.path("  " + neighbour.label, neighbour.command, emphasis: .faint) }
    }

    /// - Parameter hint: what to do about a value that is not there.
    private func show(_ label: String, _ value: StyledText, hint: Advice? = nil, on page: inout TextPage) {
        page.labelled(label, value)
        guard let hint else { return }
        // A command is never cut: where the line is short, it begins further left.
        let longest = hint.commands.map { Columns.of(page.style.text(of: $0)) }.max() ?? 0
        page.advice(hint, emphasis: .faint, indent: max(2, min(12, page.style.width - longest)))
    }

    private func isUnknown<T>(_ attribute: AttributeError.Attribute, _ value: T?) -> Bool {
        value == nil && holds(attribute)
    }

    private var hasNoPlan: Bool { isUnknown(.goal, summary.goal) && holds(.percentage) && !summary.isRestDay }

    private func wrong(_ error: AttributeError) -> StyledText { StyledText("wrong: \(error.message)", .bad) }

    // MARK: Values

    private var steps: StyledText {
        if let error = error(.steps) { return wrong(error) }
        guard let steps = summary.steps else { return StyledText("unknown", .doubtful) }
        let number = StyledText(Words.grouped(steps), .strong)
        if let error = error(.category) { return number + "  " + wrong(error) }
        guard let category = summary.category else { return number }
        if summary.isInProgress {
            // Few steps in the morning do not make a day sedentary.
            return category == .sedentary ? number : number + "  \(category.words) so far"
        }
        return number + "  \(category.words)"
    }

    private func distance(_ units: UnitSystem) -> StyledText {
        if let error = error(.distance) { return wrong(error) }
        guard let metres = summary.distance, let source = summary.distanceSource else {
            return StyledText("unknown: set your height, and it is calculated", .faint)
        }
        return StyledText(units.words(distance: metres))
            + StyledText("  \(source.words(running: summary.runningDistanceSource))", .faint)
    }

    private var energy: StyledText {
        if let error = error(.energy) { return wrong(error) }
        guard let energy = summary.energy, let source = summary.energySource else {
            return StyledText("unknown: set your weight, and they are calculated", .faint)
        }
        return StyledText("\(Words.grouped(energy)) kcal") + StyledText("  \(source.words)", .faint)
    }

    private func goal(_ style: TextStyle) -> StyledText {
        if let error = error(.goal) ?? error(.percentage) { return wrong(error) }
        guard let goal = summary.goal else {
            return summary.isRestDay ? "rest day" : StyledText("none: set one", .faint)
        }
        let number = StyledText(Words.grouped(goal))
        guard holds(.steps), let percentage = summary.percentage else { return number }
        let bar = GoalBar(percentage: percentage, cells: min(30, style.width - 32))
        return number + "  " + bar.text + "  \(Words.percent(percentage))"
    }

    private var implausible: StyledText {
        if let error = error(.implausibleSteps) { return wrong(error) }
        return StyledText("\(Words.count(summary.implausibleSteps, "implausible step")), not counted", .doubtful)
    }

    /// The pedometer whose own total of the day differs most from what its slots add up to; nil if none differs.
    private var doubt: StyledText? { deviceTotalWords(.iso).map { StyledText($0, .doubtful) } }

    /// The same in words.
    package func deviceTotalWords(_ form: DateForm) -> String? {
        guard
            let worst = summary.deviceTotals.filter(\.total.differs).max(by: {
                abs($0.total.difference) < abs($1.total.difference)
            })
        else { return nil }
        let (total, name) = (worst.total, Printable(worst.pedometer, limit: 32))
        let time = "\(form == .iso ? "at" : "on") \(form.clock(total.at, localTime, today: today))"
        let claim = "\(name) itself reported \(Words.count(total.total, "step")) \(time), "
        guard total.isPossible else { return claim + "more than anyone walks in a day: not used" }
        let difference =
            "\(Words.grouped(abs(total.difference))) \(total.difference > 0 ? "more" : "fewer") than its slots had then"
        return claim + difference + (total.difference > 0 ? "" : ": not used")
    }

    private func chart(on page: inout TextPage) {
        if let error = error(.hours) {
            return show("Hours", wrong(error), on: &page)
        }
        guard holds(.steps) else { return }
        let chart = TextHourChart(hours: summary.hours, now: now, width: page.style.width, unicode: page.style.unicode)
        let lines = chart.lines
        guard !lines.isEmpty else { return }
        page.blank()
        let heading = "  Steps per hour " + (summary.countedHoursWords ?? "of the day")
        let legend =
            (chart.hasRunning ? "  (\(TextHourChart.runningSign) mostly run)" : "")
            + (chart.hasUnknown ? "  (? unknown)" : "")
        page.wrap(StyledText(heading + legend, .faint), hanging: 2)
        for line in lines { page.row(line) }
    }

    // MARK: What is known

    private var completeness: StyledText {
        if let error = error(.completeness) { return wrong(error) }
        if summary.isCorrected { return correction }
        let emphasis: StyledText.Emphasis? =
            switch summary.completeness {
            case .complete: .good
            case .partial: summary.isInProgress ? nil : .doubtful
            case .unknown: .doubtful
            }
        return StyledText(summary.completenessWords, emphasis)
    }

    /// By how much the steps were corrected, and why.
    private var correction: StyledText {
        let difference: String
        if let steps = summary.steps, holds(.steps), let counted = summary.countedSteps {
            let count = "the \(Words.grouped(counted)) counted"
            difference =
                steps == counted
                ? ": as many as were counted"
                : ": \(Words.grouped(abs(steps - counted))) \(steps > counted ? "more" : "fewer") than \(count)"
        } else {
            difference = "; nothing was counted"
        }
        return StyledText("entered by hand\(difference)")
            + StyledText(summary.correctionReason.map { " (\(Printable($0, limit: 80)))" } ?? "", .faint)
    }

    /// What lets an excluded block count again; nil for the line that stands for further blocks.
    private func inclusion(_ index: Int) -> Advice? {
        guard index < min(summary.excluded.count, DaySummary.maximumExcluded) else { return nil }
        let times = summary.times(of: summary.excluded[index])
        return "\(command: "istep correct", "\(summary.day)", "--from", times.from, "--to", times.to, "--remove")"
    }

    private var removal: Advice { "\(command: "istep correct", "\(summary.day)", "--remove")" }

    /// What to do where no pedometer was read yet. Days can be known without one: imported, or entered by hand.
    private var firstSync: (words: String, advice: Advice) {
        if hasPedometers { return ("read your pedometers", "\(command: "istep sync")") }
        if historyBegins == nil { return ("add a pedometer", "\(command: "istep add")") }
        return ("import a file, or add a pedometer", "\(command: "istep import FILE")")
    }

    private var synced: StyledText {
        if let error = error(.lastSync) { return wrong(error) }
        guard let moment = summary.lastSync else {
            return StyledText("never: \(firstSync.words)", .doubtful)
        }
        let clock = Words.clock(moment, localTime)
        // How long ago matters for a day that still grows; beside a day of the past, `just now` would seem to be of
        // that day.
        return StyledText(summary.day == today ? "\(Words.ago(moment, now: now)), \(clock)" : "last on \(clock)")
    }
}
