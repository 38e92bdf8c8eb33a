public import StepDomain
public import StepServices

/// A history that is built from what a destination has, or would be.
public struct SharedRestoreView: View {
    let candidate: SharedRestore.Candidate
    let counts: ExportCounts
    /// The path of the history.
    let history: String
    let isDone: Bool

    public init(_ candidate: SharedRestore.Candidate, _ counts: ExportCounts, history: String, isDone: Bool) {
        (self.candidate, self.counts, self.history, self.isDone) = (candidate, counts, history, isDone)
    }

    private var held: HeldHistory { candidate.held }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(candidate.destination.name):", candidate.destination.location)
        let days = [held.firstDay, held.lastDay].compactMap { $0.map { "\($0)" } }.joined(separator: " to ")
        let rows = [
            ("Machine", short(held.machine)), ("User", short(held.user)), ("Pedometers", list(held.pedometers)),
            ("Days", "\(Words.count(held.days, "day")), \(days)"), ("Steps", Words.grouped(held.steps)),
        ]
        for (label, value) in rows where !value.isEmpty { page.labelled(label, StyledText(value), width: 12) }
        page.path(isDone ? "Restored to:" : "Would become:", history)
        if held.daysWithoutSamples > 0 {
            page.paragraph(
                "\(Words.count(held.daysWithoutSamples, "day")) \(held.daysWithoutSamples == 1 ? "is" : "are") left out: that machine did not send the samples."
            )
        }
        if held.daysWithoutCoverage > 0 {
            page.paragraph(
                "How complete \(Words.count(held.daysWithoutCoverage, "day")) \(held.daysWithoutCoverage == 1 ? "was" : "were") is not known: an earlier istep sent them. They come in as partial."
            )
        }
        if let first = counts.incompleteDays.first {
            let days = Words.count(counts.incompleteDays.count, "day")
            page.paragraph(
                """
                \(days) \(counts.incompleteDays.count == 1 ? "has" : "have") fewer steps than that machine had counted, \
                \(counts.incompleteDays.count == 1 ? "" : "the first ")\(first): samples are missing in the database.
                """, emphasis: .doubtful)
        }
        for words in missing { page.advice(words) }
        if !candidate.repeating.isEmpty {
            page.advice(
                """
                What was sent to other destinations is not known any more: the next sync sends all days from `since` on \
                to \(candidate.repeating.joined(separator: ", ")), which may have them. To prevent this, set `since` to \
                the first day that may be sent, and check the configuration: \(command: "istep config check")
                """)
        }
        if !candidate.others.isEmpty {
            page.paragraph(
                "Other machines have days of this user there, too: \(list(candidate.others.map(\.machine))). They are not part of it."
            )
        }
        if !held.isOwn {
            page.paragraph(
                "If \(short(held.machine)) is out of use, write machine = \"\(short(held.machine, limit: 200))\" into [share.\(candidate.destination.name)]: what is sent from here then replaces what it has sent."
            )
        }
        return page.lines
    }

    /// What comes from a server can have any length and any character.
    private func short(_ text: String, limit: Int = 64) -> String { Printable(text, limit: limit).description }

    private func list(_ names: [String]) -> String {
        let more = names.count > 20 ? ", and \(names.count - 20) more" : ""
        return names.prefix(20).map { short($0) }.joined(separator: ", ") + more
    }

    /// What the destination was not sent, and how it is set.
    private var missing: [Advice] {
        var missing: [Advice] = []
        if !held.hasProfile {
            missing.append("It has no profile: distances and energies need one. To set it: \(command: "istep profile")")
        }
        if !held.hasPlan { missing.append("It has no goals. To set them: \(command: "istep plan")") }
        return missing
    }
}

/// `istep restore --from --json`.
extension SharedRestoreView: Described {
    public static let keys: [JSONKey<SharedRestoreView>] = [
        .version, .init("destination", .text, "The name of the destination.") { $0.candidate.destination.name },
        .init("machine", .text, "The machine whose days they are.") { $0.held.machine },
        .init("user", .text, "The user.") { $0.held.user },
        .init("pedometers", .list(.text), "The pedometers with samples.") { $0.held.pedometers },
        .init("firstDay", .nullable(.text), "The first day.") { $0.held.firstDay?.description },
        .init("lastDay", .nullable(.text), "The last day.") { $0.held.lastDay?.description },
        .init("days", .integer, "Days with known steps.") { $0.held.days },
        .init("steps", .integer, "Their steps.") { $0.held.steps },
        .init("daysWithoutSamples", .integer, "Days that are left out: their samples were not sent.") {
            $0.held.daysWithoutSamples
        },
        .init("daysWithoutCoverage", .integer, "Days of which it is not known how complete they were.") {
            $0.held.daysWithoutCoverage
        },
        .init("incompleteDays", .list(.text), "Days with fewer steps than that machine had counted.") {
            $0.counts.incompleteDays.map(\.description)
        },
        .init("hasProfile", .boolean, "Whether a profile comes in.") { $0.held.hasProfile },
        .init("hasPlan", .boolean, "Whether goals come in.") { $0.held.hasPlan },
        .init("otherMachines", .list(.text), "Other machines with days of the user.") {
            $0.candidate.others.map(\.machine)
        },
        .init("repeating", .list(.text), "Destinations that would get days once more that they may have.") {
            $0.candidate.repeating
        },
        .list("tables", "The rows that are stored.") { $0.counts.tables },
        .init("history", .text, "The path of the history.") { $0.history },
        .init(.isStored) { $0.isDone },
    ]
}

extension JSONDocument {
    public static let rebuilding = JSONDocument(
        "rebuilding", "A history that is built from a shared database, or would be.", SharedRestoreView.self)
}
