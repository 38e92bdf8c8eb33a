internal import StepDomain
internal import StepViews

/// A message in place of a page: what is wrong, and where to go on.
struct MessagePage: Sendable {
    let context: PageContext
    let title: String
    let message: String
    var advice: String?

    var document: Markup {
        PageFrame(title: title, context: context).document {
            Element.h1 { title }
            Element.section {
                Element.p { message }
                if let advice { Element.p { advice } }
                if let today = context.link("day") { Element.p { Element.a(.href(today)) { "Today" } } }
            }
        }
    }

    /// Before there is a history.
    static func firstSteps(_ context: PageContext) -> Markup {
        PageFrame(title: "First steps", context: context).document {
            Element.h1 { "First steps" }
            Element.section {
                Element.p { "There is no history yet. In a terminal:" }
                Element.ol {
                    step("istep scan", "which pedometers are in range")
                    step("istep add ADDRESS", "registers one of them")
                    step("istep sync", "reads its steps; from then on this page can do that as well")
                }
                Element.p {
                    "Without a pedometer, "
                    Element.code { "istep demo" }
                    " shows everything with a simulated one."
                }
            }
        }
    }

    private static func step(_ command: String, _ words: String) -> Markup {
        Element.li {
            Element.code { command }
            ": \(words)"
        }
    }

    /// The answer to the first address: goes on to the pages by itself.
    ///
    /// - Parameter user: whose pages it goes on to; nil for those that the server chooses.
    static func opening(user: String?) -> Markup {
        let first = Link([], query: [("user", user ?? "")])
        return .doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.meta(Attribute(.httpEquiv, "refresh"), Attribute(.content, "0; url=\(first.text)"))
                    Element.title { "istep" }
                }
                Element.body { Element.main { Element.p { Element.a(.href(first)) { "Continue to the pages" } } } }
            }
    }

    /// For those who are not let in: without any of the other pages' names.
    static func refusal(_ message: String) -> Markup {
        .doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.title { "istep" }
                }
                Element.body { Element.main { Element.h1 { "istep" } + Element.p { message } } }
            }
    }
}

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
