internal import StepDomain
internal import StepViews

/// A notice, with a button to dismiss it while it is new.
struct NoticeBox: Sendable {
    let kept: StoredNotice
    let context: PageContext

    var markup: Markup {
        let words = NoticeWords(kept.notice, isHousehold: context.users.count > 1, now: context.now, localTime: context.localTime)
        return Element.section(.css("notice" + (kept.notice.isGood ? " good" : ""))) {
            Element.p { Element.strong { words.headline } }
            words.advice.html
            if kept.isNew {
                context.form("notices", "dismiss") {
                    Element.input(Attribute(.type, "hidden"), Attribute(.name, "notice"), Attribute(.value, "\(kept.id)"))
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
