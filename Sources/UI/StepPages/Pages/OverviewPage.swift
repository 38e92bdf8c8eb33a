internal import StepDomain
internal import StepViews

/// The first page: today, the pedometers, and a year whose days lead to their pages.
struct OverviewPage: Sendable {
    /// Today.
    let view: DayView
    let figures: DaySeries
    /// The user's pedometers.
    let pedometers: [DevicesPage.Entry]
    let notices: [StoredNotice]
    let activity: Activity.State
    let context: PageContext

    private var charts: Charts { Charts(context: context) }

    var document: Markup {
        PageFrame(title: "Overview", context: context, section: .overview).document {
            Turn(period: Period(.day, containing: context.today, weekStart: context.weekStart), figures: figures, context: context).markup
            Element.h1 { "Overview" }
            notices.map { NoticeBox(stored: $0, context: context).markup }
            today
            devices
            if figures.known == nil {
                Element.section { Element.p { "Nothing is known yet. Sync a pedometer to begin." } }
            } else {
                charts.heatMap(figures.statistics(of: weeks), title: "Every day of the last 53 weeks")
                totals
            }
        }
    }

    @MarkupBuilder private var today: Markup {
        Element.h2 {
            "Today, "
            Element.a(.href(context.link(to: context.today))) { Words.date(context.today) }
        }
        DayTiles(view: view).markup
    }

    private var devices: Markup {
        Element.section {
            Element.h2 { "Pedometers" }
            if pedometers.isEmpty {
                DevicesPage.noPedometer(context)
            } else {
                table
                sync
            }
        }
    }

    private var table: Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { "Battery and last sync" }
                charts.head(["Pedometer", "Battery", "State"])
                Element.tbody { pedometers.map(row) }
            }
        }
    }

    private func row(_ entry: DevicesPage.Entry) -> Markup {
        let history = SyncHistory(syncs: entry.syncs)
        let battery = history.battery.map { "\($0) %" } ?? "unknown"
        let attempts = history.attemptsSince(now: context.now).map { "; \($0)" } ?? ""
        let state = history.state(now: context.now, context.localTime) + attempts
        return Element.tr {
            Element.th(Attribute(.scope, "row")) { PageContext.name(entry.pedometer.name) }
            Element.td { battery }
            Element.td(.css("words")) { state }
        }
    }

    @MarkupBuilder private var sync: Markup {
        if case .running(let title, let line) = activity {
            Element.p {
                "\(title): \(line). "
                if let link = context.link("activity") { Element.a(.href(link)) { "See the progress" } }
            }
        } else {
            context.form("sync", style: "line") { Element.button(Attribute(.type, "submit")) { "Sync now" } }
        }
    }

    /// As many columns as the calendar of a year has: this week, as far as it has begun, and the 52 before it.
    private var weeks: Period {
        let week = Period(.week, containing: context.today, weekStart: context.weekStart)
        return Period(week.days.lowerBound.advanced(by: -52 * 7)...context.today, weekStart: context.weekStart)
    }

    private var totals: Markup {
        let units: [Period.Unit] = [.week, .month, .year]
        let parts = units.map { figures.statistics(of: Period($0, containing: context.today, weekStart: context.weekStart)) }
        return Element.section {
            Element.h2 { "This week, this month, this year" }
            charts.partsTable(parts, caption: "Today so far is in the totals, and not in means and medians")
            // The year mostly has the days of the week and of the month, too.
            if let wrong = parts.compactMap({ HistoryView.wrong(in: $0) }).last { Element.p(.css("bad")) { wrong } }
        }
    }
}
