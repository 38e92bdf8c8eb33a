internal import StepDomain
public import StepServices

/// What a move would change, or has changed.
public struct MoveView: View {
    let outcome: Moving.Outcome

    public init(_ outcome: Moving.Outcome) { self.outcome = outcome }

    private var isDone: Bool { outcome.backup != nil }
    private var effect: MoveEffect { outcome.effect }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let (from, to) = (outcome.move.from, outcome.move.to)
        page.paragraph("\(isDone ? "Moved" : "Would move"): \(title) to \(name(to)).")
        show(effect.from, of: from, on: &page)
        show(effect.to, of: to, on: &page)
        if effect.corrections > 0 {
            page.paragraph(
                "\(Words.count(effect.corrections, "correction")) by hand \(isDone ? "moved" : "would move") with the days.",
                indent: 2)
        }
        if effect.lostCorrections > 0 {
            page.paragraph(
                "\(name(to)) keeps \(Words.count(effect.lostCorrections, "correction")) by hand: what \(name(from)) has for the same days is lost.",
                emphasis: .doubtful, indent: 2)
        }
        for destination in outcome.destinations {
            let days =
                "\(Printable(destination.name, limit: 32)): \(Words.count(destination.days, "day")) of \(name(destination.user)) there"
            page.paragraph(
                destination.isSentAgain
                    ? "\(days); the next share or sync sends \(destination.days == 1 ? "it" : "them") again."
                    : "\(days), which it keeps as \(destination.days == 1 ? "it was" : "they were") sent.",
                emphasis: destination.isSentAgain ? nil : .doubtful, hanging: 2)
        }
        if case .days = outcome.move {
            page.paragraph("Later syncs and imports of \(name(from)) leave these days out.")
        }
        if let backup = outcome.backup {
            page.backupBefore(backup)
            page.advice("To go back to it: \(command: "istep restore", backup)")
        }
        return page.lines
    }

    private func name(_ user: User) -> String { Printable(user.name, limit: 64).description }

    private var title: String {
        switch outcome.move {
        case .days(let days, let user, _): "\(Words.days(days.lowerBound, days.upperBound)) of \(name(user))"
        case .source(let source, let user, _):
            "\(Printable(source.pedometer.name, limit: 64)) of \(name(user)), with all that it has counted,"
        }
    }

    private func show(_ side: MoveEffect.Side, of user: User, on page: inout TextPage) {
        page.paragraph(
            "\(name(user)): \(side.days.isEmpty ? "no day changes" : Words.count(side.days.count, "day changes", "days change"))",
            indent: 2)
        page.changedDays(side.days) { $2.wrap(StyledText("    " + $0, $1), hanging: 4) }
    }
}

/// `istep move --json`.
extension MoveView: Described {
    public static let keys: [JSONKey<MoveView>] = [
        .version,
        .init("from", .text, "The user who has had it.") { $0.outcome.move.from.name },
        .init("to", .text, "The user who gets it.") { $0.outcome.move.to.name },
        .init("source", .nullable(.text), "The name of the pedometer or source that is moved.") { view in
            if case .source(let source, _, _) = view.outcome.move { source.pedometer.name } else { nil as String? }
        },
        .init("firstDay", .nullable(.day), "The first day that is moved; null unless days are.") {
            $0.range?.lowerBound.description
        },
        .init("lastDay", .nullable(.day), "The last day that is moved; null unless days are.") {
            $0.range?.upperBound.description
        },
        .list("changesFrom", "Days of the user who has had it, with other steps.") { $0.effect.from.days },
        .list("changesTo", "Days of the user who gets it, with other steps.") { $0.effect.to.days },
        .init("corrections", .integer, "Corrections by hand that are moved.") { $0.effect.corrections },
        .init("lostCorrections", .integer, "Corrections by hand that are lost.") { $0.effect.lostCorrections },
        .list("destinations", "Destinations that have days which change.") { $0.outcome.destinations },
        .init("isDone", .boolean, "Whether it was moved.") { $0.isDone },
        .init(.backup) { $0.outcome.backup },
    ]

    private var range: ClosedRange<Day>? {
        if case .days(let days, _, _) = outcome.move { days } else { nil }
    }
}

extension Moving.Destination: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("name", .text, "Its name.") { $0.name },
        .init("user", .text, "The user whose days they are.") { $0.user.name },
        .init("days", .integer, "Days that it has, and that change.") { $0.days },
        .init("isSentAgain", .boolean, "Whether they are sent again; otherwise it keeps what it has.") {
            $0.isSentAgain
        },
    ]
}

extension JSONDocument {
    public static let move = JSONDocument(
        "move", "What a move to another user would change, or has changed.",
        MoveView.self)
}
