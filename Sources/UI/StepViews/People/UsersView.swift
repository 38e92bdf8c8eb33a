internal import StepDomain
public import StepServices

/// The users of a history.
public struct UsersView: View {
    let entries: [Users.Entry]

    public init(_ entries: [Users.Entry]) { self.entries = entries }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if entries.isEmpty { page.advice("No user yet. To add one: \(command: "istep users add NAME")") }
        page.list(
            entries, name: \.user.name, limit: 32, beside: { StyledText(Self.days($0)) }, below: { show($0, on: &$1) })
        return page.lines
    }

    private static func days(_ entry: Users.Entry) -> String {
        guard let days = entry.days else { return "no days yet" }
        return "\(Words.count(entry.count, "day")), \(Words.days(days.lowerBound, days.upperBound))"
    }

    private func show(_ entry: Users.Entry, on page: inout TextPage) {
        let names = entry.pedometers.map { Printable($0, limit: 32).description }.joined(separator: ", ")
        page.paragraph(names.isEmpty ? "no pedometer" : names, indent: 2, hanging: 4)
        page.paragraph(entry.plan.map(Self.plan) ?? "no plan", emphasis: .faint, indent: 2, hanging: 4)
    }

    /// `a goal of 8,000 steps`, or the range of the goals; rest days do not count.
    private static func plan(_ plan: SportPlan) -> String {
        let goals = plan.goals.filter { $0 > 0 }
        guard let least = goals.min(), let most = goals.max() else { return "only rest days" }
        return least == most
            ? "a goal of \(Words.count(least, "step"))"
            : "goals of \(Words.grouped(least)) to \(Words.count(most, "step"))"
    }

    public static let keys: [JSONKey<UsersView>] = [
        .version, .list("users", "By name.") { $0.entries },
    ]
}

extension Users.Entry: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("name", .text, "The name of the user.") { $0.user.name },
        .init("pedometers", .list(.text), "The pedometers and sources of imports in use.") { $0.pedometers },
        .init("firstDay", .nullable(.day), "The first day of which anything is known.") {
            $0.days?.lowerBound.description
        },
        .init("lastDay", .nullable(.day), "The last day of which anything is known.") {
            $0.days?.upperBound.description
        },
        .init("days", .integer, "Days of which anything is known.") { $0.count },
        .init("goals", .nullable(.list(.integer)), "The goals of the plan of today, from Monday on; 0 is a rest day.") {
            $0.plan?.goals
        },
    ]
}

extension JSONDocument {
    public static let users = JSONDocument(
        "users", "The users; with add and rename the one that was changed.",
        UsersView.self)
}
