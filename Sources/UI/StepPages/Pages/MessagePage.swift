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

    /// The answer to the first address: redirects to the pages by itself.
    ///
    /// - Parameter user: whose pages it redirects to; nil for those that the server chooses.
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

/// A file that leads a browser on to an address of the local page: a document without a frame.
package enum OpeningPage {
    /// - Parameter address: with the token. It is the one address in all pages that is not of the same server; it is written by the program.
    package static func source(leadingTo address: String) -> String {
        let document =
            Markup.doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.meta(Attribute(.httpEquiv, "refresh"), Attribute(.content, "0; url=\(address)"))
                    Element.title { "istep" }
                }
                Element.body { Element.p { "Opening your pages." } }
            }
        return document.source
    }
}
