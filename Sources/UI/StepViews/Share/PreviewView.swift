public import StepDomain
public import StepServices

/// What would be sent, word for word.
public struct PreviewView: View {
    let previews: [SharePreview]
    let user: User

    /// - Parameter user: whose days they are.
    public init(_ previews: [SharePreview], of user: User) {
        self.previews = previews
        self.user = user
    }

    /// Why nothing would be sent; nil if something would.
    private func remark(_ preview: SharePreview) -> String? {
        switch preview.result {
        case .content: nil
        case .settled: "already sent; use --again to send once more"
        case .fixed: "changed since it was sent, and cannot be corrected there; use --again to send once more"
        case .doubtful: "may have arrived: check there, then retry or drop it in the outbox"
        case .nothingKnown: "nothing is known of that day"
        case .passed: "this destination shows only the latest day, and has a later one"
        case .userExcluded: "\(user.name) is not among the `users` of this destination"
        }
    }

    /// The content is not cut to the width: what would be sent is shown whole.
    public func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for preview in previews {
            if !lines.isEmpty { lines.append("") }
            var page = TextPage(style)
            page.wrap(StyledText("\(Printable(preview.destination, limit: 32)), \(preview.day)", .strong), hanging: 2)
            lines += page.lines
            if let remark = remark(preview) { lines.append("  nothing would be sent: \(Printable.lines(remark))") }
            guard case .content(let content) = preview.result else { continue }
            lines += Printable.lines(content).split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.isEmpty ? "" : "  \($0)"
            }
        }
        return lines
    }
}

extension PreviewView {
    /// After `istep share --queue`: how many days a destination is going to get, and why it is not going to get the
    /// others.
    ///
    /// - Parameter states: of the destinations.
    public func queueLines(_ style: TextStyle, states: [DestinationState], now: Timestamp) -> [String] {
        var page = TextPage(style)
        for name in previews.map(\.destination).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
            let own = previews.filter { $0.destination == name }
            for reason in own.map({ remark($0) }).reduce(into: [String?](), { if !$0.contains($1) { $0.append($1) } }) {
                let days = own.filter { remark($0) == reason }.map(\.day)
                let subject = days.count == 1 ? "\(days[0])" : Words.count(days.count, "day")
                let words =
                    reason.map { ": \($0)" }
                    ?? " in the outbox; "
                    + (EntryWords.wait(for: states.first { $0.name == name }, now)
                        ?? "the next sync sends \(days.count == 1 ? "it" : "them")")
                page.paragraph("\(Printable(name, limit: 32)): \(subject)\(Printable(words, limit: 200))", hanging: 2)
            }
        }
        return page.lines
    }

    /// `istep share --dry-run --json`.
    public static let keys: [JSONKey<PreviewView>] = [
        .version,
        .list("previews", "A day for a destination.") { view in
            view.previews.map { PreviewRecord(preview: $0, user: view.user, remark: view.remark($0)) }
        },
    ]
}

private struct PreviewRecord: Described {
    let preview: SharePreview, user: User, remark: String?

    static let keys: [JSONKey<PreviewRecord>] = [
        .init(.destination) { $0.preview.destination },
        .init(.owner) { $0.user.name },
        .init("day", .day, "The day.") { $0.preview.day.description },
        .init("content", .nullable(.text), "What would be sent, with secrets masked; null where nothing would.") {
            record -> String? in
            if case .content(let content) = record.preview.result { content } else { nil }
        },
        .init("remark", .nullable(.text), "Why nothing would be sent.") { $0.remark },
    ]
}

extension JSONDocument {
    public static let previews = JSONDocument(
        "previews", "What would be sent.",
        PreviewView.self)
}
