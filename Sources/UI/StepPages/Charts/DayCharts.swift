internal import StepDomain
internal import StepViews

/// The days of a period as bars or as a calendar, each with the table of its numbers.
struct DayCharts: Sendable {
    let figures: DaySeries
    let context: PageContext
    /// Where the numbers stand, in a report: nil if they are below the chart.
    var tables: Link?

    /// With more days, a chart has no room for a number at each.
    private static let maximumNumbers = 31

    // MARK: Bars

    /// A bar for each day of a week, a month or a range: days that have not begun, or lie before the history, have an
    /// empty slot.
    func bars(_ period: Period, title: String, _ classes: String = "", height: Double = 230, aside: Markup? = nil)
        -> Markup
    {
        let statistics = figures.statistics(of: period)
        let days = period.days.lowerBound.daysSince1970...period.days.upperBound.daysSince1970
        let all = days.map { Day(daysSince1970: $0) }
        let hasPlan = statistics.days.contains { $0.goal != nil || $0.isRestDay }
        var chart = BarChart(
            bars: all.map { bar($0, of: period, hasPlan: hasPlan) }, summary: summary(title, statistics), height: height
        )
        if all.count > Self.maximumNumbers { chart.months = Self.months(all) }
        return Card.chart(
            title, classes, aside: aside ?? legend(statistics.days, hasPlan: hasPlan), drawing: chart.markup
        ) {
            if aside != nil { legend(statistics.days, hasPlan: hasPlan, isShort: true) }
            numbers { table(statistics.days) }
        }
    }

    /// Of more days, the years are named.
    private static let maximumDaysOfMonths = 430

    /// The first slot of each year, with its number; also the first of all, if there is room.
    static func years(_ days: [Day]) -> [(slot: Int, name: String)] {
        func year(_ index: Int) -> Int { days[index].components.year }
        var found = days.indices.dropFirst().filter { year($0) != year($0 - 1) }
        if !days.isEmpty, 6 * (found.first ?? days.count) >= days.count { found.insert(0, at: 0) }
        return found.map { ($0, "\(year($0))") }
    }

    /// The slot of the first of each month, with its name; also the first day, if there is room.
    static func months(_ days: [Day]) -> [(slot: Int, name: String)] {
        if days.count > maximumDaysOfMonths { return years(days) }
        var months: [(slot: Int, name: String)] = []
        for (index, day) in days.enumerated() where day.components.day == 1 {
            months.append((index, String(Words.month(day).prefix(3))))
        }
        if let first = days.first, 25 * (months.first?.slot ?? days.count) >= days.count, months.first?.slot != 0 {
            months.insert((0, "\(first.components.day) \(Words.month(first).prefix(3))"), at: 0)
        }
        return months
    }

    /// The same for a line: of a few weeks, a day of each.
    static func marks(_ days: [Day]) -> [(slot: Int, name: String)] {
        if days.count > 45 { return months(days) }
        return stride(from: 0, to: days.count - 1, by: 7).map { index in
            let isNamed = index == 0 || days[index].components.day <= 7
            return (index, "\(days[index].components.day)" + (isNamed ? " \(Words.month(days[index]).prefix(3))" : ""))
        }
    }

    private func bar(_ day: Day, of period: Period, hasPlan: Bool) -> BarChart.Bar {
        let known = figures[day]
        let isToday = day == figures.today
        let index = period.days.lowerBound.distance(to: day), number = day.components.day
        // On a narrow screen today has its number, for which three of a month's slots are needed.
        let isBesideToday =
            !isToday && period.days.contains(figures.today) && abs(day.distance(to: figures.today)) <= 3
        var bar = BarChart.Bar(label: "", steps: nil, hasBegun: known != nil, isNow: isToday, title: "")
        switch (period.unit, period.count) {
        case (.week, _): bar.label = isToday ? "Today" : day.weekday.shortName
        case (.month, _): (bar.label, bar.isMinor) = ("\(number)", index % 7 != 0 || isBesideToday)
        case (_, ...7): bar.label = isToday ? "Today" : day.weekday.shortName
        case (_, ...Self.maximumNumbers):
            let month = index == 0 || number == 1 ? " \(Words.month(day).prefix(3))" : ""
            (bar.label, bar.isMinor) = (
                "\(number)\(month)", index % 7 != 0 || index > period.count - 3 || isBesideToday
            )
            // Beside the name of a month there is no room for a number.
            let isBesideName = index == 1 || number == 2 || day.advanced(by: 1).components.day == 1
            if period.count > 14, index > 0, number != 1, isBesideName { bar.label = "" }
        // Between the names of months, and not below the name of the first day.
        case _ where [8, 15, 22].contains(number) && 12 * index >= period.count:
            (bar.label, bar.isMinor) = ("\(number)", true)
        default: break
        }
        guard let known else {
            bar.title = "\(context.date(day)): \(day > figures.today ? "not begun" : "before the history")"
            return bar
        }
        bar.steps = known.plausibleSteps
        bar.running = known.runningSteps ?? 0
        bar.goal = known.goal
        bar.isReached = !hasPlan || Self.isReachedOrNone(known)
        bar.isPartial = known.isDrawnPartial
        bar.link = context.link(to: day)
        bar.title = known.title(.short, figures.today)
        return bar
    }

    /// A day without a goal has the colour of one on which it was reached.
    private static func isReachedOrNone(_ day: DayFigures) -> Bool {
        day.isGoalMet || day.goal == nil && !day.isRestDay
    }

