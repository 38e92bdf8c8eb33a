package import StepDomain
internal import StepViews

/// Where the figures of a day come from: which pedometers, which of them counted, and the sync that completed each.
package struct Provenance: Hashable, Sendable {
    struct Source: Hashable, Sendable {
        var name: String
        /// What it recorded on the day, and how much of that counts: where two pedometers recorded the same minutes,
        /// the greater counts.
        var recorded: Int
        var counted: Int
        /// Samples that are stored separately, because they are implausible.
        var implausible: Int
        /// The syncs that stored its present values.
        var syncs: [DaySync]
        /// The first complete sync after the day; nil if there was none, or if it was too long ago to be looked up.
        var completedBy: Timestamp?
        /// Whether `completedBy` was looked up.
        var isLookedUp: Bool
    }

    var sources: [Source]
    /// By which the distance is calculated; nil if it is the pedometer's.
    var stepLength: StepLength?

    /// - Throws: the history's error.
    package init(of data: DayData, in history: any StepHistory, localTime: LocalTime) throws {
        stepLength = StepLength(data.profile)
        let merged = MergedTracks(data.tracks)
        var counted: [Pedometer.ID: Int] = [:]
        for group in merged.groups { counted[group.winner, default: 0] += group.steps[group.winner] ?? 0 }
        let end = localTime.span(of: data.day).end
        let stored = Dictionary(grouping: try history.syncs(behind: data.day, of: data.user), by: \.pedometer)
        sources = try data.tracks.map { track in
            let syncs = try history.syncs(of: track.pedometer, limit: Self.examined)
            // Newest first. If the last of them is later than the day, an earlier one may have completed it.
            let later = syncs.filter { $0.outcome == .complete && ($0.end ?? $0.start) >= end }
            let isCertain = syncs.count < Self.examined || syncs.last.map { $0.start < end } ?? false
            return Source(
                name: track.name, recorded: track.samples.filter(\.isPlausible).reduce(0) { $0 + $1.steps },
                counted: counted[track.pedometer] ?? 0,
                implausible: track.implausible.reduce(0) { $0 + $1.steps }, syncs: stored[track.pedometer] ?? [],
                completedBy: isCertain ? later.last.flatMap { $0.end ?? $0.start } : nil, isLookedUp: isCertain)
        }
    }

    /// Syncs that are searched for the one that completed a day: about a year of nights.
    private static let examined = 400

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
                    ". The hours are as they were counted."
                }
            }
            for words in summary.excludedWords(context.localTime) { Element.p { "Excluded: \(words)." } }
            if sources.isEmpty {
                Element.p(.css("muted")) { "No pedometer has recorded steps on this day." }
            } else {
                table(summary, context).markup
                Element.div(.css("below-chart")) {
                    calculation(summary, context.units)
                    syncs(context)
                }
            }
        }
    }

    private func calculation(_ summary: DaySummary, _ units: UnitSystem) -> Markup {
        Element.details(.css("numbers")) {
            Element.summary { "How the figures are calculated" }
            Element.p {
                """
                Where two pedometers recorded the same minutes, the one with more steps counts. If its slots are long, the other \
                pedometer's shorter slots determine the hours.
                """
                if let words = distance(summary, units) { " " + words }
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
    private static let mostSyncs = 48

    @MarkupBuilder private func syncs(_ context: PageContext) -> Markup {
        let all = sources.flatMap { source in source.syncs.map { (name: source.name, sync: $0) } }
        if !all.isEmpty {
            let shown = all.suffix(Self.mostSyncs)
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

    private func distance(_ summary: DaySummary, _ units: UnitSystem) -> String? {
        guard let source = summary.distanceSource else { return nil }
        let distance =
            source == .pedometer ? "Distance: as the pedometer reported it." : stepLength?.explanation(units) ?? ""
        guard let energy = summary.energySource else { return distance }
        return distance
            + (energy == .weight
                ? " Calories: by weight and distance, above rest." : " Calories: as the pedometer reported them.")
    }
}
