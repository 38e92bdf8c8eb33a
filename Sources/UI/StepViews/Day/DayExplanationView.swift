internal import StepDomain
public import StepServices

/// Behind the figures of a day: each sample with its source, whether it counts, the syncs, and the rules.
public struct DayExplanationView: View {
    let day: DayView
    let provenance: DayProvenance

    public init(_ day: DayView, _ provenance: DayProvenance) {
        self.day = day
        self.provenance = provenance
    }

    private var summary: DaySummary { day.summary }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let steps = summary.steps.map { Words.count($0, "step") } ?? "nothing is known"
        page.row(
            StyledText("\(Printable(summary.user.name, limit: 32)) · \(Words.date(summary.day)): \(steps)", .strong))
        for source in provenance.sources { show(source, on: &page) }
        page.blank()
        for rule in rules(style.units) { page.paragraph(rule) }
        return page.lines
    }

    private func show(_ source: DayProvenance.Source, on page: inout TextPage) {
        page.blank()
        page.row(StyledText("\(Printable(source.name, limit: 32))", .strong))
        var facts = ["\(Words.count(source.recorded, "step")) recorded", "\(Words.grouped(source.counted)) counted"]
        if source.implausible > 0 { facts.append("\(Words.grouped(source.implausible)) implausible") }
        page.paragraph(facts.joined(separator: ", "), indent: 2, hanging: 4)
        for slot in source.slots {
            let ends = [slot.sample.start, slot.sample.span.end].map { clock($0, slot.sample.utcOffset) }
            let steps = Words.grouped(slot.sample.steps)
            page.row(
                StyledText(
                    "  \(ends[0]) to \(ends[1])  \(String(repeating: " ", count: max(0, 7 - steps.count)))\(steps)")
                    + StyledText("  \(slot.state.words)", slot.state == .counted ? .faint : .doubtful))
        }
        for sync in source.syncs {
            page.paragraph(
                "\(source.isImported ? "import" : "sync") of \(Words.clock(sync.start, day.localTime)): \(Words.count(sync.slots, "sample")), "
                    + Words.count(sync.steps, "step"), indent: 2, hanging: 4)
        }
    }

    /// The time of the day where the sample was recorded; 24:00 at its end.
    private func clock(_ moment: Timestamp, _ utcOffset: Int) -> String {
        let seconds = moment.seconds + utcOffset - summary.day.daysSince1970 * 86_400
        return Words.timeOfDay(min(max(seconds, 0), 86_400))
    }

    private func rules(_ units: UnitSystem) -> [String] {
        var rules: [String] = []
        if summary.isCorrected {
            let counted = summary.countedSteps.map { "; \(Words.grouped($0)) were counted" } ?? ""
            rules.append("The steps were entered by hand\(counted).")
        }
        rules += summary.excludedWords(limit: .max).map { "Excluded: \($0)." }
        rules += provenance.calculation(summary, units)
        if provenance.sources.isEmpty { rules.append("No source has recorded steps on this day.") }
        return rules
    }
}

extension DayProvenance.Slot.State {
    fileprivate var words: String {
        switch self {
        case .counted: "counted"
        case .other: "not counted: another source has more"
        case .implausible: "not counted: implausible"
        case .excluded: "not counted: excluded by you"
        }
    }
}

/// `istep show --explain --json`.
extension DayExplanationView: Described {
    public static let keys: [JSONKey<DayExplanationView>] = [
        .version,
        .init(.owner) { $0.summary.user.name },
        .init("day", .day, "The day.") { $0.summary.day.description },
        .init("steps", .nullable(.integer), "As show has them.") {
            $0.day.holds(.day) && $0.day.holds(.steps) ? $0.summary.steps : nil
        },
        .list("sources", "Pedometers and imports with anything on the day.") { view in
            view.provenance.sources.map { ExplainedSource(source: $0, localTime: view.day.localTime) }
        },
    ]
}

private struct ExplainedSource: Described {
    let source: DayProvenance.Source, localTime: LocalTime

    static let keys: [JSONKey<ExplainedSource>] = [
        .init("name", .text, "Its name.") { $0.source.name },
        .init("imported", .boolean, "Whether it is a source of imports: its syncs are imports.") {
            $0.source.isImported
        },
        .init("recordedSteps", .integer, "Plausible steps that it recorded.") { $0.source.recorded },
        .init("countedSteps", .integer, "Those of them that count.") { $0.source.counted },
        .init("implausibleSteps", .integer, "Not plausible, and not counted.") { $0.source.implausible },
        .list("samples", "Those with steps, by start.") { $0.source.slots },
        .list("syncs", "Those that stored its present samples.") { explained in
            explained.source.syncs.map { ExplainedSync(sync: $0, localTime: explained.localTime) }
        },
    ]
}

extension DayProvenance.Slot: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("start", .time, "When it begins.") { $0.sample.start.iso8601(utcOffset: $0.sample.utcOffset) },
        .init("seconds", .integer, "Its length.") { $0.sample.length },
        .init("steps", .integer, "Its steps.") { $0.sample.steps },
        .init(
            "state", .choice(State.self),
            "Whether it counts; other: another source recorded the same time and has more steps."
        ) { $0.state.rawValue },
    ]
}

private struct ExplainedSync: Described {
    let sync: DaySync, localTime: LocalTime

    static let keys: [JSONKey<ExplainedSync>] = [
        .init("start", .time, "When it began.") { Words.iso($0.sync.start, $0.localTime) },
        .init("samples", .integer, "Samples of the day that it stored.") { $0.sync.slots },
        .init("steps", .integer, "Their steps.") { $0.sync.steps },
    ]
}

extension JSONDocument {
    public static let explanation = JSONDocument(
        "explanation", "The samples and syncs behind the figures of a day.",
        DayExplanationView.self)
}
