internal import StepDomain
internal import StepViews

/// The document around the content of a page.
struct PageFrame: Sendable {
    /// The pages that the navigation leads to.
    enum Section: String, CaseIterable, Sendable {
        case overview, history, share, devices, plan

        /// The parts of its address; empty for the first page.
        var path: [String] {
            switch self {
            case .overview: []
            case .history: ["week"]
            case .share, .devices, .plan: [rawValue]
            }
        }

        var title: String {
            switch self {
            case .overview: "Overview"
            case .history: "History"
            case .share: "Share"
            case .devices: "Pedometers"
            case .plan: "Plan"
            }
        }

        var icon: Icon { Icon(rawValue: rawValue) ?? .overview }
    }

    let title: String
    let context: PageContext
    var section: Section?
    /// The parts of the address of this page, where another user is chosen; nil for those of the section.
    var path: [String]?
    /// What belongs to that address.
    var query: [(String, String)] = []
    /// The day that is shown: the history opens at its week.
    var day: Day?
    /// Whether the page shows a run that has not ended: without scripts it loads itself again.
    var refreshes = false

    func document(@MarkupBuilder _ content: () -> Markup) -> Markup {
        let content = content()
        return .doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.meta(
                        Attribute(.name, "viewport"), Attribute(.content, "width=device-width, initial-scale=1"))
                    Element.title { "\(title) – istep" }
                    resources
                }
                Element.body(context.isLocal ? .css("local") : nil) {
                    Element.a(.css("skip"), .href(Link(fragment: "content"))) { "Skip to the content" }
                    Icon.definitions
                    if context.isLocal { header }
                    Element.main(Attribute(.id, "content")) { content }
                    Element.footer {
                        "Days are those of local time where the steps were recorded. Unknown days never count as 0."
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
            if refreshes {
                Element.noscript { Element.meta(Attribute(.httpEquiv, "refresh"), Attribute(.content, "2")) }
            }
            Markup.script
        } else {
            PageFrame.generator
            // Nothing is loaded from anywhere, and nothing runs.
            Element.meta(
                Attribute(.httpEquiv, "Content-Security-Policy"),
                Attribute(.content, "default-src 'none'; style-src 'unsafe-inline'"))
            Markup.style(.pages)
        }
    }

    /// False where the user has still to be chosen.
    private var isForUser: Bool { !context.user.isNew || context.users.isEmpty }

    // MARK: The header

    private var header: Markup {
        Element.header(.css("site")) {
            Element.div {
                Element.a(.css("brand"), .href(Link([], query: context.userQuery))) { Icon.brand + .text("istep") }
                Element.nav(.css("pages"), Attribute(.ariaLabel, "Pages")) { sections.map(link) }
                Element.div(.css("tools")) {
                    state
                    people
                    sync
                }
            }
        }
    }

    /// Guests see days only.
    private var sections: [Section] { context.isOwner ? Section.allCases : [.overview, .history] }

    private func link(to item: Section) -> Markup {
        let week = day.map { "\(Period(.week, containing: $0, weekStart: context.weekStart).days.lowerBound)" }
        let path = item == .history ? item.path + [week].compactMap(\.self) : item.path
        return Element.a(
            .href(Link(path, query: context.userQuery)), item == section ? Attribute(.ariaCurrent, "page") : nil
        ) {
            item.icon.markup + .text(item.title)
        }
    }

    /// The last sync and the battery, both shown in full by the page of the pedometers.
    @MarkupBuilder private var state: Markup {
        if let sync = context.sync {
            Element.a(.css(sync.isLate ? "synced late" : "synced"), .href(Link(["devices"], query: context.userQuery)))
            {
                Element.span {
                    if let last = sync.last {
                        Element.span(.css("long")) { "Synced " }
                        context.ago(last)
                    } else {
                        "never synced"
                    }
                    if sync.isLate { Element.span(.css("vh")) { ", the last attempt failed" } }
                }
                if let battery = sync.battery {
                    Element.span(battery < BatteryLevel.low ? nil : .css("long")) { Battery.markup(battery) }
                }
            }
        }
    }

    /// Whose steps are shown, where there is a choice.
    @MarkupBuilder private var people: Markup {
        if context.users.count > 1, isForUser {
            let path = path ?? section?.path ?? []
            Element.details(.css("menu")) {
                Element.summary(
                    .css("button person"), Attribute(.ariaLabel, "User: \(Printable(context.user.name, limit: 32))")
                ) {
                    PageContext.name(context.user.name, limit: 12)
                    Icon.down.markup
                }
                Element.div {
                    Element.ul {
                        context.users.map { user in
                            Element.li {
                                Element.a(
                                    .href(Link(path, query: query + [("user", user.name)])),
                                    user.id == context.user.id ? Attribute(.ariaCurrent, "true") : nil
                                ) { PageContext.name(user.name, limit: 32) }
                            }
                        }
                    }
                }
            }
        }
    }

    @MarkupBuilder private var sync: Markup {
        if !isForUser {
            Markup.nothing
        } else if context.sync?.isBusy == true {
            Element.a(.css("button"), .href(Link(["activity"], query: context.userQuery))) { "Running…" }
        } else {
            context.form("sync") { Element.button(Attribute(.type, "submit"), .css("primary")) { "Sync" } }
        }
    }
}
