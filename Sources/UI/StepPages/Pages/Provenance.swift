package import StepDomain
internal import StepViews

/// Where the figures of a day come from: which pedometers, which of them counted, and the sync that completed each.
package struct Provenance: Hashable, Sendable {
    struct Source: Hashable, Sendable {
        var name: String
        /// What it recorded on the day, and how much of that counts: where two pedometers recorded the same minutes, the greater counts.
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

    /// - Throws: the history's error.
    package init(of data: DayData, in history: any StepHistory, localTime: LocalTime) throws {
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

    func markup(_ summary: DaySummary, _ context: PageContext) -> Markup {
        Element.section {
            Element.h2 { "Where the figures come from" }
            if summary.isCorrected {
                Element.p {
                    "The steps were entered by hand"
                    if let moment = summary.correctedAt { " on \(Words.clock(moment, context.localTime))" }
                    if let counted = summary.countedSteps { "; \(Words.grouped(counted)) were counted" }
                    if let reason = summary.correctionReason {
                        ": "
                        PageContext.name(reason, limit: 200)
                    }
                    ". The hours are as they were counted."
                }
            }
            if sources.isEmpty {
                Element.p { "No pedometer has recorded steps on this day." }
            } else {
                table(context)
                syncs(context)
            }
            if let words = Self.distance(summary) { Element.p(.css("faint")) { words } }
        }
    }

    private func table(_ context: PageContext) -> Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption {
                    "Where two pedometers recorded the same minutes, the one with more steps counts. If its slots are long, "
                        + "the other pedometer's shorter slots determine the hours."
                }
                Charts(context: context).head(["Pedometer", "Recorded", "Counted", "Implausible", "First sync after the day"])
                Element.tbody {
                    sources.map { source in
                        Element.tr {
                            Element.th(Attribute(.scope, "row")) { PageContext.name(source.name) }
                            Element.td { Words.grouped(source.recorded) }
                            Element.td { Words.grouped(source.counted) }
                            Element.td { source.implausible == 0 ? "" : Words.grouped(source.implausible) }
                            Element.td {
                                source.completedBy.map { Words.clock($0, context.localTime) }
                                    ?? (source.isLookedUp ? "none yet" : "not looked up")
                            }
                        }
                    }
                }
            }
        }
    }

    /// Syncs of a day that are listed: a pedometer that is watched may be read each minute.
    private static let mostSyncs = 48

    @MarkupBuilder private func syncs(_ context: PageContext) -> Markup {
        let all = sources.flatMap { source in source.syncs.map { (name: source.name, sync: $0) } }
        if !all.isEmpty {
            Element.details {
                Element.summary { "The syncs that read these figures" }
                Element.div(.css("wide")) {
                    Element.table {
                        Element.caption {
                            "A slot is listed with the sync that stored its present value."
                                + (all.count > Self.mostSyncs ? " The last \(Self.mostSyncs) of \(Words.grouped(all.count)) syncs." : "")
                        }
                        Charts(context: context).head(["Sync", "Pedometer", "Slots", "Steps"])
                        Element.tbody {
                            all.suffix(Self.mostSyncs).map { name, sync in
                                Element.tr {
                                    Element.th(Attribute(.scope, "row")) { Words.clock(sync.start, context.localTime) }
                                    Element.td(.css("words")) { PageContext.name(name) }
                                    Element.td { Words.grouped(sync.slots) }
                                    Element.td { Words.grouped(sync.steps) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func distance(_ summary: DaySummary) -> String? {
        guard let source = summary.distanceSource else { return nil }
        let distance =
            switch source {
            case .measuredStepLength: "Distance: steps times the measured step length."
            case .height: "Distance: steps times a step length estimated from the height."
            case .pedometer: "Distance: as the pedometer reported it."
            }
        guard let energy = summary.energySource else { return distance }
        return distance + (energy == .weight ? " Calories: by weight and distance, above rest." : " Calories: as the pedometer reported them.")
    }
}
