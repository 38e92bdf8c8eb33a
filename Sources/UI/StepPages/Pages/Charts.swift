internal import StepDomain
internal import StepViews

/// The charts of days, each with the table of its numbers.
struct Charts: Sendable {
    let context: PageContext

    // MARK: Days

    /// A bar for each day of a week, a month or a short range.
    func days(_ statistics: PeriodStatistics, title: String) -> Markup {
        let days = statistics.days
        let isShort = days.count <= 10
        let bars = days.map { day in
            let number = day.day.components.day
            let label =
                isShort
                ? "\(day.day.weekday.shortName) \(number)"
                : days.count <= 31 || number == 1 || number % 10 == 0 ? "\(number)" : ""
            return SVGBarChart.Bar(
                label: label, steps: day.shownSteps, running: day.runningSteps ?? 0, goal: day.goal, isPartial: day.isDrawnPartial,
                link: context.link(to: day.day), title: day.title)
        }
        return figure(title, SVGBarChart(bars: bars, summary: summary(title, statistics)).svg, legend: legend(days)) { daysTable(days) }
    }

    func summary(_ title: String, _ statistics: PeriodStatistics) -> String {
        guard let total = statistics.total, let best = statistics.best, let steps = best.steps else {
            return "\(title): nothing known. The numbers follow."
        }
        return
            "\(title): \(Words.count(total, "step")) in all; most on \(Words.date(best.day)), \(Words.grouped(steps)). The numbers follow in a table."
    }

    private func legend(_ days: [DayFigures]) -> Markup {
        ChartPatterns.legend(
            hasRunning: days.contains { $0.runningSteps ?? 0 > 0 }, hasGoal: days.contains { $0.goal != nil },
            hasPartial: days.contains(where: \.isDrawnPartial), hasUnknown: days.contains { $0.shownSteps == nil })
    }

