internal import StepDomain
internal import StepServices
internal import StepViews

/// The hours of a day as bars, with their numbers.
struct HourChart: Sendable {
    let view: DayView
    let context: PageContext
    /// What is usual on this weekday, behind the bars.
    var usual: WeekdayFigures?

    private var hours: [DaySummary.Hour] { view.summary.hours }
    private var hasRunning: Bool { hours.contains { $0.running > 0 } }

    /// False if nothing is known of the hours: a chart of nothing says less than a word.
    var isShown: Bool { view.holds(.hours) && view.holds(.steps) && !hours.isEmpty }

    var title: String { "Steps by hour" + (view.summary.countedHoursWords.map { ", \($0)" } ?? "") }

    func figure(_ classes: String) -> Markup {
        guard isShown else {
            return Card.section("Steps by hour", classes) {
                Element.p(.css("muted")) {
                    view.holds(.steps) ? "Nothing is known of the hours of this day." : "The steps are wrong."
                }
            }
        }
        return Card.chart(title, classes, aside: legend, drawing: drawing(height: 240)) { below }
    }

    @MarkupBuilder var below: Markup {
        Card.remark(hasRunning ? "Running: more than \(Gait.runningCadence) steps a minute" : "")
        table.numbers
    }

    func drawing(height: Double) -> Markup {
        let most = hours.filter { $0.steps != nil }.max { ($0.steps ?? 0) < ($1.steps ?? 0) }
        let words =
            most.map { "\(title); most from \($0.hour):00, \(Words.grouped($0.steps ?? 0))" }
            ?? "\(title): nothing known"
        return BarChart(
            bars: DayWords.bars(view, usual: usual), summary: "\(words). The numbers follow in a table.", height: height
        ).markup
    }

    var legend: Markup {
        var legend = Legend()
        if let usual {
            legend.add(.box(.walk), view.summary.day == view.today ? "today" : "this day")
            legend.add(.box(.usual), "usual \(usual.weekday.title)")
        } else if hasRunning {
            legend.add(.box(.walk), "walking")
        }
        if hasRunning { legend.add(.box(.run), "running") }
        if hours.contains(where: { $0.isUnknown(at: view.now) }) { legend.add(.stub, "unknown") }
        return legend.markup
    }

    private var table: Table {
        var columns: [Table.Column] = [.words("Hour"), .number("Steps")]
        if hasRunning { columns.append(.number("Running")) }
        if let usual { columns.append(.number("Usual \(usual.weekday.title)")) }
        let rows = hours.indices.map { index -> Table.Row in
            let hour = hours[index]
            var cells = [hour.steps.map(Words.grouped) ?? HourWords.unknown(hour, now: view.now)]
            if hasRunning { cells.append(hour.running > 0 ? Words.grouped(hour.running) : "") }
            if let usual { cells.append(usual.mean(hour: hour.hour).map(Words.grouped) ?? "unknown") }
            return Table.Row(HourWords.name(index, in: hours), cells)
        }
        return Table(caption: "steps by hour", columns: columns, rows: rows)
    }
}
