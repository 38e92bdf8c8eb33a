internal import StepDomain
public import StepServices

/// What a deletion would lose, or has lost.
public struct DeletionView: View {
    let result: Deleting.Outcome

    public init(_ result: Deleting.Outcome) { self.result = result }

    private static let width = 12

    private var isDone: Bool { result.backup != nil }
    private var losses: DeletionLosses { result.losses }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.paragraph("\(isDone ? "Deleted" : "Would delete"): \(title).")
        showLosses(on: &page)
        result.destinations.show(on: &page, isWholeUser: isWholeUser)
        if case .source = result.deletion, losses.imports > 0 {
            page.paragraph(
                "An import of a file that has it brings it back, also one of the configuration, such as [import.phone]."
            )
        }
        if case .days(let days, let user) = result.deletion {
            let words = [days.lowerBound, days.upperBound].map(\.description)
            let range = words[0] == words[1] ? [words[0]] : words
            let (these, them) = range.count == 1 ? ("this day", "it") : ("these days", "them")
            page.advice(
                Advice([
                    .prose(
                        "Syncs and imports leave \(these) out from \(isDone ? "now" : "then") on. To let them bring \(them) again: "
                    ),
                    .command(ShellCommand("istep delete --readmit", range + ["--user", user.name])),
                ]))
        }
        if let backup = result.backup {
            page.backupBefore(backup)
            page.advice("To go back to it: \(command: "istep restore", backup)")
        }
        return page.lines
    }

    private var isWholeUser: Bool { if case .user = result.deletion { true } else { false } }

    private var title: String {
        switch result.deletion {
        case .days(let days, let user):
            "\(Words.days(days.lowerBound, days.upperBound)) of \(Printable(user.name, limit: 64))"
        case .source(let source, let user):
            "\(Printable(source.pedometer.name, limit: 64)) of \(Printable(user.name, limit: 64)), with all that it has counted"
        case .user(let user): "the user \(Printable(user.name, limit: 64)), with all days"
        }
    }

    private func showLosses(on page: inout TextPage) {
        let gone = losses.days.filter { $0.after == nil }, changed = losses.days.filter { $0.after != nil }
        func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
            number == 0 ? "" : Words.count(number, one, many)
        }
        var days = ""
        if let first = gone.first?.day, let last = gone.last?.day {
            days = "\(Words.count(gone.count, "day")), \(Words.days(first, last))"
        }
        let rows = [
            ("Days", days), ("Steps", losses.days.isEmpty ? "" : Words.count(losses.steps, "step")),
            ("By hand", count(losses.corrections, "day")),
            ("Excluded", count(losses.exclusions, "block of time", "blocks of time")),
            ("Pedometers", losses.pedometers.map { Printable($0, limit: 32).description }.joined(separator: ", ")),
            ("Imports", count(losses.imports, "import")), ("Plans", count(losses.plans, "plan")),
            ("Profiles", count(losses.profiles, "profile")),
        ]
        for (label, value) in rows where !value.isEmpty {
            page.labelled(label, StyledText(value), width: Self.width)
        }
        if changed.isEmpty { return }
        page.labelled(
            "Changed", StyledText("\(Words.count(changed.count, "day")), which others have counted, too"),
            width: Self.width)
        page.changedDays(changed) { $2.labelled("", StyledText($0, $1), width: Self.width) }
    }
}

extension [DestinationFate] {
    /// - Parameter isWholeUser: whether the user is deleted.
    func show(on page: inout TextPage, isWholeUser: Bool) {
        for fate in self {
            let days = "\(Printable(fate.name, limit: 32)): \(Words.count(fate.days, "day"))"
            switch fate.kind {
            case .replaced:
                page.paragraph("\(days) there; the next share or sync sends 0 steps in their place.", hanging: 2)
            case .removed:
                page.paragraph(
                    "\(days) there; the next share or sync removes \(fate.days == 1 ? "it" : "them").", hanging: 2)
            case .keepsSamples:
                page.paragraph(
                    "\(days) there; the next share or sync sends 0 steps in their place. The slots that were sent stay there: delete them there.",
                    emphasis: .doubtful, hanging: 2)
            case .keeps:
                page.paragraph(
                    "\(days) there, and keeps \(fate.days == 1 ? "it" : "them"): delete \(fate.days == 1 ? "it" : "them") there.",
                    emphasis: .doubtful, hanging: 2)
            }
        }
        if isWholeUser, !isEmpty {
            page.paragraph(
                "Where a destination replaces days, it is told of deleted days, but not of a deleted user: delete the days first, and share."
            )
        }
    }
}

/// `istep delete --json`.
extension DeletionView: Described {
    public static let keys: [JSONKey<DeletionView>] = [
        .version,
        .init("kind", .choice(["days", "source", "user"]), "What is deleted.") { view in
            switch view.result.deletion {
            case .days: "days"
            case .source: "source"
            case .user: "user"
            }
        },
        .init("user", .text, "Whose it is.") { $0.result.deletion.owner.name },
        .init("source", .nullable(.text), "The name of the pedometer or source that is deleted.") { view in
            if case .source(let source, _) = view.result.deletion { source.pedometer.name } else { nil as String? }
        },
        .init("firstDay", .nullable(.day), "The first day that is deleted; null unless days are.") {
            $0.range?.lowerBound.description
        },
        .init("lastDay", .nullable(.day), "The last day that is deleted; null unless days are.") {
            $0.range?.upperBound.description
        },
        .list("changes", "Days with other steps than before.") { $0.losses.days },
        .init("steps", .integer, "Steps that are lost.") { $0.losses.steps },
        .init("corrections", .integer, "Days whose steps were entered by hand, and that are lost.") {
            $0.losses.corrections
        },
        .init("exclusions", .integer, "Blocks of excluded time that are lost.") { $0.losses.exclusions },
        .init("pedometers", .list(.text), "Pedometers and sources of imports that are removed.") {
            $0.losses.pedometers
        },
        .init("imports", .integer, "Imports of which nothing is left.") { $0.losses.imports },
        .init("plans", .integer, "Plans that are lost.") { $0.losses.plans },
        .init("profiles", .integer, "Profiles that are lost.") { $0.losses.profiles },
        .list("destinations", "Destinations that have such days.") { $0.result.destinations },
        .init("isDone", .boolean, "Whether it was deleted.") { $0.isDone },
        .init(.backup) { $0.result.backup },
    ]

    private var range: ClosedRange<Day>? {
        if case .days(let days, _) = result.deletion { days } else { nil }
    }
}

extension DestinationFate: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("name", .text, "Its name.") { $0.name },
        .init("days", .integer, "Days that it has, and of which nothing is known any more.") { $0.days },
        .init(
            "effect", .choice(DestinationFate.Kind.self),
            "replaced: it gets 0 steps in their place; removed: it removes them; keepsSamples: it gets 0 steps, and slots stay there; keeps: the days stay."
        ) { $0.kind.rawValue },
    ]
}

extension JSONDocument {
    public static let deletion = JSONDocument(
        "deletion", "What a deletion would lose, or has lost.",
        DeletionView.self)
}
