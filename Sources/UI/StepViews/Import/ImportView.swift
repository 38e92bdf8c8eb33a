public import StepDomain

/// What an import would change, or has changed.
public struct ImportView: View {
    public enum State: Sendable, Equatable {
        case preview
        /// With the path of the backup that was made before; nil if there was no history.
        case stored(backup: String?)
    }

    let history: ForeignHistory
    let changes: ImportChanges
    let state: State

    public init(_ history: ForeignHistory, _ changes: ImportChanges, _ state: State) {
        self.history = history
        self.changes = changes
        self.state = state
    }

    /// Of the labels.
    private static let width = 14

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(history.format.title):", history.path)
        if history.isEmpty {
            page.paragraph("It has no steps: there is nothing to import.", indent: 2)
            showNotes(on: &page)
            return page.lines
        }
        for (index, track) in history.tracks.enumerated() {
            let name = changes.sources.indices.contains(index) ? changes.sources[index] : track.source.name
            page.labelled(
                index == 0 ? "Source" : "", StyledText("\(Printable(name, limit: 64))", .strong), width: Self.width)
            if let first = track.firstDay, let last = track.lastDay {
                let what =
                    "\(Words.days(first, last)): \(Words.count(track.days.count, "day")), \(Words.count(track.steps, "step"))"
                page.labelled("", StyledText(what), width: Self.width)
            }
        }
        page.labelled("Time zone", StyledText(zone), width: Self.width)
        for overlap in changes.overlaps {
            page.labelled(
                "Also there",
                StyledText(
                    "\(Printable(overlap.name, limit: 64)), \(Words.count(overlap.days, "day")): of the same minutes the greater count"
                ),
                width: Self.width)
        }
        showNotes(on: &page)
        showChanges(on: &page)
        showSuperseded(on: &page)
        return page.lines
    }

    private var zone: String {
        switch history.zone {
        case .records: "as each record says"
        case .named(let name): "\(Printable(name, limit: 64)), as you said"
        case .machine(let name):
            "\(name.map { "\(Printable($0, limit: 64)), " } ?? "")that of this machine: the file does not say it. Another one: --zone NAME"
        }
    }

    private func showNotes(on page: inout TextPage) {
        for note in history.notes {
            switch note {
            case .decision(let words):
                page.labelled("Note", StyledText("\(Printable(words, limit: 400))"), width: Self.width)
            case .leftOut(let count, let reason):
                page.labelled(
                    "Left out",
                    StyledText("\(Words.count(count, "record")) \(Printable(reason, limit: 200))", .doubtful),
                    width: Self.width
                )
            }
        }
    }

    private func showChanges(on page: inout TextPage) {
        if changes.deletedDays > 0 {
            page.labelled(
                "Left out",
                StyledText("\(Words.count(changes.deletedDays, "day")) that you have deleted or moved", .doubtful),
                width: Self.width)
        }
        if changes.isOfDeletedDays {
            showDecisions(on: &page)
            return page.paragraph("It has no other days: nothing changes.")
        }
        if let same = changes.sameAs {
            showDecisions(on: &page)
            return page.paragraph("Import \(same) has said all of this: nothing changes.")
        }
        if changes.isOfKnownDecisions {
            showDecisions(on: &page)
            return page.paragraph("It has no steps, and none of its corrections counts here: nothing changes.")
        }
        if changes.isOwn {
            showDecisions(on: &page)
            return page.paragraph("The same pedometers have all of this in the history already: nothing changes.")
        }
        let added = changes.newDays, corrected = changes.correctedDays
        let isDone = state != .preview
        page.labelled(
            isDone ? "Added" : "Would add",
            StyledText(
                "\(Words.count(added.count, "day")), \(Words.count(added.reduce(0) { $0 + ($1.after ?? 0) }, "step"))"),
            width: Self.width)
        page.labelled(
            isDone ? "Changed" : "Would change",
            StyledText(corrected.isEmpty ? "no day" : Words.count(corrected.count, "day")), width: Self.width)
        page.changedDays(corrected) { $2.labelled("", StyledText($0, $1), width: Self.width) }
        showDecisions(on: &page)
        guard case .stored(let backup) = state, let id = changes.id else { return }
        if let backup { page.backupBefore(backup) }
        page.advice("To take it back: \(command: "istep imports remove \(id)")")
    }

    /// Why a file does not count, and what to do if it should.
    private func showSuperseded(on page: inout TextPage) {
        for one in changes.superseded {
            page.paragraph(
                "Of \(Words.count(one.days, "day")) of \(Printable(one.source, limit: 64)), import \(one.by) says otherwise and counts: of two exports of a source, the one that reaches further does.",
                emphasis: .doubtful, hanging: 2)
        }
        guard let by = changes.superseded.first?.by else { return }
        let isStored = changes.sameAs != nil || state != .preview
        page.advice(
            Advice([
                .prose(
                    isStored
                        ? "If this file is the right one, take the other one back; what only that one has goes with it: "
                        : "If this file is the right one, import it and then take the other one back; what only that one has goes with it: "
                ), .command(ShellCommand("istep imports remove \(by)")),
            ]))
    }

    private func showDecisions(on page: inout TextPage) {
        let isDone = state != .preview
        for (kind, counts) in [(Decision.corrections, changes.corrections), (.exclusions, changes.exclusions)] {
            if let taken = kind.count(counts.taken) {
                page.labelled(isDone ? "Took over" : "Would take", StyledText(taken), width: Self.width)
            }
            if let kept = kind.count(counts.kept) {
                page.labelled(
                    "Left out", StyledText("\(kept): what you have decided here counts", .doubtful),
                    width: Self.width)
            }
        }
    }

    /// What the user of another history has decided.
    enum Decision {
        case corrections, exclusions

        /// Nil for none.
        func count(_ number: Int) -> String? {
            if number == 0 { return nil }
            return switch self {
            case .corrections: Words.count(number, "corrected day", "corrected days")
            case .exclusions: Words.count(number, "block of excluded time", "blocks of excluded time")
            }
        }
    }
}
