internal import StepDomain
internal import StepViews

/// A message in place of a page: what is wrong, and where to go on.
struct MessagePage: Sendable {
    let context: PageContext
    let title: String
    let message: String
    var advice: String?
    var next: Activity.Next?

    var document: Markup {
        PageFrame(title: title, context: context).document {
            Element.h1 { title }
            Element.section(.css("card")) {
                Element.p { message }
                if let advice { Element.p { advice } }
                if let overview = context.link(), let today = context.link("day") {
                    Element.div(.css("actions")) {
                        if let next {
                            Element.a(.css("button"), .href(Link(next.path, query: context.userQuery))) { next.words }
                        }
                        Element.a(.css("button"), .href(today)) { "Today" }
                        Element.a(.css("button"), .href(overview)) { "Overview" }
                    }
                }
            }
        }
    }

    /// The configuration names a user whom the history does not have: what to do, and those that it has.
    ///
    /// - Parameter request: for the page that each choice leads to; the first page in place of a form.
    static func choice(of unknown: UnknownStandardUser, _ context: PageContext, for request: PageRequest) -> Markup {
        let path = request.method == "POST" ? [] : request.path
        let query =
            path.isEmpty ? [] : ["from", "to", "unit", "date", "pedometer"].map { ($0, request.query[$0] ?? "") }
        return PageFrame(title: "Choose a user", context: context).document {
            Element.h1 { "Choose a user" }
            NoticeBox.markup(.warn, "There is no user '\(Printable(unknown.name, limit: 64))' in this history") {
                Element.p(.css("small")) {
                    "This is the user that the key " + command("user")
                        + " of the configuration names, or the option " + command("--user")
                        + ". Correct the name, and load the page again."
                }
            }
            Card.section("Users of this history") {
                Element.div(.css("actions")) {
                    unknown.users.map { user in
                        Element.a(.css("button"), .href(Link(path, query: query + [("user", user.name)]))) {
                            PageContext.name(user.name, limit: 32)
                        }
                    }
                }
            }
        }
    }

    /// Before there is a history.
    ///
    /// - Parameter refusing: what was not done; nil for a page that was only looked at.
    static func firstSteps(_ context: PageContext, refusing: String? = nil) -> Markup {
        PageFrame(title: "First steps", context: context).document {
            Element.h1 { "First steps" }
            if let refusing {
                NoticeBox.markup(.bad, refusing) {
                    Element.p(.css("small")) { "The first pedometer, plan, profile or correction creates it." }
                }
            }
            begin(context, hasPedometer: false)
        }
    }

    /// How to begin: with the first pedometer, or with its first sync.
    static func begin(_ context: PageContext, hasPedometer: Bool) -> Markup {
        guard context.isOwner else { return Card.section("Steps") { Element.p { "Nothing is known yet." } } }
        return Card.section("First steps") {
            Element.p(.css("muted")) { "Nothing is known yet." }
            Element.ol(.css("steps")) {
                if !hasPedometer {
                    step {
                        "Charge your pedometer, hold it near this machine, and search for it here, or run "
                            + context.command("istep scan") + " in a terminal."
                        AdditionPage.searchForm(context)
                    }
                    step { "Add the one that was found, or run " + context.command("istep add ADDRESS") + "." }
                }
                step {
                    "Select "
                    Element.strong { "Sync" }
                    " at the top of this page, or run " + context.command("istep sync") + "."
                }
                if !context.users.isEmpty {
                    step {
                        Element.a(.href(Link(["plan"], query: context.userQuery))) { "Set a goal" }
                        " for each weekday."
                    }
                }
            }
            Element.p(.css("muted small")) {
                "Without a pedometer, " + command("istep demo") + " shows everything with a simulated one."
            }
        }
    }

    private static func step(@MarkupBuilder _ content: () -> Markup) -> Markup {
        Element.li { Element.div(content: content) }
    }
    private static func command(_ words: String) -> Markup { Element.code { words } }

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
                    Element.meta(
                        Attribute(.name, "viewport"), Attribute(.content, "width=device-width, initial-scale=1"))
                    Element.title { "istep" }
                    Markup.refusalStyle
                }
                Element.body { Element.main { Element.h1 { "istep" } + Element.p { message } } }
            }
    }
}

/// A file that leads a browser on to an address of the local page: a document without a frame.
package enum OpeningPage {
    /// - Parameter address: with the token. It is the one address in all pages that is not of the same server; it is
    ///   written by the program.
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
