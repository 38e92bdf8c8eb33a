package import StepDomain
package import StepViews

/// A day: its figures, its hours, where they come from, and what was shared of it.
package struct DayPage: Sendable {
    /// The state of the day at a destination.
    package struct Share: Hashable, Sendable {
        package var destination: String
        /// Nil if the day was never considered for it.
        package var entry: ShareEntry?

        package init(destination: String, entry: ShareEntry?) {
            self.destination = destination
            self.entry = entry
        }
    }

    let view: DayView
    let figures: DaySeries
    let provenance: Provenance
    let shares: [Share]
    let notices: [StoredNotice]
    let context: PageContext

    package init(
        _ view: DayView, figures: DaySeries, provenance: Provenance, shares: [Share] = [], notices: [StoredNotice] = [], context: PageContext
    ) {
        self.view = view
        self.figures = figures
        self.provenance = provenance
        self.shares = shares
        self.notices = notices
        self.context = context
    }

    private var summary: DaySummary { view.summary }
    private var title: String { Words.date(summary.day) + (summary.day == view.today ? ", today" : "") }

    package var document: Markup {
        PageFrame(title: title, context: context, section: .day).document {
            Turn(period: Period(.day, containing: summary.day, weekStart: context.weekStart), figures: figures, context: context).markup
            Element.h1 { title }
            notices.map { NoticeBox(stored: $0, context: context).markup }
            if let known = figures.known, summary.day < known.lowerBound {
                Element.section { Element.p { "The history begins on \(known.lowerBound)." } }
            }
            DayTiles(view: view).markup
            hours
            if let words = view.deviceTotalWords { Element.section(.css("notice")) { Element.p { words } } }
            provenance.markup(summary, context)
            sharing
            if let link = context.link(to: Period(.day, containing: summary.day)) {
                Element.p(.css("faint")) {
                    "The numbers of this page: "
                    Element.a(.href(link.with(suffix: "json"))) { "JSON" }
                    ", "
                    Element.a(.href(link.with(suffix: "csv"))) { "CSV" }
                    "; the day as a "
                    Element.a(.href(link.with(suffix: "svg"))) { "picture" }
                    "."
                }
            }
        }
    }

    @MarkupBuilder private var hours: Markup {
        if view.holds(.hours), view.holds(.steps), !summary.hours.isEmpty {
            let most = summary.hours.max { ($0.steps ?? -1) < ($1.steps ?? -1) }
            let mark = summary.countedHoursWords.map { ", \($0)" } ?? ""
            let title = "Steps by hour\(mark)"
            let bars = summary.hours.enumerated().map { index, hour in
                SVGBarChart.Bar(
                    label: hour.hour % 3 == 0 ? "\(hour.hour)" : "", steps: hour.steps, hasBegun: hour.start <= view.now,
                    title: "\(HourWords.name(index, in: summary.hours)): \(HourWords.steps(hour, now: view.now))")
            }
            let words =
                most.flatMap { hour in
                    hour.steps.map { "\(title); most from \(hour.hour):00, \(Words.grouped($0)). The numbers follow in a table." }
                } ?? "\(title): nothing known. The numbers follow in a table."
            let legend = summary.hours.contains { $0.steps == nil && $0.start <= view.now } ? ChartPatterns.unknownLegend : .nothing
            Charts(context: context).figure(title, SVGBarChart(bars: bars, summary: words).svg, legend: legend) {
                Element.table {
                    Element.caption { "Steps by hour of local time\(mark)" }
                    Charts(context: context).head(["Hour", "Steps"])
                    Element.tbody {
                        summary.hours.enumerated().map { index, hour in
                            Element.tr {
                                Element.th(Attribute(.scope, "row")) { HourWords.name(index, in: summary.hours) }
                                Element.td { hour.steps.map(Words.grouped) ?? HourWords.unknown(hour, now: view.now) }
                            }
                        }
                    }
                }
            }
        }
    }

    @MarkupBuilder private var sharing: Markup {
        if context.isLocal, !shares.isEmpty {
            Element.section {
                Element.h2 { "Share this day" }
                Element.div(.css("wide")) {
                    Element.table {
                        Element.caption { "Where the figures of this day can be sent" }
                        Charts(context: context).head(["Destination", "State", "Action"])
                        Element.tbody {
                            shares.map { share in
                                Element.tr {
                                    Element.th(Attribute(.scope, "row")) { PageContext.name(share.destination) }
                                    Element.td(.css("words")) { share.entry.map { EntryWords.line($0, context) } ?? "not shared" }
                                    Element.td { button(share) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private func button(_ share: Share) -> Markup {
        context.form("share") {
            Element.input(Attribute(.type, "hidden"), Attribute(.name, "day"), Attribute(.value, "\(summary.day)"))
            Element.input(Attribute(.type, "hidden"), Attribute(.name, "destination"), Attribute(.value, share.destination))
            Element.button(Attribute(.type, "submit"), Attribute(.ariaLabel, "Share \(summary.day) with \(Printable(share.destination))")) {
                "Share"
            }
        }
    }
}

/// The values of a day in words, for the page and the card.
enum DayWords {
    static func steps(_ view: DayView) -> String {
        guard view.holds(.steps) else { return "wrong" }
        return view.summary.steps.map(Words.grouped) ?? "unknown"
    }

    static func completeness(_ summary: DaySummary) -> String {
        summary.isCorrected ? "entered by hand" : summary.completenessWords
    }

    /// Rounded down: 100 % is shown when it is reached and not before.
    static func percentage(_ summary: DaySummary) -> String {
        if let percentage = summary.percentage { return "\(Words.grouped(Int(percentage.rounded(.down)))) %" }
        return summary.isRestDay ? "rest day" : summary.goal == nil ? "none" : "unknown"
    }

    static func goal(_ summary: DaySummary) -> String { summary.goal.map { "of \(Words.count($0, "step"))" } ?? "" }
}

/// An hour of a day in words.
enum HourWords {
    /// `8:00`; on a day of 25 hours `2:00 (first)` and `2:00 (second)`.
    static func name(_ index: Int, in hours: [DaySummary.Hour]) -> String {
        let hour = hours[index].hour
        guard hours.count(where: { $0.hour == hour }) > 1 else { return "\(hour):00" }
        let isSecond = hours[..<index].contains { $0.hour == hour }
        return "\(hour):00 (\(isSecond ? "second" : "first"))"
    }

    static func steps(_ hour: DaySummary.Hour, now: Timestamp) -> String {
        hour.steps.map { Words.count($0, "step") } ?? unknown(hour, now: now)
    }

    /// The word for an hour without a figure.
    static func unknown(_ hour: DaySummary.Hour, now: Timestamp) -> String { hour.start > now ? "not begun" : "unknown" }
}

extension EntryWords {
    /// With the reason why the last attempt failed.
    static func line(_ entry: ShareEntry, _ context: PageContext, isHeldBack: Bool = false) -> String {
        let error = entry.state != .sent ? entry.lastError.map { ": \(Printable($0, limit: 300))" } ?? "" : ""
        return state(entry, isHeldBack: isHeldBack, now: context.now, localTime: context.localTime) + error
    }
}
