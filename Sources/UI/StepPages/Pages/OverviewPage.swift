internal import StepDomain
internal import StepViews

/// The first page: today, the last week, the streak, a year whose days lead to their pages, and the pedometers.
struct OverviewPage: Sendable {
    /// Today.
    let view: DayView
    let figures: DaySeries
    /// The user's pedometers.
    let pedometers: [DevicesView.Entry]
    let notices: [StoredNotice]
    let activity: Activity.State
    let context: PageContext

    private var today: Day { context.today }
    private var days: DayCharts { DayCharts(figures: figures, context: context) }

    var document: Markup {
        PageFrame(title: "Overview", context: context, section: .overview).document {
            running
            notices.map { NoticeBox.markup($0, context) }
            if figures.known == nil {
                Element.h1 { "Today" + Element.small { Words.date(today) } }
                MessagePage.begin(context, hasPedometer: !pedometers.isEmpty)
            } else {
                DayFigureWords(view: view, figures: figures, context: context).errors
                Element.div(.css("grid")) {
                    hero
                    week
                    streak
                    calendar
                    periods
                    if context.isOwner { devices }
                }
            }
        }
    }

    @MarkupBuilder private var running: Markup {
        if case .running(let title, let line) = activity {
            NoticeBox.markup(.plain, "\(title): \(line)") {
                if let link = context.link("activity") {
                    Element.p(.css("small")) { Element.a(.href(link)) { "See the progress" } }
                }
            }
        }
    }

    private var hero: Markup {
        let usual = figures.usual(on: today)
        let words = DayFigureWords(view: view, figures: figures, context: context)
        let chart = HourChart(view: view, context: context, usual: usual)
        return Element.section(.css("card hero o-hero"), Attribute(.ariaLabel, "Today")) {
            Element.div(.css("lead")) {
                Element.h1 {
                    Element.a(.href(context.link(to: today))) { "Today" }
                    Element.small { Words.date(today) }
                }
                words.ring
            }
            Element.div {
                Element.header { Element.h2 { chart.isShown ? chart.title : "Steps by hour" } + chart.legend }
                if chart.isShown {
                    Element.figure {
                        chart.drawing(height: 234)
                        Element.div(.css("below-chart")) { chart.below }
                    }
                } else {
                    Element.p(.css("muted")) {
                        view.summary.steps != nil || context.isGuest
                            ? "Nothing is known of the hours of today."
                            : "Nothing is known of today yet. Sync to read your pedometer."
                    }
                }
            }
            Element.div(.css("wide")) { Figure.stats(words.ofToday(usual)) }
        }
    }

    private var week: Markup {
        let period = Period(today.advanced(by: -6)...today, weekStart: context.weekStart)
        let mean = figures.statistics(of: period).mean.map { "\(Words.grouped($0)) a day" } ?? ""
        // As low as leaves the cards at the left their own heights.
        return days.bars(period, title: "Last seven days", "o-week", height: 206, aside: Card.remark(mean))
    }

    // MARK: The streak

    private var streak: Markup {
        let last = figures.streaks.last, isNow = last?.end == Streak.End.none
        let statistics = [Period.Unit.week, .year].map {
            figures.statistics(of: Period($0, containing: today, weekStart: context.weekStart))
        }
        var list: [Figure] = []
        if let longest = figures.streaks.longest {
            list.append(Figure("Longest", Words.count(longest.count, "day"), context.days(longest.first, longest.last)))
        }
        for part in statistics where part.daysWithGoal > 0 {
            list.append(Figure("Goal days this \(part.period.unit?.rawValue ?? "")", PartCharts.goalDays(part)))
        }
        return Card.section("Streak", "o-streak", aside: Icon.flame.markup) {
            Element.p(.css("figure")) {
                "\(isNow ? last?.count ?? 0 : 0) "
                Element.small { last?.count == 1 && isNow ? "goal day" : "goal days in a row" }
            }
            Element.p { Card.remark(since(last)) }
            StreakDots(days: Array(figures[today.advanced(by: 1 - StreakDots.most)...today]), context: context).markup
            Figure.facts(list)
        }
    }

    private func since(_ last: Streak?) -> String {
        guard let last else {
            let hasPlan = figures.days.contains { $0.goal != nil }
            if hasPlan { return "The first goal day begins one." }
            return context.isGuest ? "There is no goal yet." : "Set a goal in Plan to begin one."
        }
        return context.end(of: last) ?? "since \(context.date(last.first)); rest days do not end it"
    }

    // MARK: The year and its parts

    /// As many columns as the calendar of a year has: this week, as far as it has begun, and the 52 before it.
    private var calendar: Markup {
        let week = Period(.week, containing: today, weekStart: context.weekStart)
        let weeks = Period(week.days.lowerBound.advanced(by: -52 * 7)...today, weekStart: context.weekStart)
        let year = context.link(to: Period(.year, containing: today)).map {
            Element.a(.css("small"), .href($0)) { "Open the year" }
        }
        return days.calendar(
            figures.statistics(of: weeks), title: "The last 12 months", "o-cal", isNewestFirst: true,
            aside: year ?? .nothing)
    }

    private var periods: Markup {
        let units: [Period.Unit] = [.week, .month, .year]
        let parts = units.map { figures.statistics(of: Period($0, containing: today, weekStart: context.weekStart)) }
        let table = Table(
            caption: "this week, month and year",
            columns: [
                .words("Period"), .number("Steps a day"), .number("Compared"), .number("Goal days"), .number("Total"),
            ],
            rows: parts.map(row), isCards: true)
        return Card.section("This week, month and year", "s8") {
            table.markup
            Element.p(.css("muted small")) {
                "Compared with the same days of the period before. Today is in the total only."
            }
            // The year mostly has the days of the week and of the month, too.
            if let wrong = parts.compactMap({ HistoryView.wrong(in: $0) }).last { NoticeBox.markup(.bad, wrong) }
        }
    }

    private func incomparable(_ part: PeriodStatistics) -> Markup {
        let over = part.days.filter { !$0.isInProgress }
        let words =
            over.isEmpty
            ? "its first day is not over"
            : 2 * over.count { $0.steps != nil } < over.count ? "too few days known" : "too few days before"
        return Element.span(.css("muted small")) { words }
    }

    private func row(_ part: PeriodStatistics) -> Table.Row {
        let name =
            switch part.period.unit {
            case .week: part.period.isoWeek.map { "Week \($0.week)" } ?? "This week"
            case .month: Words.month(part.period.days.lowerBound)
            default: part.period.title
            }
        let comparison = figures.comparison(of: part.period).map { ComparisonWords($0, today: today) }
        let change = comparison.map { words in
            words.tendency == .neutral
                ? Markup.text(words.change) : Element.span(.css(words.tendency.rawValue)) { words.change }
        }
        let heading = context.link(to: part.period).map { link in Element.a(.href(link)) { name } } ?? .text(name)
        return Table.Row(
            heading,
            [
                .text(part.mean.map(Words.grouped) ?? ""), change ?? incomparable(part),
                .text(PartCharts.goalDays(part)),
                .text(part.total.map(Words.grouped) ?? "unknown"),
            ])
    }

    // MARK: Pedometers

    private var devices: Markup {
        let all = Element.a(.css("small"), .href(Link(["devices"], query: context.userQuery))) { "All pedometers" }
        return Card.section("Pedometers", "s4", aside: all) {
            if pedometers.isEmpty {
                DevicesPage.noPedometer(context)
            } else {
                Element.ul(.css("rows")) { pedometers.map { $0.row(context) } }
            }
        }
    }
}
