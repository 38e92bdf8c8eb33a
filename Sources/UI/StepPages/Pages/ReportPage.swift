package import StepDomain
internal import StepViews

/// All figures of a range of days in one self-contained document: no scripts, no external resources.
package struct ReportPage: Sendable {
    /// A pedometer of the user or a source of imports, for what is known of where the figures come from.
    package struct Source: Hashable, Sendable {
        package var name: String
        package var model: String
        package var isImported: Bool
        /// Its history is stored up to then.
        package var readThrough: Timestamp?
        /// The last sync that was complete, or the last import.
        package var lastSync: Timestamp?

        package init(
            name: String, model: String, isImported: Bool = false, readThrough: Timestamp?, lastSync: Timestamp?
        ) {
            self.name = name
            self.model = model
            self.isImported = isImported
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
        // The first reports did not name their generator. Their titles, with a name of at most 32 characters, are those
        // of `document`.
        return beginning.contains(PageFrame.generator.source)
            || beginning.contains("<title>Steps of ") && beginning.contains(" – istep</title>")
    }

    private var name: String { Printable(context.user.name, limit: 32).description }
    private static let tables = Link(fragment: "tables")
    private var days: DayCharts { DayCharts(figures: figures, context: context, tables: Self.tables) }
    private var parts: PartCharts { PartCharts(figures: figures, context: context, tables: Self.tables) }

    package var document: Markup {
        let statistics = figures.statistics(of: period)
        let years = figures.statistics(of: period, by: .year)
        let title = "Steps of \(name), " + (statistics.shown.map { Period($0).title } ?? period.title)
        return PageFrame(title: title, context: context).document {
            Element.h1 { title }
            Element.p(.css("muted small")) {
                "Created \(context.clock(context.now)) by istep from the history on this machine."
            }
            if statistics.days.isEmpty {
                Element.section(.css("card")) { Element.p { "Nothing is known of these days." } }
            } else {
                contents(years)
                whole(statistics, years)
                // The latest is what a reader looks for.
                for year in years.reversed() { self.year(year) }
                tables(years)
            }
            provenance(statistics)
        }
    }

    private func contents(_ years: [PeriodStatistics]) -> Markup {
        let chapters = [("whole", "All days")] + years.reversed().map { ("year-\($0.period.title)", $0.period.title) }
        return Element.nav(.css("contents"), Attribute(.ariaLabel, "Contents")) {
            (chapters + [("tables", "Tables"), ("sources", "Sources")]).map { id, words in
                Element.a(.href(Link(fragment: id))) { words }
            }
        }
    }

    @MarkupBuilder private func chapter(_ title: String, _ id: String) -> Markup {
        Element.h2(.css("chapter"), Attribute(.id, id)) { title }
    }

    // MARK: All days

    @MarkupBuilder private func whole(_ statistics: PeriodStatistics, _ years: [PeriodStatistics]) -> Markup {
        let words = PeriodFigures(statistics: statistics, figures: figures, context: context)
        chapter("All days", "whole")
        words.wrong
        Element.div(.css("grid")) {
            Element.section(.css("card"), Attribute(.ariaLabel, "Figures")) { words.stats }
            if years.count > 1 { Card.section("Years") { yearTable(years).markup } }
            if statistics.days.count > 45 { hours(statistics) }
            Card.section("More figures") { words.facts(inTwo: true) }
        }
    }

    private func yearTable(_ years: [PeriodStatistics]) -> Table {
        Table(
            caption: "the years",
            columns: [
                .words("Year"), .number("Steps a day"), .number("Median"), .number("Goal days"), .number("Best day"),
                .number("Total"),
                .number(context.units.distanceUnit),
            ],
            rows: years.reversed().map { year in
                let cells = [
                    year.mean.map(Words.grouped) ?? "", year.median.map(Words.grouped) ?? "", PartCharts.goalDays(year),
                    year.best?.steps.map(Words.grouped) ?? "", year.total.map(Words.grouped) ?? "unknown",
                    year.distance.map(context.units.number(distance:)) ?? "",
                ]
                let link = Element.a(.href(Link(fragment: "year-\(year.period.title)"))) { year.period.title }
                return Table.Row(link, cells.map { .text($0) })
            }, isCards: true)
    }

    @MarkupBuilder private func hours(_ statistics: PeriodStatistics) -> Markup {
        let chart = WeekdayHours(
            weekdays: statistics.weekdays,
            summary: "Mean steps of each hour of each weekday. The numbers are in a table at the end.")
        Card.chart("Weekdays and hours", aside: Card.remark("mean steps"), drawing: chart.markup) {
            chart.legend
            Element.a(.css("small"), .href(Self.tables)) { "Numbers" }
        }
    }

    // MARK: A year

    @MarkupBuilder private func year(_ year: PeriodStatistics) -> Markup {
        let part = Period(year.shown ?? year.period.days, weekStart: context.weekStart)
        chapter(year.period.title, "year-\(year.period.title)")
        Element.div(.css("grid")) {
            if year.days.count <= 45 {
                days.bars(part, title: "Days of \(part.title)")
            } else {
                days.calendar(year, title: "Days of \(part.title)")
                // Of a report of a part of the year, no month and no mean has other days.
                let isWhole = figures.statistics(of: year.period).shown == year.shown
                parts.means(isWhole ? year.period : part, by: .month, title: "Months: steps a day", "s6")
            }
            if year.days.count > 7 {
                parts.means(part, by: .week, title: "Weeks: steps a day", year.days.count <= 45 ? "" : "s6")
            }
        }
    }

    // MARK: Tables

    @MarkupBuilder private func tables(_ years: [PeriodStatistics]) -> Markup {
        let statistics = figures.statistics(of: period)
        chapter("Tables", "tables")
        Element.section(.css("card tables")) {
            if statistics.days.count > 45 {
                folded(WeekdayHours(weekdays: statistics.weekdays, summary: "").table, "Weekdays and hours")
            }
            for year in years.reversed() {
                let part = Period(year.shown ?? year.period.days, weekStart: context.weekStart)
                for unit in [Period.Unit.month, .week] {
                    let shown = figures.statistics(of: part, by: unit).map {
                        (part: $0, before: PeriodStatistics?.none)
                    }
                    if shown.count > 1 {
                        let name = "\(unit == .month ? "Months" : "Weeks") of \(year.period.title)"
                        folded(parts.table(shown, caption: name), name)
                    }
                }
                folded(
                    days.longTable(year.days, caption: "steps by day of \(year.period.title)"),
                    "Days of \(year.period.title)")
            }
        }
    }

    private func folded(_ table: Table, _ title: String) -> Markup {
        Element.details(.css("numbers")) {
            Element.summary { title }
            Element.div(.css("scroll")) { table.markup }
        }
    }

    // MARK: Sources

    @MarkupBuilder private func provenance(_ statistics: PeriodStatistics) -> Markup {
        let corrected = statistics.days.filter(\.isCorrected)
        chapter("Sources", "sources")
        Element.div(.css("grid")) {
            let hasImports = sources.contains(where: \.isImported)
            Card.section(hasImports ? "Pedometers and imports" : "Pedometers", corrected.isEmpty ? "" : "s6") {
                if sources.isEmpty { Element.p(.css("muted")) { "No pedometer is registered now." } }
                if !sources.isEmpty { Element.ul(.css("rows")) { sources.map(row) } }
            }
            if !corrected.isEmpty {
                Card.section("Entered by hand", "s6") {
                    Figure.facts(
                        corrected.map { day in
                            let entered = day.correctedAt.map { "; entered \(context.clock($0))" } ?? ""
                            let counted = day.countedSteps.map(Words.grouped) ?? "nothing"
                            return Figure(
                                context.date(day.day), day.steps.map(Words.grouped) ?? "unknown",
                                "counted \(counted)\(entered)")
                        })
                }
            }
            Card.section("How the figures are calculated") {
                Element.p {
                    "\(Words.count(statistics.completeDays, "day")) complete, \(statistics.partialDays) partial, \(statistics.unknownDays) unknown. "
                    "Unknown days never count as 0; means and medians are of the known days before today. The goal of a day is the one that held on it."
                }
            }
        }
    }

    private func row(_ source: Source) -> Markup {
        if source.isImported { return row(source, source.lastSync.map { ", imported \(context.clock($0))" } ?? "") }
        let stored = source.readThrough.map { ", stored up to \(context.clock($0))" } ?? ", nothing stored yet"
        let last = source.lastSync.map { "last complete sync \(context.clock($0))" } ?? "no complete sync yet"
        return row(source, "\(stored); \(last)")
    }

    private func row(_ source: Source, _ words: String) -> Markup {
        Element.li {
            Element.div(.css("what")) {
                Element.strong { PageContext.name(source.name) }
                Card.remark("\(source.model)\(words)")
            }
        }
    }
}
