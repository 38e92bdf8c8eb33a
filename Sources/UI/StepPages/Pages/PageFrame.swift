internal import StepDomain
internal import StepViews

/// The document around the content of a page.
struct PageFrame: Sendable {
    /// The pages that the navigation leads to.
    enum Section: String, CaseIterable, Sendable {
        case overview, day, week, month, year, share, devices, plan

        /// The parts of its address; empty for the first page.
        var path: [String] { self == .overview ? [] : [rawValue] }

        var title: String {
            switch self {
            case .overview: "Overview"
            case .day: "Day"
            case .week: "Week"
            case .month: "Month"
            case .year: "Year"
            case .share: "Share"
            case .devices: "Pedometers"
            case .plan: "Plan and profile"
            }
        }
    }

    let title: String
    let context: PageContext
    var section: Section?
    /// Whether the page shows a run that has not ended: without scripts it loads itself again.
    var refreshes = false

    func document(@MarkupBuilder _ content: () -> Markup) -> Markup {
        let content = content()
        return .doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.meta(Attribute(.name, "viewport"), Attribute(.content, "width=device-width, initial-scale=1"))
                    Element.title { "\(title) – istep" }
                    resources
                }
                Element.body {
                    Element.a(.css("skip"), .href(Link(fragment: "content"))) { "Skip to the content" }
                    ChartPatterns.hidden
                    if context.isLocal { navigation }
                    Element.main(Attribute(.id, "content")) { content }
                    Element.footer(.css("site")) {
                        "istep. Days are local time at the place where the steps were recorded. Unknown days are never counted as 0."
                    }
                }
            }
    }

    /// Marks a file as one that istep has written: a new report may replace it.
    static let generator = Element.meta(Attribute(.name, "generator"), Attribute(.content, "istep"))

    @MarkupBuilder private var resources: Markup {
        if context.isLocal {
            Element.link(Attribute(.rel, "stylesheet"), .href(Link(["istep.css"])))
            Element.link(Attribute(.rel, "icon"), .href(Link(["icon.svg"])), Attribute(.type, "image/svg+xml"))
            if refreshes { Element.noscript { Element.meta(Attribute(.httpEquiv, "refresh"), Attribute(.content, "2")) } }
            Markup.script
        } else {
            PageFrame.generator
            // Nothing is loaded from anywhere, and nothing runs.
            Element.meta(Attribute(.httpEquiv, "Content-Security-Policy"), Attribute(.content, "default-src 'none'; style-src 'unsafe-inline'"))
            Markup.style(.pages)
        }
    }

    private var navigation: Markup {
        Element.header(.css("site")) {
            Element.nav(Attribute(.ariaLabel, "Pages")) {
                Element.span(.css("name")) { "istep" }
                PageFrame.Section.allCases.map { item in
                    Element.a(.href(Link(item.path, query: context.userQuery)), item == section ? Attribute(.ariaCurrent, "page") : nil) {
                        item.title
                    }
                }
                people
                context.form("sync") { Element.button(Attribute(.type, "submit")) { "Sync" } }
            }
        }
    }

    /// Whose steps are shown, where there is a choice.
    private var people: Markup {
        guard context.users.count > 1 else { return .nothing }
        return Element.form(Attribute(.method, "get"), .action(Link((section ?? .overview).path))) {
            Element.label(Attribute(.for, "user")) { "User" }
            Element.select(Attribute(.id, "user"), Attribute(.name, "user")) {
                context.users.map { user in
                    Element.option(Attribute(.value, user.name), Attribute(.selected, user.id == context.user.id)) {
                        Printable(user.name, limit: 32).description
                    }
                }
            }
            Element.button(Attribute(.type, "submit"), .css("quiet")) { "Show" }
        }
    }
}
