internal import StepDomain
internal import StepServices
internal import StepViews

/// The card of a day that says where its figures come from.
extension DayProvenance {
    /// Nothing for guests: pedometers and syncs are not for them, and a step length shows how tall somebody is.
    @MarkupBuilder func markup(_ summary: DaySummary, _ context: PageContext) -> Markup {
        if !context.isGuest { card(summary, context) }
    }

    private func card(_ summary: DaySummary, _ context: PageContext) -> Markup {
        let words = DayWords.completeness(summary)
        let badge = Card.badge(
            words,
            words == "complete" ? "good" : summary.completeness == .partial && !summary.isInProgress ? "warn" : "")
        return Card.section("Sources", "s6", aside: badge) {
            if summary.isCorrected {
                Element.p {
                    "The steps were entered by hand"
                    if let moment = summary.correctedAt { " on \(context.clock(moment))" }
                    if let counted = summary.countedSteps { "; \(Words.grouped(counted)) were counted" }
                    if let reason = summary.correctionReason {
                        ": "
                        PageContext.name(reason, limit: 200)
                    }
                    summary.countedSteps == nil ? "." : ". The hours are as they were counted."
                }
            }
            for words in summary.excludedWords() { Element.p { "Excluded: \(words)." } }
            if let moment = summary.deletedAt {
                let day = context.date(context.localTime.day(of: moment))
                Element.p { "Deleted \(Words.deleted(on: day))." }
            }
            if sources.isEmpty {
                Element.p(.css("muted")) { "No pedometer has recorded steps on this day." }
            } else {
                table(summary, context).markup
                Element.div(.css("below-chart")) {
                    explanation(calculation(summary, context.units))
                    syncs(context)
                }
            }
        }
    }

    @MarkupBuilder private func explanation(_ sentences: [String]) -> Markup {
        if !sentences.isEmpty {
            Element.details(.css("numbers")) {
                Element.summary { "How the figures are calculated" }
                Element.p { sentences.joined(separator: " ") }
            }
        }
    }

    private func table(_ summary: DaySummary, _ context: PageContext) -> Table {
        let hasImplausible = sources.contains { $0.implausible != 0 }
        var columns: [Table.Column] = [.words("Pedometer"), .number("Recorded"), .number("Counted")]
        if hasImplausible { columns.append(.number("Implausible")) }
        columns.append(.words("Complete since"))
        return Table(
            caption: "where the figures come from", columns: columns,
            rows: sources.map { source in
                var cells = [Words.grouped(source.recorded), Words.grouped(source.counted)]
                if hasImplausible { cells.append(source.implausible == 0 ? "" : Words.grouped(source.implausible)) }
                let open =
                    summary.isInProgress
                    ? "the day is not over" : source.isLookedUp ? "no sync after the day yet" : "not looked up"
                cells.append(source.completedBy.map(context.clock) ?? open)
                return Table.Row(PageContext.name(source.name), cells.map { .text($0) })
            }, isCards: true)
    }

    /// Syncs of a day that are listed: a pedometer that is watched may be read each minute.
    private static let maximumSyncs = 48

    @MarkupBuilder private func syncs(_ context: PageContext) -> Markup {
        let all = sources.flatMap { source in source.syncs.map { (name: source.name, sync: $0) } }
        if !all.isEmpty {
            let shown = all.suffix(Self.maximumSyncs)
            let table = Table(
                caption: "the syncs that stored the present values",
                columns: [.words("Sync"), .words("Pedometer"), .number("Slots"), .number("Steps")],
                rows: shown.map { name, sync in
                    Table.Row(
                        .text(context.clock(sync.start)),
                        [PageContext.name(name), .text(Words.grouped(sync.slots)), .text(Words.grouped(sync.steps))])
                })
            Element.details(.css("numbers")) {
                Element.summary { "The syncs that read these figures" }
                Element.div(.css("scroll")) { table.markup }
                if all.count > shown.count {
                    Element.p { "The last \(shown.count) of \(Words.grouped(all.count)) syncs." }
                }
            }
        }
    }
}
