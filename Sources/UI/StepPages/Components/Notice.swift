internal import StepDomain
internal import StepViews

/// Something to know or to do, above what it is about.
enum NoticeBox {
    enum Kind: String { case plain = "", warn, bad }

    static func markup(
        _ kind: Kind, _ headline: String, isStatus: Bool = false, @MarkupBuilder content: () -> Markup = { .nothing }
    )
        -> Markup
    {
        Element.div(.css(Card.join("notice", kind.rawValue)), isStatus ? Attribute(.role, "status") : nil) {
            (kind == .plain ? Icon.information : .warning).markup
            Element.div {
                Element.strong { headline }
                content()
            }
        }
    }

    /// With a button to dismiss it while it is new.
    static func markup(_ stored: StoredNotice, _ context: PageContext) -> Markup {
        let words = NoticeWords(
            stored.notice, isHousehold: context.users.count > 1, now: context.now, localTime: context.localTime,
            form: .short)
        return markup(stored.notice.isGood ? .plain : .warn, words.headline) {
            words.advice.with(context.commandOptions).html
            if stored.isNew {
                context.form("notices", "dismiss") {
                    Element.hidden("notice", "\(stored.id)")
                    Element.button(
                        Attribute(.type, "submit"), .css("small"), Attribute(.ariaLabel, "Dismiss: \(words.headline)")
                    ) {
                        "Dismiss"
                    }
                }
            }
        }
    }
}

extension Advice {
    /// A paragraph with the commands as code; nothing if it is empty.
    var html: Markup {
        if parts.isEmpty { return .nothing }
        return Element.p(.css("small")) {
            parts.map { part -> Markup in
                switch part {
                case .prose(let text): .text(text)
                case .command(let command): Element.code { command.text() }
                }
            }
        }
    }
}
