public import StepDomain

/// A week, month, year or any range of a user's days: bars, and what they add up to.
public struct HistoryView: View {
    /// What each bar stands for.
    public enum Grouping: String, Hashable, Sendable, Codable, CaseIterable {
        case day, week, month, year, weekday, hour

        var unit: Period.Unit? { Period.Unit(rawValue: rawValue) }
    }

    public let figures: DaySeries
    public let period: Period
    public let grouping: Grouping
    public let statistics: PeriodStatistics
    public let comparison: Comparison?
    /// Whether there are pedometers: what a user does first where nothing is known.
    private let hasPedometers: Bool

    /// - Parameter grouping: nil for one that fits the period: at most 31 days, 26 weeks or 36 months, else years.
    public init(_ figures: DaySeries, _ period: Period, by grouping: Grouping? = nil, hasPedometers: Bool = true) {
        self.figures = figures
        self.period = period
        self.grouping = grouping ?? Self.fitting(figures[period.days].count, period)
        self.hasPedometers = hasPedometers
        statistics = figures.statistics(of: period)
        comparison = figures.comparison(of: period)
    }

    private static func fitting(_ days: Int, _ period: Period) -> Grouping {
        if period.unit == .year { return .month }
        return switch days {
        case ...31: .day
        case ...(26 * 7): .week
        case ...(36 * 31): .month
        default: .year
        }
    }

    /// The parts of the period that the bars stand for; empty where these are weekdays or hours.
    public var parts: [PeriodStatistics] { grouping.unit.map { figures.statistics(of: period, by: $0) } ?? [] }

    // MARK: Text

    public func lines(_ style: TextStyle) -> [String] { lines(style, marking: nil) }

    /// What stays on the screen of a browser while the rest scrolls: the title, and the most important figures.
    public func browserHead(_ style: TextStyle) -> [String] {
        let style = style.wide
        guard style.columns >= TextStyle.narrowest, let known = figures.known else { return [] }
        var page = TextPage(style)
        title(on: &page, known)
        if known.lowerBound <= period.days.upperBound { summary(on: &page) { Self.head.contains($0) } }
        return page.lines
    }

    /// The rest, without the commands that show other periods: keys do that.
    ///
    /// - Parameter marked: the bar of this day, or of the month with it, is marked.
    public func browserLines(_ style: TextStyle, marking marked: Day) -> [String] { lines(style, marking: marked) }

    /// The labels of the summary that are in the head.
    private static let head: Set = ["Total", "Mean", "Goal"]

    private func title(on page: inout TextPage, _ known: ClosedRange<Day>) {
        let user = StyledText(Printable(figures.user.name, limit: 32).description, .strong)
        page.wrap(user + " · " + StyledText(period.title, .strong), hanging: 2)
        if period.days.lowerBound < known.lowerBound {
            page.wrap(StyledText("  The history begins on \(known.lowerBound).", .faint), hanging: 2)
        }
    }

    /// - Parameter marked: nil for text that is printed.
    private func lines(_ style: TextStyle, marking marked: Day?) -> [String] {
        let style = style.wide
        guard style.columns >= TextStyle.narrowest else {
            // Bars that are wrapped cannot be read.
            var words = NarrowLines(columns: style.columns)
            words.add("A terminal of at least \(TextStyle.narrowest) columns is needed; this one has \(style.columns).")
            return words.lines
        }
        var page = TextPage(style)
        guard let known = figures.known else {
            page.wrap(StyledText(Printable(figures.user.name, limit: 32).description, .strong))
            page.blank()
            page.advice(
                hasPedometers
                    ? "Nothing is known yet. Read your pedometers: \(command: "istep sync")"
                    : .firstPedometer("Nothing is known yet."))
            return page.lines
        }
        if marked == nil { title(on: &page, known) }
        if period.days.upperBound < known.lowerBound {
            if marked == nil {
                page.advice("Nothing is known of these days. All others: \(command: "istep history all")")
            }
            return page.lines
        }
        page.blank()
        if statistics.days.count > 62 || period.unit == .year, grouping.unit != nil { heatMap(on: &page) }
        bars(on: &page, marking: marked)
        page.blank()
        summary(on: &page) { marked == nil || !Self.head.contains($0) }
        if marked == nil { neighbours(on: &page) }
        return page.lines
    }

