package import StepDomain
internal import StepViews

/// All figures of a range of days in one self-contained document: no scripts, no external resources.
package struct ReportPage: Sendable {
    /// A pedometer of the user, for what is known of where the figures come from.
    package struct Source: Hashable, Sendable {
        package var name: String
        package var model: String
        /// Its history is stored up to then.
        package var readThrough: Timestamp?
        /// The last sync that was complete.
        package var lastSync: Timestamp?

        package init(name: String, model: String, readThrough: Timestamp?, lastSync: Timestamp?) {
            self.name = name
            self.model = model
            self.readThrough = readThrough
            self.lastSync = lastSync
        }
    }

    let figures: DaySeries
    let period: Period
    let sources: [Source]
    let context: PageContext

    /// - Parameter period: what is reported; clipped at the first known day and today.
    package init(_ figures: DaySeries, period: Period, sources: [Source], context: PageContext) {
        self.figures = figures
        self.period = period
        self.sources = sources
        self.context = context
    }

    /// Whether a file is a report, which a new one may replace.
    ///
    /// - Parameter beginning: of the file, at least 4096 bytes of it if it has as many.
    package static func isReport(beginning: String) -> Bool {
        guard beginning.hasPrefix(Markup.doctype.source) else { return false }
        // The first reports did not name their generator. Their titles, with a name of at most 32 characters, are those of `document`.
        return beginning.contains(PageFrame.generator.source) || beginning.contains("<title>Steps of ") && beginning.contains(" – istep</title>")
    }

    private var charts: Charts { Charts(context: context) }
    private var name: String { Printable(context.user.name, limit: 32).description }

    package var document: Markup {
        let statistics = figures.statistics(of: period)
        let title = "Steps of \(name), " + (statistics.shown.map { Period($0).title } ?? period.title)
        return PageFrame(title: title, context: context).document {
            Element.h1 { title }
            Element.p(.css("faint")) {
                "Created on \(Words.clock(context.now, context.localTime)) by istep from the history on this machine."
            }
            if statistics.days.isEmpty {
                Element.section { Element.p { "Nothing is known of these days." } }
            } else {
                content(statistics)
            }
            provenance(statistics)
        }
    }

    @MarkupBuilder private func content(_ statistics: PeriodStatistics) -> Markup {
        Tiles(statistics, comparison: figures.comparison(of: period), streaks: figures.streaks, unit: "span").markup
        let years = figures.statistics(of: period, by: .year)
        if years.count > 1 {
            charts.means(years, title: "Years: mean steps a day")
            contents(years)
        }
        if statistics.days.count > 45 { charts.weekdayHours(statistics) }
        // The latest is what a reader looks for.
        for year in years.reversed() { self.year(year, isOnly: years.count == 1) }
    }

    private func contents(_ years: [PeriodStatistics]) -> Markup {
        Element.nav(Attribute(.ariaLabel, "Years"), .css("turn")) {
            years.reversed().map { year in Element.a(.href(Link(fragment: "year-\(year.period.title)"))) { year.period.title } }
        }
    }

    @MarkupBuilder private func year(_ year: PeriodStatistics, isOnly: Bool) -> Markup {
        let part = Period(year.shown ?? year.period.days, weekStart: context.weekStart)
        Element.h2(Attribute(.id, "year-\(year.period.title)")) { year.period.title }
        if !isOnly { Tiles(year, comparison: figures.comparison(of: year.period), streaks: figures.streaks, unit: "year").markup }
        if year.days.count <= 45 {
            charts.days(year, title: "Days of \(part.title)")
        } else {
            charts.heatMap(year, title: "Every day of \(year.period.title)")
            charts.means(figures.statistics(of: part, by: .month), title: "Months of \(year.period.title): mean steps a day")
        }
        if year.days.count > 7 {
            charts.means(figures.statistics(of: part, by: .week), title: "Weeks of \(year.period.title): mean steps a day")
        }
        if isOnly, year.days.count <= 45 { charts.weekdayHours(year) }
    }

    private func provenance(_ statistics: PeriodStatistics) -> Markup {
        Element.section {
            Element.h2 { "Where the figures come from" }
            if sources.isEmpty { Element.p { "No pedometer is registered now." } }
            if !sources.isEmpty { table }
            let corrected = statistics.days.filter(\.isCorrected)
            if !corrected.isEmpty {
                Element.p {
                    "Entered by hand in place of what was counted: "
                    corrected.map { day in
                        let entered = day.correctedAt.map { ", entered on \(Words.clock($0, context.localTime))" } ?? ""
                        let counted = day.countedSteps.map(Words.grouped) ?? "nothing"
                        return "\(day.day) (\(day.steps.map(Words.grouped) ?? "unknown"), counted \(counted)\(entered))"
                    }.joined(separator: ", ")
                    "."
                }
            }
            Element.p {
                "\(Words.count(statistics.completeDays, "day")) complete, \(statistics.partialDays) partial, \(statistics.unknownDays) unknown. "
                "Unknown days are never counted as 0; means and medians are of the known days that are over. Goals are those that were in force on each day."
            }
        }
    }

    private var table: Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { "Pedometers in use" }
                charts.head(["Pedometer", "Model", "Steps stored up to", "Last complete sync"])
                Element.tbody {
                    sources.map { source in
                        Element.tr {
                            Element.th(Attribute(.scope, "row")) { PageContext.name(source.name) }
                            Element.td(.css("words")) { source.model }
                            Element.td { source.readThrough.map { Words.clock($0, context.localTime) } ?? "never" }
                            Element.td { source.lastSync.map { Words.clock($0, context.localTime) } ?? "never" }
                        }
                    }
                }
            }
        }
    }
}
