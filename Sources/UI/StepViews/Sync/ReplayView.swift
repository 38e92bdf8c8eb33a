public import StepDomain

/// What decoding stored frames again would change, or has changed.
public struct ReplayView: View {
    let changes: [ReplayChanges]
    let state: ImportView.State

    public init(_ changes: [ReplayChanges], _ state: ImportView.State) { (self.changes, self.state) = (changes, state) }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if changes.isEmpty { page.paragraph("There are no pedometers.") }
        for change in changes { show(change, on: &page) }
        guard case .stored(let backup?) = state else { return page.lines }
        page.backupBefore(backup)
        return page.lines
    }

    private func show(_ change: ReplayChanges, on page: inout TextPage) {
        let replay = change.replay
        page.row(
            StyledText("\(Printable(replay.pedometer.name, limit: 64))", .strong)
                + StyledText("  \(Words.count(replay.readings.count, "sync", "syncs")) decoded again"))
        let isDone = state != .preview
        if change.samples == 0 {
            page.paragraph("Nothing changes.", indent: 2)
        } else {
            let days = Words.count(change.days.count, "day")
            page.paragraph(
                "\(Words.count(change.samples, "sample")) \(isDone ? "changed" : "would change"); \(days) with other steps",
                indent: 2)
        }
        page.changedDays(change.days) { $2.paragraph($0, emphasis: $1, indent: 4) }
        if replay.kept > 0 {
            page.paragraph(
                "\(Words.count(replay.kept, "sync", "syncs")) cannot be decoded again: what \(replay.kept == 1 ? "it has" : "they have") stored stays.",
                indent: 2)
        }
        if replay.withoutFrames > 0 {
            page.paragraph(
                "\(Words.count(replay.withoutFrames, "sync", "syncs")) \(replay.withoutFrames == 1 ? "has" : "have") no frames (any more): what was stored stays.",
                indent: 2)
        }
    }
}

/// `istep replay --json`.
extension ReplayView: Described {
    public static let keys: [JSONKey<ReplayView>] = [
        .version,
        .list("pedometers", "Those whose frames were decoded again.") { $0.changes.map(Replayed.init) },
        .init(.isStored) { $0.state != .preview },
        .init(.backup) { $0.state.backup },
    ]
}

private struct Replayed: Described {
    let changes: ReplayChanges

    static let keys: [JSONKey<Replayed>] = [
        .init("name", .text, "Its name.") { $0.changes.replay.pedometer.name },
        .init("decoded", .integer, "Syncs whose frames were decoded again.") { $0.changes.replay.readings.count },
        .init("kept", .integer, "Syncs whose frames cannot be decoded again: what they have stored stays.") {
            $0.changes.replay.kept
        },
        .init("withoutFrames", .integer, "Syncs that have stored samples and have no frames.") {
            $0.changes.replay.withoutFrames
        },
        .init("samples", .integer, "Samples that differ.") { $0.changes.samples },
        .list("changes", "Days of the user with other steps than before.") { $0.changes.days },
    ]
}

extension JSONDocument {
    public static let replay = JSONDocument(
        "replay", "What decoding stored frames again would change, or has changed.",
        ReplayView.self)
}
