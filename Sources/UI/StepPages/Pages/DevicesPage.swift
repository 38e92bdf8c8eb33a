internal import StepDomain
internal import StepViews

/// Notices and pedometers.
struct DevicesPage: Sendable {
    struct Entry: Sendable {
        var pedometer: Pedometer
        var model: String
        var user: String
        /// Newest first.
        var syncs: [SyncRecord]
    }

    let context: PageContext
    let notices: [StoredNotice]
    let entries: [Entry]

    var document: Markup {
        PageFrame(title: "Pedometers", context: context, section: .devices).document {
            Element.h1 { "Pedometers" }
            notices.map { NoticeBox(stored: $0, context: context).markup }
            if entries.isEmpty { Element.section { Self.noPedometer(context) } }
            entries.map(section)
        }
    }

    /// In place of pedometers: how to get one.
    static func noPedometer(_ context: PageContext) -> Markup {
        // Without the name, the pedometer would be added for the user who is logged in.
        Advice.firstPedometer().with(CommandOptions(user: context.users.count > 1 ? context.user.name : nil)).html
    }

    private func section(_ entry: Entry) -> Markup {
        let history = SyncHistory(syncs: entry.syncs)
        let (last, battery) = (history.lastComplete, history.battery)
        return Element.section {
            Element.h2 { PageContext.name(entry.pedometer.name) }
            Element.p(.css("faint")) {
                "\(entry.model), \(Printable(entry.pedometer.address, limit: 17)), of "
                PageContext.name(entry.user, limit: 32)
            }
            Tile.list([
                Tile("Battery", battery.map { "\($0) %" } ?? "unknown", (battery ?? 100) < BatteryLevel.low ? "charge it soon" : ""),
                Tile(
                    "Last sync", last.map { Words.ago($0.end ?? $0.start, now: context.now) } ?? "never",
                    last.map { Words.clock($0.end ?? $0.start, context.localTime) } ?? ""),
                Tile("Steps stored up to", entry.pedometer.cursor.readThrough.map { Words.clock($0, context.localTime) } ?? "nothing yet"),
            ])
            if let attempts = history.attemptsSince(now: context.now) {
                Element.p(.css("doubtful")) { "\(attempts.prefix(1).uppercased())\(attempts.dropFirst())" }
            }
        }
    }
}

/// A notice, with a button to dismiss it while it is new.
struct NoticeBox: Sendable {
    let stored: StoredNotice
    let context: PageContext

    var markup: Markup {
        let words = NoticeWords(stored.notice, isHousehold: context.users.count > 1, now: context.now, localTime: context.localTime)
        return Element.section(.css("notice" + (stored.notice.isGood ? " good" : ""))) {
            Element.p { Element.strong { words.headline } }
            words.advice.html
            if stored.isNew {
                context.form("notices", "dismiss") {
                    Element.input(Attribute(.type, "hidden"), Attribute(.name, "notice"), Attribute(.value, "\(stored.id)"))
                    Element.button(Attribute(.type, "submit"), .css("quiet"), Attribute(.ariaLabel, "Dismiss: \(words.headline)")) { "Dismiss" }
                }
            }
        }
    }
}

extension Advice {
    /// A paragraph with the commands as code; nothing if it is empty.
    var html: Markup {
        if parts.isEmpty { return .nothing }
        return Element.p {
            parts.map { part -> Markup in
                switch part {
                case .prose(let text): .text(text)
                case .command(let command): Element.code { command.text() }
                }
            }
        }
    }
}