    private func heatMap(on page: inout TextPage) {
        // The last year of a longer period: more would not fit on a screen.
        let map = TextHeatMap(days: Array(statistics.days.suffix(371)), weekStart: period.weekStart, style: page.style)
        for row in map.rows { page.row(row) }
        page.items(map.legend)
        page.blank()
    }

    private func bars(on page: inout TextPage, marking marked: Day?) {
        let chart = TextBarChart(
            bars: HistoryBars(view: self, isNarrow: page.style.width < 56, marked: marked).bars,
            width: page.style.width)
        guard !chart.bars.isEmpty else {
            let isOver = statistics.days.contains { !$0.isInProgress }
            return page.wrap(
                StyledText(
                    statistics.days.isEmpty || isOver
                        ? "  Nothing is known of the hours of these days."
                        : "  None of these days is over yet. Means by hour and weekday are of days that are over.",
                    .faint),
                hanging: 2)
        }
        chart.draw(on: &page)
        page.items(chart.legend)
        let map =
            grouping == .hour ? HourMap(weekdays: statistics.weekdays.filter(\.isOver), style: page.style).rows : []
        if map.isEmpty { return }
        page.blank()
        page.row(StyledText("  Steps by weekday and hour", .faint))
        for row in map { page.row(row) }
    }

    /// - Parameter isWanted: of a label.
    private func summary(on page: inout TextPage, where isWanted: (String) -> Bool) {
        for entry in HistorySummary(view: self, units: page.style.units).entries where isWanted(entry.label) {
            page.labelled(entry.label, entry.text)
            if let hint = entry.hint { page.advice(hint, emphasis: .faint, indent: 12) }
        }
    }

    /// The commands that show the periods around this one.
    private func neighbours(on page: inout TextPage) {
        guard let unit = period.unit, let known = figures.known else { return }
        let style = page.style
        func command(_ period: Period?) -> String? {
            guard let period, known.overlaps(period.days) else { return nil }
            // A week of ISO 8601 has a name wherever weeks begin.
            let words =
                period.isoWeek.map { "\($0.year)-W\($0.week < 10 ? "0" : "")\($0.week)" }
                ?? "\(unit.rawValue) --on \(max(period.days.lowerBound, known.lowerBound))"
            return style.text(of: ShellCommand("istep history \(words)"))
        }
        let commands = [("  Previous:", command(period.previous)), ("  Next:", command(period.next))]
        if commands.allSatisfy({ $0.1 == nil }) { return }
        page.blank()
        for case (let label, let command?) in commands { page.path(label, command, emphasis: .faint) }
    }
}

extension HistoryView {
    /// While the sums of days are calculated for the first time. Nil for few days: only after an upgrade are there
    /// many; the days of a sync take no time.
    public static func words(forCalculating done: Int, of all: Int) -> String? {
        all - done <= 100 ? nil : "Calculating daily sums: \(Words.grouped(done)) of \(Words.count(all, "day"))"
    }

    /// What is wrong with the steps of a day; nil if they are possible. A view shows this in place of a figure that is
    /// not possible.
    package static func wrong(_ day: DayFigures) -> String? {
        guard let steps = day.steps, !day.isPlausible else { return nil }
        return steps < 0 ? "\(steps) is negative" : "more than anyone walks in a day"
    }

    /// The same of the days of a period, whose figures include them; nil if all can be.
    package static func wrong(in statistics: PeriodStatistics) -> String? {
        let days = statistics.implausibleDays
        guard let first = days.first, let reason = wrong(first) else { return nil }
        let date = Words.range(first.day...first.day)
        if days.count == 1 { return "\(date) is wrong: \(reason). The figures include it." }
        return
            "\(Words.count(days.count, "day")) are wrong, the first of them \(date): \(reason). The figures include them."
    }
}
