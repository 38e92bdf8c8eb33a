internal import StepDomain
internal import StepViews

/// The weeks, months or years of a period as bars of their mean steps a day, so that parts of 28 and 31 days, and of
/// unknown days, can be compared.
struct PartCharts: Sendable {
    let figures: DaySeries
    let context: PageContext
    /// Where the numbers stand, in a report: nil if they are below the chart.
    var tables: Link?

    /// - Parameter isBesideYearBefore: whether the same part of the year before stands behind each bar.
    func means(
        _ period: Period, by unit: Period.Unit, title: String, _ classes: String = "", height: Double = 210,
        isBesideYearBefore: Bool = false
    ) -> Markup {
        let parts = figures.statistics(of: period, by: unit)
        let slots = Self.slots(period, unit, known: parts.map(\.period))
        let known = Dictionary(parts.map { ($0.period, $0) }) { first, _ in first }
        let before = isBesideYearBefore ? slots.map { self.before($0) } : []
        let hasBefore = before.contains { $0?.mean != nil }
        var chart = BarChart(
            bars: slots.enumerated().map { index, slot in
                bar(
                    slot, known[slot], before: hasBefore ? before[index] : nil,
                    isMinor: slots.count > 8 && index % 2 == 1)
            }, summary: summary(title, parts), height: height)
        if unit == .week, slots.count <= Self.maximumLabels, slots.first?.isoWeek == nil {
            for index in chart.bars.indices { chart.bars[index].label = Self.label(ofWeek: index, in: slots) }
        }
        if [.week, .month].contains(unit), slots.count > Self.maximumLabels {
            chart.months = unit == .week ? Self.months(slots) : DayCharts.years(slots.map(\.days.lowerBound))
            for index in chart.bars.indices { chart.bars[index].label = "" }
        }
        let beforeName = period.unit == .year ? period.previous?.title ?? "" : "a year before"
        let rows = slots.indices.compactMap { index -> (PeriodStatistics, PeriodStatistics?)? in
            known[slots[index]].map { ($0, hasBefore ? before[index] : nil) }
        }
        return Card.chart(title, classes, aside: legend(chart.bars, beforeName), drawing: chart.markup) {
            if let tables {
                Element.a(.css("small"), .href(tables)) { "Numbers" }
            } else {
                table(rows, caption: "steps by \(unit.rawValue)", before: hasBefore ? beforeName : nil).numbers
            }
        }
    }

    /// With more bars, only the months or the years are named.
    private static let maximumLabels = 14

    /// Of a week that does not begin on Monday, and has no number: the day on which it begins, in the first week of a
    /// month with its name.
    private static func label(ofWeek index: Int, in weeks: [Period]) -> String {
        func isFirst(_ index: Int) -> Bool {
            weeks.indices.contains(index) && weeks[index].days.lowerBound.components.day <= 7
        }
        let day = weeks[index].days.lowerBound
        let isNamed = isFirst(index) || index == 0 && !isFirst(1)
        return "\(day.components.day)" + (isNamed ? " \(Words.month(day).prefix(3))" : "")
    }

    /// A year has all its months, whatever of it has begun; of other periods those that are known.
    private static func slots(_ period: Period, _ unit: Period.Unit, known: [Period]) -> [Period] {
        guard period.unit == .year, unit == .month else { return known }
        return (1...12).compactMap { month in
            Day(year: period.days.lowerBound.components.year, month: month, day: 1).map {
                Period(.month, containing: $0, weekStart: period.weekStart)
            }
        }
    }

    private func before(_ period: Period) -> PeriodStatistics? {
        let (year, month, _) = period.days.lowerBound.components
        guard let day = Day(year: year - 1, month: month, day: 1) else { return nil }
        let statistics = figures.statistics(of: Period(.month, containing: day, weekStart: period.weekStart))
        return statistics.days.isEmpty ? nil : statistics
    }

    /// The weeks in which months begin.
    private static func months(_ weeks: [Period]) -> [(slot: Int, name: String)] {
        var months: [(slot: Int, name: String)] = []
        for (index, week) in weeks.enumerated() {
            let first = (0..<7).map { week.days.lowerBound.advanced(by: $0) }.first { $0.components.day == 1 }
            if let first { months.append((index, String(Words.month(first).prefix(3)))) }
        }
        return months
    }