    /// - Parameter isShort: on one line of a narrow card.
    private func legend(_ days: [DayFigures], hasPlan: Bool, isShort: Bool = false) -> Markup {
        var legend = Legend()
        let walked = days.filter { $0.plausibleSteps ?? 0 > 0 }
        let noGoal = walked.contains { !$0.isGoalMet && Self.isReachedOrNone($0) } ? ", or no goal" : ""
        legend.add(.box(.walk), hasPlan ? (isShort ? "reached" : "goal reached\(noGoal)") : "walking")
        if hasPlan, walked.contains(where: { !Self.isReachedOrNone($0) }) {
            let today = days.contains { $0.isInProgress && !Self.isReachedOrNone($0) } ? ", today so far" : ""
            let words = (days.contains(where: \.isRestDay) ? "below, or rest day" : "below the goal") + today
            legend.add(.box(.below), isShort ? "below" : words)
        }
        if days.contains(where: { $0.plausibleSteps != nil && $0.runningSteps ?? 0 > 0 }) {
            legend.add(.box(.run), "running")
        }
        if days.contains(where: \.isDrawnPartial) { legend.add(.partial, "partial") }
        if days.contains(where: { $0.plausibleSteps == nil }) { legend.add(.stub, "unknown") }
        let goals = Set(days.compactMap(\.goal))
        if let goal = goals.first {
            legend.add(.goal, goals.count == 1 ? "goal \(Words.grouped(goal))" : "goal of the day")
        }
        return legend.markup
    }

    func summary(_ title: String, _ statistics: PeriodStatistics) -> String {
        guard let total = statistics.total, let best = statistics.best, let steps = best.steps else {
            return "\(title): nothing known. The numbers follow."
        }
        return
            "\(title): \(Words.count(total, "step")) in all; most on \(context.date(best.day)), \(Words.grouped(steps)). The numbers follow in a table."
    }

    // MARK: The calendar

    /// More days have a calendar for each year.
    static let maximumDaysOfCalendar = 53 * 7

    func calendar(
        _ statistics: PeriodStatistics, title: String, _ classes: String = "", isNewestFirst: Bool = false,
        aside: Markup = .nothing
    )
        -> Markup
    {
        let calendar = Calendar(
            cells: statistics.days.map { day in
                Calendar.Cell(
                    day: day.day, steps: day.plausibleSteps, goal: day.goal, isPartial: day.isDrawnPartial,
                    isToday: day.isInProgress,
                    link: context.link(to: day.day), title: day.title(.short, figures.today))
            }, span: statistics.period.count <= Self.maximumDaysOfCalendar ? statistics.period.days : nil,
            firstWeekday: context.weekStart, summary: summary(title, statistics), isNewestFirst: isNewestFirst)
        return Card.chart(title, classes, aside: aside, drawing: calendar.markup) {
            calendar.legend
            numbers { table(statistics.days) }
        }
    }

    // MARK: Numbers

    /// In a report, the tables are a chapter at its end.
    @MarkupBuilder func numbers(_ table: () -> Table) -> Markup {
        if let tables { Element.a(.css("small"), .href(tables)) { "Numbers" } } else { table().numbers }
    }

    /// A few days with all their numbers; many with the most important ones, in columns beside each other.
    private func table(_ days: [DayFigures]) -> Table {
        days.count > 45 ? shortTable(days) : longTable(days)
    }

    private func shortTable(_ days: [DayFigures]) -> Table {
        Table(
            caption: "steps by day", columns: [.words("Day"), .number("Steps"), .number("Goal"), .number("Running")],
            rows: days.map { day in
                let isPlain = day.completeness == .complete && !day.isCorrected || day.steps == nil
                let steps = steps(day) + (isPlain ? "" : " \(day.state)")
                return Table.Row(heading(day), [steps, goal(day), running(day)].map { .text($0) })
            })
    }

    /// Every day with all its numbers. In a report, the rows are where its calendars lead to.
    func longTable(_ days: [DayFigures], caption: String = "steps by day") -> Table {
        Table(
            caption: caption,
            columns: [
                .words("Day"), .number("Steps"), .number("Running"), .number("Goal"),
                .number(context.units.distanceUnit), .number("kcal"),
                .words("Known"),
            ],
            rows: days.map { day in
                let cells = [
                    steps(day), running(day), goal(day),
                    day.distance.flatMap { isWrong(day) ? nil : context.units.number(distance: $0) } ?? "",
                    day.energy.flatMap { isWrong(day) ? nil : Words.grouped($0) } ?? "",
                    day.state,
                ]
                return Table.Row(heading(day), cells.map { .text($0) }, id: context.isLocal ? nil : "day-\(day.day)")
            }, isCards: context.isLocal)
    }

    private func heading(_ day: DayFigures) -> Markup {
        let words = context.date(day.day)
        return context.isLocal ? Element.a(.href(context.link(to: day.day))) { words } : .text(words)
    }

    /// Nothing that follows from steps that cannot be is shown.
    private func isWrong(_ day: DayFigures) -> Bool { HistoryView.wrong(day) != nil }
    private func steps(_ day: DayFigures) -> String {
        isWrong(day) ? "wrong" : day.steps.map(Words.grouped) ?? "unknown"
    }
    private func goal(_ day: DayFigures) -> String { day.goal.map(Words.grouped) ?? (day.isRestDay ? "rest" : "") }
    private func running(_ day: DayFigures) -> String {
        day.runningSteps.flatMap { $0 > 0 && !isWrong(day) ? Words.grouped($0) : nil } ?? ""
    }
}
