/// A run that has not ended, or its result.
struct ActivityPage: Sendable {
    let context: PageContext
    let state: Activity.State

    var document: Markup {
        var isRunning = false
        if case .running = state { isRunning = true }
        return PageFrame(title: title, context: context, refreshes: isRunning).document {
            Element.h1 { title }
            Element.section(.css("card")) { content }
        }
    }

    private var title: String {
        switch state {
        case .idle: "Nothing is running"
        case .running(let title, _): title
        case .ended(let title, _, let hasFailed, _): title + (hasFailed ? ": finished with errors" : ": done")
        }
    }

    @MarkupBuilder private var content: Markup {
        switch state {
        case .idle: Element.p { "Nothing was synced or shared since the server was started." }
        case .running(_, let line):
            Element.p(Attribute(.id, "activity-line"), Attribute(.role, "status"), Attribute(.ariaLive, "polite")) {
                line
            }
            Element.progress(Attribute(.ariaLabel, "in progress"))
        case .ended(_, let lines, _, let next):
            Element.pre(Attribute(.role, "status")) {
                lines.isEmpty ? "Nothing to do." : lines.joined(separator: "\n")
            }
            if let overview = context.link(), let today = context.link("day") {
                Element.div(.css("actions")) {
                    if let next {
                        Element.a(.css("button"), .href(Link(next.path, query: context.userQuery))) { next.words }
                    }
                    Element.a(.css("button"), .href(overview)) { "Overview" }
                    Element.a(.css("button"), .href(today)) { "Today" }
                }
            }
        }
    }
}
