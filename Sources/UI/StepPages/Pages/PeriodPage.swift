internal import StepDomain
internal import StepViews

/// A week, a month, a year or any range: figures, charts, and the way to the one before and after it.
struct PeriodPage: Sendable {
    let figures: DaySeries
    let period: Period
    let context: PageContext

    private var days: DayCharts { DayCharts(figures: figures, context: context) }
    private var parts: PartCharts { PartCharts(figures: figures, context: context) }

    var document: Markup {
        let day = period.days.contains(figures.today) ? figures.today : min(period.decidingDay, figures.today)
        let (path, query) = period.address
        let frame = PageFrame(
            title: DateBar.title(period), context: context, section: .history, path: path, query: query, day: day)
        return frame.document {
            DateBar(period: period, figures: figures, context: context).markup
            content
        }
    }

    @MarkupBuilder var content: Markup {
        let statistics = figures.statistics(of: period)
        if statistics.days.isEmpty {
            NoticeBox.markup(.plain, nothing) {
                if let known = figures.known {
                    Element.p(.css("small")) {
                        "The history covers \(context.days(known.lowerBound, known.upperBound))."
                    }
                }
            }
        } else {
            let words = PeriodFigures(statistics: statistics, figures: figures, context: context)
            words.wrong
            Element.div(.css("grid")) {
                Element.section(.css("card"), Attribute(.ariaLabel, "Figures")) { words.stats }
                if period.unit == .year || period.count > Self.maximumBars {
                    long(statistics, words)
                } else {
                    short(words)
                }
            }
            Link.downloads(
                of: context.link(to: period), period.unit?.rawValue ?? "range", hasPicture: period.unit == .year)
        }
    }

    /// With more days, a calendar is clearer than bars.
    private static let maximumBars = 92

    @MarkupBuilder private func short(_ words: PeriodFigures) -> Markup {
        // A range may end after today, where nothing can be known.
        let shown =
            period.unit == nil
            ? Period(period.days.clamped(to: period.days.lowerBound...figures.today), weekStart: period.weekStart)
            : period
        let hasWeeks = period.count > 14
        let isBesideFigures = !hasWeeks && period.count <= 10
        days.bars(shown, title: "Days", isBesideFigures ? "s8" : "", height: isBesideFigures ? 300 : 230)
        if hasWeeks { parts.means(period, by: .week, title: "Weeks: steps a day", "s8", height: 300) }
        facts(words)
        // From the shortest month on.
        if period.count >= 28 { trend(shown) }
        weekdayHours
    }

    @MarkupBuilder private func long(_ statistics: PeriodStatistics, _ words: PeriodFigures) -> Markup {
        calendars(statistics)
        parts.means(
            period, by: .month, title: "Months: steps a day", "s8", height: 300,
            isBesideYearBefore: period.unit == .year)
        facts(words)
        trend(period)
        hours(statistics, "mean steps", "s8")
        weekdays(statistics)
    }

    private func facts(_ words: PeriodFigures) -> Markup { Card.section("More figures", "s4") { words.facts } }

    /// A calendar of the period or, for more than a year, the years and a calendar of each, as in a report: a reader
    /// looks for the latest.
    @MarkupBuilder private func calendars(_ statistics: PeriodStatistics) -> Markup {
        if statistics.days.count > DayCharts.maximumDaysOfCalendar {
            parts.means(period, by: .year, title: "Years: steps a day")
            figures.statistics(of: period, by: .year).reversed().map { days.calendar($0, title: "Days of \(name($0))") }
        } else {
            days.calendar(statistics, title: "Days", aside: Card.remark("select a day to open it"))
        }
    }

    /// `2025`, or the days of it that are shown.
    private func name(_ year: PeriodStatistics) -> String {
        year.days.count == year.period.count
            ? year.period.title : year.shown.map { Period($0).title } ?? year.period.title
    }

    @MarkupBuilder private func trend(_ period: Period) -> Markup {
        if let known = figures.known, known.overlaps(period.days) {
            let first = max(period.days.lowerBound, known.lowerBound)
            let week = figures.means(over: TrendChart.week, to: period.days)
            let month = figures.means(over: TrendChart.month, to: period.days)
            let days = week.indices.map { first.advanced(by: $0) }
            if month.contains(where: { $0 != nil }) {
                let last =
                    month.last.flatMap(\.self).map {
                        "; at the end \(Words.grouped($0)) a day in \(TrendChart.month) days"
                    } ?? ""
                let chart = TrendChart(
                    first: first, week: week, month: month,
                    summary: "M\(TrendChart.words.dropFirst())\(last). The numbers follow in a table.",
                    months: DayCharts.marks(days))
                Card.chart("Trend: steps a day", aside: TrendChart.legend, drawing: chart.markup) {
                    chart.table(context).numbers
                }
            }
        }
    }

    // MARK: Weekdays and hours

    /// Of a short period, those of the weeks before its end: one week has too few days for means.
    @MarkupBuilder private var weekdayHours: Markup {
        if period.unit != .day {
            let end = min(period.days.upperBound, figures.today)
            hours(
                figures.statistics(of: figures.weeks(before: end.advanced(by: 1), weekStart: context.weekStart)),
                "mean steps, the \(DaySeries.usualWeeks) weeks to \(context.date(end))", "")
        }
    }

    @MarkupBuilder private func hours(_ statistics: PeriodStatistics, _ remark: String, _ classes: String) -> Markup {
        let weekdays = statistics.weekdays
        if weekdays.contains(where: { day in (0..<24).contains { day.mean(hour: $0) != nil } }) {
            let chart = WeekdayHours(
                weekdays: weekdays, summary: "Mean steps of each hour of each weekday. The numbers follow in a table.")
            Card.chart("Weekdays and hours", classes, aside: Card.remark(remark), drawing: chart.markup) {
                chart.legend
                chart.table.numbers
            }
        }
    }

    private func weekdays(_ statistics: PeriodStatistics) -> Markup {
        let chart = WeekdayBars(
            weekdays: statistics.weekdays, summary: "Mean steps a day of each weekday. The numbers follow in a table.")
        return Card.chart("Weekdays: steps a day", "s4", drawing: chart.markup) { chart.table.numbers }
    }

    private var nothing: String {
        if period.days.lowerBound > figures.today { return "These days have not begun." }
        return figures.known == nil
            ? "Nothing is known yet. Sync a pedometer to begin." : "These days are before the first known day."
    }
}
