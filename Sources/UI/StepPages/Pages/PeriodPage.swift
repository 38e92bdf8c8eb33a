package import StepDomain
internal import StepViews

/// A week, a month, a year or any range: tiles, charts, and the way to the one before and after it.
package struct PeriodPage: Sendable {
    let figures: DaySeries
    let period: Period
    let context: PageContext

    package init(_ figures: DaySeries, period: Period, context: PageContext) {
        self.figures = figures
        self.period = period
        self.context = context
    }

    private var charts: Charts { Charts(context: context) }

    private var section: PageFrame.Section? { period.unit.flatMap { PageFrame.Section(rawValue: $0.rawValue) } }

    package var document: Markup {
        PageFrame(title: period.title, context: context, section: section).document {
            Turn(period: period, figures: figures, context: context).markup
            Element.h1 { period.title }
            content
        }
    }

    @MarkupBuilder var content: Markup {
        let statistics = figures.statistics(of: period)
        if statistics.days.isEmpty {
            Element.section {
                Element.p { nothing }
                if let known = figures.known { Element.p { "The history covers \(known.lowerBound) to \(known.upperBound)." } }
            }
        } else {
            Tiles(statistics, comparison: figures.comparison(of: period), streaks: figures.streaks, unit: period.unitName).markup
            if period.unit == .year || period.count > 92 {
                charts.means(figures.statistics(of: period, by: .month), title: "Months: mean steps a day")
                maps(statistics)
            } else {
                charts.days(statistics, title: "Days")
                if period.count > 14 { charts.means(figures.statistics(of: period, by: .week), title: "Weeks: mean steps a day") }
            }
            charts.weekdayHours(statistics)
            downloads
        }
    }

    /// As many weeks as a map has columns.
    private static let mostDaysOfMap = 53 * 7

    /// A map of the period or, for more than a year, the years and a map of each, as in a report: a reader looks for the latest.
    @MarkupBuilder private func maps(_ statistics: PeriodStatistics) -> Markup {
        if statistics.days.count > Self.mostDaysOfMap {
            let years = figures.statistics(of: period, by: .year)
            charts.means(years, title: "Years: mean steps a day")
            years.reversed().map { year in charts.heatMap(year, title: "Every day of \(days(of: year))") }
        } else {
            charts.heatMap(statistics, title: "Every day of \(period.title)")
        }
    }

    /// `2025`, or the days of it that are shown.
    private func days(of year: PeriodStatistics) -> String {
        year.days.count == year.period.count ? year.period.title : year.shown.map { Period($0).title } ?? year.period.title
    }

    private var nothing: String {
        if period.days.lowerBound > figures.today { return "These days have not begun." }
        return figures.known == nil
            ? "Nothing is known yet. Sync a pedometer to begin." : "These days are before the first known day."
    }

    /// The numbers of the page for programs.
    @MarkupBuilder private var downloads: Markup {
        if let link = context.link(to: period) {
            Element.p(.css("faint")) {
                "The numbers of this page: "
                Element.a(.href(link.with(suffix: "json"))) { "JSON" }
                ", "
                Element.a(.href(link.with(suffix: "csv"))) { "CSV" }
                if period.unit == .year {
                    "; the year as a "
                    Element.a(.href(link.with(suffix: "svg"))) { "picture" }
                }
                "."
            }
        }
    }
}

/// The way to the period before and after, and to any date.
struct Turn: Sendable {
    let period: Period
    let figures: DaySeries
    let context: PageContext

    var markup: Markup {
        Element.nav(.css("turn"), Attribute(.ariaLabel, "Other \(period.unitName)s")) {
            step(
                period.previous.flatMap { $0.days.upperBound >= (figures.known?.lowerBound ?? figures.today) ? $0 : nil },
                "← Previous \(period.unitName)", "prev")
            step(period.next.flatMap { $0.days.lowerBound <= figures.today ? $0 : nil }, "Next \(period.unitName) →", "next")
            if period.unit != nil {
                Element.form(Attribute(.method, "get"), .action(Link(["go"]))) {
                    Element.input(Attribute(.type, "hidden"), Attribute(.name, "unit"), Attribute(.value, period.unitName))
                    if context.users.count > 1 {
                        Element.input(Attribute(.type, "hidden"), Attribute(.name, "user"), Attribute(.value, context.user.name))
                    }
                    picker("date", "Date", Self.shown(period.days, today: figures.today))
                    Element.button(Attribute(.type, "submit"), .css("quiet")) { "Go" }
                }
            }
            Element.form(Attribute(.method, "get"), .action(Link(["range"]))) {
                if context.users.count > 1 {
                    Element.input(Attribute(.type, "hidden"), Attribute(.name, "user"), Attribute(.value, context.user.name))
                }
                picker("from", "From", period.days.lowerBound)
                picker("to", "to", min(period.days.upperBound, figures.today))
                Element.button(Attribute(.type, "submit"), .css("quiet")) { "Show range" }
            }
        }
    }

    private static func shown(_ days: ClosedRange<Day>, today: Day) -> Day { days.contains(today) ? today : days.lowerBound }

    private func step(_ period: Period?, _ words: String, _ rel: String) -> Markup {
        guard let period, let link = context.link(to: period) else { return Element.span { words } }
        return Element.a(.href(link), Attribute(.rel, rel), Attribute(.accesskey, String(rel.prefix(1)))) { words }
    }

    @MarkupBuilder private func picker(_ name: String, _ label: String, _ day: Day) -> Markup {
        Element.label(Attribute(.for, name)) { label }
        Element.input(
            Attribute(.type, "date"), Attribute(.id, name), Attribute(.name, name), Attribute(.value, "\(day)"),
            Attribute(.max, "\(figures.today)"),
            Attribute(.required, true))
    }
}

extension Link {
    /// The same page for programs: `/month/2026-11.csv?user=anna`.
    func with(suffix: String) -> Link {
        let parts = text.split(separator: "?", maxSplits: 1)
        return Link(constant: "\(parts[0]).\(suffix)" + (parts.count > 1 ? "?\(parts[1])" : ""))
    }
}
