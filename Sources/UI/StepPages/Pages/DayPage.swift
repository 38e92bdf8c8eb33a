internal import StepDomain
internal import StepServices
internal import StepViews

/// A day: its figures, its hours, where they come from, and what was shared of it.
struct DayPage: Sendable {
    /// The state of the day at a destination.
    struct Share: Hashable, Sendable {
        var state: DestinationState
        /// Nil if the day was never considered for it.
        var entry: ShareEntry?

        var destination: String { state.name }
    }

    let view: DayView
    let figures: DaySeries
    let provenance: DayProvenance
    let shares: [Share]
    let notices: [StoredNotice]
    let context: PageContext
    /// The correction as it was typed; nil for the one that is stored.
    var correction: CorrectionForm?
    /// What a form has done.
    var message: String?

    private var summary: DaySummary { view.summary }
    private var period: Period { Period(.day, containing: summary.day, weekStart: context.weekStart) }

    var document: Markup {
        let title = context.date(summary.day) + (summary.day == view.today ? ", today" : "")
        return PageFrame(
            title: title, context: context, section: .history, path: ["day", "\(summary.day)"], day: summary.day
        ).document {
            DateBar(period: period, figures: figures, context: context).markup
            if let message { NoticeBox.markup(.plain, message, isStatus: true) }
            notices.map { NoticeBox.markup($0, context) }
            if let known = figures.known, summary.day < known.lowerBound {
                NoticeBox.markup(.plain, "The history begins on \(context.date(known.lowerBound)).")
            }
            DayFigureWords(view: view, figures: figures, context: context).errors
            if let words = view.deviceTotalWords(.short) { NoticeBox.markup(.warn, words) }
            Element.div(.css("grid")) {
                hero
                HourChart(view: view, context: context).figure("x8")
                provenance.markup(summary, context)
                sharing
                correcting
            }
            Link.downloads(of: context.link(to: period), "day", hasPicture: true)
        }
    }

    private var hero: Markup {
        let words = DayFigureWords(view: view, figures: figures, context: context)
        return Element.section(.css("card hero single x4"), Attribute(.ariaLabel, "Figures of the day")) {
            Element.div { words.ring }
            Element.div { Figure.stats(words.ofDay) }
        }
    }

    @MarkupBuilder private var sharing: Markup {
        if context.isOwner, !shares.isEmpty {
            let all = Element.a(.css("small"), .href(Link(["share"], query: context.userQuery))) { "All destinations" }
            Card.section("Share", "s6", aside: all) {
                Element.ul(.css("rows")) {
                    shares.map { share in
                        Element.li {
                            Element.div(.css("what")) {
                                Element.strong { PageContext.name(share.destination) }
                                Card.remark(
                                    share.entry.map { EntryWords.line($0, context, at: share.state) } ?? "not shared")
                            }
                            button(share)
                        }
                    }
                }
            }
        }
    }

    private func button(_ share: Share) -> Markup {
        context.form("share", style: "actions") {
            Element.hidden("day", "\(summary.day)")
            Element.hidden("destination", share.destination)
            let words = "Share \(context.date(summary.day)) with \(Printable(share.destination))"
            Element.button(Attribute(.type, "submit"), .css("small"), Attribute(.ariaLabel, words)) { "Share" }
        }
    }
}

extension DayPage {
    /// The form that corrects the day, as `istep correct` does.
    @MarkupBuilder private var correcting: Markup {
        if context.isOwner, CorrectionForm.isOffered(on: summary.day) {
            let form = (correction ?? CorrectionForm(summary)).form
            Card.section("Correct the steps", shares.isEmpty ? "edit s6" : "edit", id: "correct") {
                form.invalid
                Element.p(.css("muted small")) {
                    """
                    Your figure replaces the counted steps of this day, also after later syncs. Distance and calories are scaled with it. \
                    Destinations that can replace a day receive it with the next sync.
                    """
                }
                context.form("correction", style: "stack") {
                    Element.hidden("day", "\(summary.day)")
                    Element.div(.css("fields")) {
                        form.field("steps", "Steps of the day", [Attribute(.inputmode, "numeric")])
                        form.field("reason", "Reason (may be empty; is not shared)")
                    }
                    FilledForm.save(summary.isCorrected ? "Change the correction" : "Save the correction")
                }
                if summary.isCorrected {
                    context.form("correction", "remove", style: "stack") {
                        Element.hidden("day", "\(summary.day)")
                        Element.p(.css("small")) {
                            let counted = summary.countedSteps.map { "\(Words.grouped($0)) counted steps" }
                            "Without the correction, the day has \(counted ?? "no known steps")."
                        }
                        FilledForm.save("Remove the correction")
                    }
                }
            }
        }
    }
}
