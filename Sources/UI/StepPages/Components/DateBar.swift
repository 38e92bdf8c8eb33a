internal import StepDomain
internal import StepViews

/// The days that are shown, as the heading, with the way to the days before and after, to any date or range, and to the
/// other units.
struct DateBar: Sendable {
    let period: Period
    let figures: DaySeries
    let context: PageContext

    var markup: Markup {
        Element.div(.css("datebar")) {
            Element.div(.css("turn")) {
                step(
                    period.previous.flatMap {
                        $0.days.upperBound >= (figures.known?.lowerBound ?? figures.today) ? $0 : nil
                    }, .previous, "prev")
                Element.h1 { Self.heading(period) }
                step(period.next.flatMap { $0.days.lowerBound <= figures.today ? $0 : nil }, .next, "next")
                picker
            }
            segments
        }
    }

    // MARK: The heading

    /// The name of a period, shorter where that is clear beside a date: `Week 48, 23 to 29 November 2026`.
    static func title(_ period: Period) -> String {
        guard let week = period.isoWeek else { return period.title }
        return "Week \(week.week), \(Words.range(period.days))"
    }

    /// On a phone the names of weekdays and months are cut to three letters.
    static func heading(_ period: Period) -> Markup {
        let words = title(period).split(separator: " ").map { word -> Markup in
            guard word.count > 4, word.first?.isUppercase == true, word.allSatisfy(\.isLetter) else {
                return .text(String(word))
            }
            return .text(String(word.prefix(3))) + Element.span(.css("minor")) { String(word.dropFirst(3)) }
        }
        return .joined(words.enumerated().map { $0 == 0 ? $1 : .text(" ") + $1 })
    }

    // MARK: Before and after

    private func step(_ period: Period?, _ icon: Icon, _ rel: String) -> Markup {
        guard let period, let link = context.link(to: period) else {
            return Element.span(.css("button square"), Attribute(.ariaHidden, "true"), Attribute(.ariaDisabled, "true"))
            { icon.markup }
        }
        let name = period.unit == .day ? context.date(period.days.lowerBound) : Self.title(period)
        let words = (rel == "prev" ? "Previous: " : "Next: ") + name
        return Element.a(
            .css("button square"), .href(link), Attribute(.rel, rel), Attribute(.accesskey, String(rel.prefix(1))),
            Attribute(.ariaLabel, words), Attribute(.title, name)
        ) { icon.markup }
    }

    // MARK: Any date

    private var shown: Day {
        period.days.contains(figures.today) ? figures.today : min(period.days.lowerBound, figures.today)
    }

    private var picker: Markup {
        Element.details(.css("menu pick")) {
            Element.summary(
                .css("button square"), Attribute(.ariaLabel, "Go to a date or range"),
                Attribute(.title, "Go to a date or range")
            ) { Icon.calendar.markup }
            Element.div {
                Element.form(.css("stack"), Attribute(.method, "get"), .action(Link(["go"]))) {
                    Element.hidden("unit", period.unit?.rawValue ?? "day")
                    user
                    Element.div(.css("pair go")) {
                        field("date", "Date", shown)
                        Element.button(Attribute(.type, "submit")) { "Show" }
                    }
                }
                Element.form(.css("stack"), Attribute(.method, "get"), .action(Link(["range"]))) {
                    user
                    Element.div(.css("pair")) {
                        field("from", "From", period.days.lowerBound)
                        field("to", "To", max(period.days.lowerBound, min(period.days.upperBound, figures.today)))
                    }
                    Element.button(Attribute(.type, "submit")) { "Show the range" }
                }
            }
        }
    }

    @MarkupBuilder private var user: Markup {
        if context.isUserNamed { Element.hidden("user", context.user.name) }
    }

    private func field(_ name: String, _ label: String, _ day: Day) -> Markup {
        Element.div {
            Element.label(Attribute(.for, name)) { label }
            Element.input(
                Attribute(.type, "date"), Attribute(.id, name), Attribute(.name, name), Attribute(.value, "\(day)"),
                Attribute(.max, "\(figures.today)"), Attribute(.required, true))
        }
    }

    // MARK: Units

    private var segments: Markup {
        Element.nav(.css("segments"), Attribute(.ariaLabel, "Unit")) {
            Period.Unit.allCases.map { unit in
                // The month and the year to which most of a past week belongs.
                let isLonger = [.month, .year].contains(unit) && !period.days.contains(figures.today)
                let day = isLonger ? min(period.decidingDay, figures.today) : shown
                let other = Period(unit, containing: day, weekStart: context.weekStart)
                return Element.a(
                    .href(context.link(to: other) ?? Link([])),
                    unit == period.unit ? Attribute(.ariaCurrent, "page") : nil
                ) { unit.rawValue.prefix(1).uppercased() + unit.rawValue.dropFirst() }
            }
        }
    }
}

extension Link {
    /// The same page for programs: `/month/2026-11.csv?user=anna`.
    func with(suffix: String) -> Link {
        let parts = text.split(separator: "?", maxSplits: 1)
        return Link(constant: "\(parts[0]).\(suffix)" + (parts.count > 1 ? "?\(parts[1])" : ""))
    }

    /// The figures of a page for programs, and as a picture where there is one.
    static func downloads(of link: Link?, _ name: String, hasPicture: Bool) -> Markup {
        guard let link else { return .nothing }
        return Element.p(.css("more")) {
            Element.span { "This \(name) as" }
            Element.a(.href(link.with(suffix: "json"))) { "JSON" }
            Element.a(.href(link.with(suffix: "csv"))) { "CSV" }
            if hasPicture { Element.a(.href(link.with(suffix: "svg"))) { "picture (SVG)" } }
        }
    }
}