    /// Every day with all its numbers. In a file, the rows are where the heat map leads to.
    func daysTable(_ days: [DayFigures]) -> Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { "Steps by day" }
                head(["Day", "Steps", "Running", "Goal", "% of goal", "km", "kcal", "Known"])
                Element.tbody { days.map(row) }
            }
        }
    }

    private func row(_ day: DayFigures) -> Markup {
        Element.tr(context.isLocal ? nil : Attribute(.id, "day-\(day.day)")) {
            Element.th(Attribute(.scope, "row")) {
                if context.isLocal { Element.a(.href(context.link(to: day.day))) { "\(day.day)" } } else { "\(day.day)" }
                " \(day.day.weekday.shortName)"
            }
            Element.td { HistoryView.wrong(day) == nil ? day.steps.map(Words.grouped) ?? "unknown" : "wrong" }
            Element.td { day.runningSteps.map(Words.grouped) ?? "" }
            Element.td { day.goal.map(Words.grouped) ?? (day.isRestDay ? "rest" : "") }
            Element.td { day.percentage.map { "\(Int($0.rounded(.down)))" } ?? "" }
            Element.td { day.distance.map { Words.fixed($0 / 1000, 2) } ?? "" }
            Element.td { day.energy.map(Words.grouped) ?? "" }
            Element.td { state(day) }
        }
    }

    private func state(_ day: DayFigures) -> String {
        if day.isCorrected { return "by hand" }
        if day.isInProgress { return "so far" }
        return day.completeness.rawValue
    }

    // MARK: Weeks, months, years

    /// A bar for each part of a period: its mean steps a day, so that months of 28 and 31 days, and of unknown days, can be compared.
    func means(_ parts: [PeriodStatistics], title: String) -> Markup {
        let bars = parts.map { part in
            let isDoubtful = 4 * (part.partialDays + part.unknownDays) > part.days.count
            return SVGBarChart.Bar(
                label: label(part.period), steps: part.perDay.map { Int($0.steps.rounded()) },
                running: part.perDay.map { Int($0.running.rounded()) } ?? 0,
                goal: part.meanGoal.map { Int($0.rounded()) }, isPartial: isDoubtful && part.perDay != nil, link: context.link(to: part.period),
                title: words(part))
        }
        let known = parts.filter { $0.mean != nil }
        let most = known.max { $0.mean ?? 0 < $1.mean ?? 0 }
        let summary =
            "\(title). "
            + (most.map { "Most: \($0.period.title), \(Words.grouped(Int(($0.mean ?? 0).rounded()))) steps a day. " } ?? "Nothing known. ")
            + "The numbers follow in a table."
        let legend = ChartPatterns.legend(
            hasRunning: bars.contains { $0.running > 0 }, hasGoal: bars.contains { $0.goal != nil },
            hasPartial: bars.contains(where: \.isPartial),
            hasUnknown: bars.contains { $0.steps == nil }, partial: "more than a quarter of the days partial or unknown")
        return figure(title, SVGBarChart(bars: bars, summary: summary).svg, legend: legend) { partsTable(parts) }
    }

    private func label(_ period: Period) -> String {
        switch period.unit {
        case .month: String(Words.month(period.days.lowerBound).prefix(3))
        case .week: period.isoWeek.map { "\($0.week)" } ?? "\(period.days.lowerBound.components.day)"
        default: period.title
        }
    }

    private func words(_ part: PeriodStatistics) -> String {
        guard let perDay = part.perDay else { return "\(part.period.title): nothing known" }
        if part.mean == nil { return "\(part.period.title): \(Words.count(part.total ?? 0, "step")), today so far" }
        return "\(part.period.title): \(Words.grouped(Int(perDay.steps.rounded()))) steps a day, \(Words.count(part.total ?? 0, "step")) in all"
    }

    /// - Parameter caption: nil for the unit of the parts.
    func partsTable(_ parts: [PeriodStatistics], caption: String? = nil) -> Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { caption ?? "Steps by \(parts.first?.period.unitName ?? "period")" }
                head(["Period", "Total", "Mean a day", "Median", "Goal days", "km", "Unknown days", "Partial days"])
                Element.tbody {
                    parts.map { part in
                        Element.tr {
                            Element.th(Attribute(.scope, "row")) {
                                if let link = context.link(to: part.period) {
                                    Element.a(.href(link)) { part.period.title }
                                } else {
                                    part.period.title
                                }
                            }
                            Element.td { part.total.map(Words.grouped) ?? "unknown" }
                            Element.td { part.mean.map { Words.grouped(Int($0.rounded())) } ?? "" }
                            Element.td { part.median.map { Words.grouped(Int($0.rounded())) } ?? "" }
                            Element.td { part.daysWithGoal == 0 ? "" : "\(part.goalDays) of \(part.daysWithGoal)" }
                            Element.td { part.distance.map { Words.fixed($0 / 1000, 1) } ?? "" }
                            Element.td { "\(part.unknownDays)" }
                            Element.td { "\(part.partialDays)" }
                        }
                    }
                }
            }
        }
    }

    // MARK: The year

    func heatMap(_ statistics: PeriodStatistics, title: String) -> Markup {
        let cells = statistics.days.map { day in
            SVGHeatMap.Cell(
                day: day.day, steps: day.shownSteps, goal: day.goal, isPartial: day.isDrawnPartial, link: context.link(to: day.day),
                title: day.title)
        }
        let map = SVGHeatMap(cells: cells, firstWeekday: context.weekStart, summary: summary(title, statistics))
        return figure(title, map.svg, legend: SVGHeatMap.legend) { daysTable(statistics.days) }
    }

    func weekdayHours(_ statistics: PeriodStatistics) -> Markup {
        let weekdays = statistics.weekdays
        var means = [[Double?]?](repeating: nil, count: 7)
        for day in weekdays { means[day.weekday.rawValue - 1] = (0..<24).map { day.mean(hour: $0) } }
        let chart = WeekdayHours(
            means: means, firstWeekday: context.weekStart,
            summary: "Mean steps of each hour of each weekday, \(statistics.period.title). The numbers follow in a table.")
        return figure("Weekdays and hours: mean steps", chart.svg, legend: WeekdayHours.legend) {
            Element.div(.css("wide")) {
                Element.table {
                    Element.caption {
                        "Mean steps by weekday and hour, of the days that are over and on which the hour is known; the first figure is of the whole day"
                    }
                    head(["Weekday", "Days", "Mean"] + (0..<24).map { "\($0)" })
                    Element.tbody {
                        weekdays.map { day in
                            Element.tr {
                                Element.th(Attribute(.scope, "row")) { day.weekday.title }
                                Element.td { "\(day.days)" }
                                Element.td { day.mean.map { Words.grouped(Int($0.rounded())) } ?? (day.isOver ? "unknown" : "") }
                                (0..<24).map { hour in
                                    Element.td { day.mean(hour: hour).map { Words.grouped(Int($0.rounded())) } ?? (day.isOver ? "?" : "") }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Parts

    func head(_ names: [String]) -> Markup {
        Element.thead { Element.tr { names.map { name in Element.th(Attribute(.scope, "col")) { name } } } }
    }

    /// A chart with what its tones mean, and its numbers to be unfolded.
    func figure(_ title: String, _ chart: Markup, legend: Markup, @MarkupBuilder table: () -> Markup) -> Markup {
        Element.figure {
            Element.figcaption { title }
            // On a narrow screen its words would be too small to be read.
            Element.div(.css("scroll")) { chart }
            legend
            Element.details {
                Element.summary { "The numbers: \(title)" }
                table()
            }
        }
    }
}