    private func bar(_ period: Period, _ part: PeriodStatistics?, before: PeriodStatistics?, isMinor: Bool)
        -> BarChart.Bar
    {
        let isNow = period.days.contains(figures.today)
        let known = part?.perDay
        let isDoubtful = part.map { 4 * ($0.partialDays + $0.unknownDays) > $0.days.count } ?? false
        let steps = known.map { Int($0.steps.rounded()) }, goal = part?.perDayGoal.map { Int($0.rounded()) }
        return BarChart.Bar(
            label: label(period), isMinor: isMinor, steps: steps, running: known.map { Int($0.running.rounded()) } ?? 0,
            goal: goal,
            isReached: goal == nil || SportPlan.isMet(goal, by: steps), isPartial: isDoubtful && known != nil,
            hasBegun: part != nil, isNow: isNow,
            usual: before?.mean.map { Int($0.rounded()) }, link: part == nil ? nil : context.link(to: period),
            title: words(period, part))
    }

    private func label(_ period: Period) -> String {
        switch period.unit {
        case .month: String(Words.month(period.days.lowerBound).prefix(3))
        case .week: period.isoWeek.map { "\($0.week)" } ?? ""
        default: period.title
        }
    }

    private func name(_ period: Period) -> String {
        switch period.unit {
        case .month:
            Words.month(period.days.lowerBound)
                + (period.days.lowerBound.components.year == figures.today.components.year
                    ? "" : " \(period.days.lowerBound.components.year)")
        case .week:
            period.isoWeek.map {
                "Week \($0.week)" + ($0.year == figures.today.components.year ? "" : " of \($0.year)")
            }
                ?? context.days(period.days.lowerBound, period.days.upperBound)
        default: period.title
        }
    }

    private func words(_ period: Period, _ part: PeriodStatistics?) -> String {
        guard let part else {
            let name = period.unit == .week ? name(period) : label(period)
            return "\(name): \(period.days.lowerBound > figures.today ? "not begun" : "before the history")"
        }
        guard let perDay = part.perDay else { return "\(name(period)): unknown" }
        if part.mean == nil { return "\(name(period)): \(Words.count(part.total ?? 0, "step")), today so far" }
        return "\(name(period)): \(Words.grouped(perDay.steps)) steps a day"
    }

    private func summary(_ title: String, _ parts: [PeriodStatistics]) -> String {
        let most = parts.filter { $0.mean != nil }.max { $0.mean ?? 0 < $1.mean ?? 0 }
        let words = most.map { "most in \($0.period.title), \(Words.grouped($0.mean ?? 0)) a day" } ?? "nothing known"
        return "\(title): \(words). The numbers follow in a table."
    }

    private func legend(_ bars: [BarChart.Bar], _ beforeName: String) -> Markup {
        var legend = Legend()
        let hasGoal = bars.contains { $0.goal != nil }
        let walked = bars.filter { $0.steps ?? 0 > 0 }
        let noGoal = walked.contains { $0.goal == nil } ? ", or no goal" : ""
        legend.add(.box(.walk), hasGoal ? "goal reached\(noGoal)" : "walking")
        if walked.contains(where: { !$0.isReached }) { legend.add(.box(.below), "below the goal") }
        if bars.contains(where: { $0.running > 0 }) { legend.add(.box(.run), "running") }
        if bars.contains(where: \.isPartial) { legend.add(.partial, "more than a quarter of the days not known") }
        if bars.contains(where: { $0.hasBegun && $0.steps == nil }) { legend.add(.stub, "unknown") }
        if bars.contains(where: { $0.usual != nil }) { legend.add(.box(.usual), beforeName) }
        if hasGoal { legend.add(.goal, "mean goal") }
        return legend.markup
    }

    /// - Parameter before: the name of the year before, if that is compared.
    func table(_ parts: [(part: PeriodStatistics, before: PeriodStatistics?)], caption: String, before: String? = nil)
        -> Table
    {
        var columns: [Table.Column] = [.words("Period"), .number("Steps a day")]
        if let before { columns.append(.number(before)) }
        columns += [
            .number("Median"), .number("Goal days"), .number("Total"), .number(context.units.distanceUnit),
            .number("Unknown"),
            .number("Partial"),
        ]
        return Table(
            caption: caption, columns: columns,
            rows: parts.map { part, earlier in
                var cells = [part.mean.map(Words.grouped) ?? ""]
                if before != nil { cells.append(earlier?.mean.map(Words.grouped) ?? "") }
                cells += [
                    part.median.map(Words.grouped) ?? "", Self.goalDays(part),
                    part.total.map(Words.grouped) ?? "unknown",
                    part.distance.map(context.units.number(distance:)) ?? "", "\(part.unknownDays)",
                    "\(part.partialDays)",
                ]
                let link = context.link(to: part.period), words = name(part.period)
                return Table.Row(
                    link.map { link in Element.a(.href(link)) { words } } ?? .text(words), cells.map { .text($0) })
            }, isCards: true)
    }

    static func goalDays(_ part: PeriodStatistics) -> String {
        part.daysWithGoal == 0 ? "" : "\(Words.grouped(part.goalDays)) of \(Words.grouped(part.daysWithGoal))"
    }
}
