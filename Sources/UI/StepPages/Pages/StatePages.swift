internal import StepDomain
internal import StepViews

/// What waits to be shared, by destination.
struct SharePage: Sendable {
    let context: PageContext
    /// Of the destinations that are configured, and of those that have days in the outbox.
    let states: [DestinationState]
    /// Of the user, without those that were sent.
    let entries: [ShareEntry]
    /// Why destinations cannot be used.
    let problem: String?

    var document: Markup {
        PageFrame(title: "Share", context: context, section: .share).document {
            Element.h1 { "Share" }
            if let problem { Element.section(.css("notice bad")) { Element.p { problem } } }
            if states.isEmpty {
                Element.section {
                    Element.p {
                        "No destination is configured. "
                        Element.code { "istep config kinds" }
                        " lists what days can be shared with."
                    }
                }
            }
            states.map(destination)
        }
    }

    private func destination(_ state: DestinationState) -> Markup {
        let own = entries.filter { $0.destination == state.name }
        return Element.section {
            Element.h2 { PageContext.name(state.name) }
            if let stopped = state.stopped { Element.p(.css("bad")) { "Paused: credentials rejected: \(Printable(stopped, limit: 300))" } }
            if let moment = state.nextAttempt(after: context.now) {
                Element.p(.css("doubtful")) {
                    "Next attempt after \(Words.clock(moment, context.localTime)), since the last one failed"
                    if let error = state.lastError { ": \(Printable(error, limit: 300))" }
                }
            }
            if own.isEmpty { Element.p(.css("faint")) { "Nothing waits." } } else { table(own, waitingFor: state.name) }
            buttons(state, own)
        }
    }

    private func table(_ entries: [ShareEntry], waitingFor name: String) -> Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { "Days that wait for \(Printable(name, limit: 64))" }
                Charts(context: context).head(["Day", "State", "Action"])
                Element.tbody {
                    entries.map { entry in
                        Element.tr {
                            Element.th(Attribute(.scope, "row")) { Element.a(.href(context.link(to: entry.day))) { "\(entry.day)" } }
                            Element.td(.css("words")) { EntryWords.state(entry, context) }
                            Element.td {
                                action("retry", "Retry", entry.destination, entry.day)
                                action("drop", "Drop", entry.destination, entry.day)
                            }
                        }
                    }
                }
            }
        }
    }

    private func action(_ verb: String, _ title: String, _ destination: String, _ day: Day) -> Markup {
        context.form("outbox", verb) {
            Element.input(Attribute(.type, "hidden"), Attribute(.name, "destination"), Attribute(.value, destination))
            Element.input(Attribute(.type, "hidden"), Attribute(.name, "day"), Attribute(.value, "\(day)"))
            Element.button(Attribute(.type, "submit"), .css("quiet"), Attribute(.ariaLabel, "\(title) \(day) at \(Printable(destination))")) {
                title
            }
        }
    }

    @MarkupBuilder private func buttons(_ state: DestinationState, _ own: [ShareEntry]) -> Markup {
        if !own.isEmpty || state.stopped != nil {
            context.form("outbox", "retry", style: "line") {
                Element.input(Attribute(.type, "hidden"), Attribute(.name, "destination"), Attribute(.value, state.name))
                Element.button(Attribute(.type, "submit"), Attribute(.ariaLabel, "Send the waiting days to \(Printable(state.name)) now")) {
                    "Send now"
                }
            }
        }
    }
}

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
            notices.map { NoticeBox(kept: $0, context: context).markup }
            if entries.isEmpty { Element.section { Self.noPedometer } }
            entries.map(section)
        }
    }

    /// In place of pedometers: how to get one.
    static var noPedometer: Markup {
        Element.p {
            "No pedometer yet. "
            Element.code { "istep scan" }
            " finds one, "
            Element.code { "istep add ADDRESS" }
            " registers it."
        }
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
                Tile("Battery", battery.map { "\($0) %" } ?? "unknown", (battery ?? 100) < Pedometer.lowBattery ? "charge it soon" : ""),
                Tile(
                    "Last sync", last.map { Words.ago($0.end ?? $0.start, now: context.now) } ?? "never",
                    last.map { Words.clock($0.end ?? $0.start, context.localTime) } ?? ""),
                Tile("Read up to", entry.pedometer.cursor.readThrough.map { Words.clock($0, context.localTime) } ?? "nothing yet"),
            ])
            if let failed = entry.syncs.first, failed.outcome != .complete {
                Element.p(.css("doubtful")) {
                    failed.outcome == .running
                        ? "A sync began \(Words.ago(failed.start, now: context.now)) and has not ended."
                        : "The last attempt failed \(Words.ago(failed.end ?? failed.start, now: context.now)): \(Printable(failed.failure ?? "no reason given", limit: 300))"
                }
            }
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
            advice(words.advice)
            if kept.isNew {
                context.form("notices", "dismiss") {
                    Element.input(Attribute(.type, "hidden"), Attribute(.name, "notice"), Attribute(.value, "\(kept.id)"))
                    Element.button(Attribute(.type, "submit"), .css("quiet"), Attribute(.ariaLabel, "Dismiss: \(words.headline)")) { "Dismiss" }
                }
            }
        }
    }

    private func advice(_ advice: Advice) -> Markup {
        if advice.parts.isEmpty { return .nothing }
        return Element.p {
            advice.parts.map { part -> Markup in
                switch part {
                case .prose(let text): .text(text)
                case .command(let command): Element.code { command.text() }
                }
            }
        }
    }
}

/// A run that goes on, or its result.
struct ActivityPage: Sendable {
    let context: PageContext
    let state: Activity.State

    var document: Markup {
        var isRunning = false
        if case .running = state { isRunning = true }
        return PageFrame(title: title, context: context, refreshes: isRunning).document {
            Element.h1 { title }
            Element.section { content }
        }
    }

    private var title: String {
        switch state {
        case .idle: "Nothing is running"
        case .running(let title, _): title
        case .ended(let title, _, let hasFailed): title + (hasFailed ? ": finished with errors" : ": done")
        }
    }

    @MarkupBuilder private var content: Markup {
        switch state {
        case .idle: Element.p { "Nothing was synced or shared since the server was started." }
        case .running(_, let line):
            Element.p(Attribute(.id, "activity-line"), Attribute(.role, "status"), Attribute(.ariaLive, "polite")) { line }
            Element.progress(Attribute(.ariaLabel, "in progress"))
        case .ended(_, let lines, let hasFailed):
            Element.pre(hasFailed ? .css("bad") : nil, Attribute(.role, "status")) {
                lines.isEmpty ? "Nothing to do." : lines.joined(separator: "\n")
            }
            if let overview = context.link(), let today = context.link("day") {
                Element.p {
                    Element.a(.href(overview)) { "Overview" }
                    ", "
                    Element.a(.href(today)) { "Today" }
                }
            }
        }
    }
}

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
