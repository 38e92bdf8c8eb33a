internal import StepDomain
internal import StepViews

/// What waits to be shared, by destination.
struct SharePage: Sendable {
    let context: PageContext
    /// The states of the destinations that are configured, and of those that have days in the outbox.
    let states: [DestinationState]
    /// The user's entries, without those that were sent.
    let entries: [ShareEntry]
    /// Why destinations cannot be used.
    let problem: String?

    var document: Markup {
        PageFrame(title: "Share", context: context, section: .share).document {
            Element.h1 { "Share" }
            if let problem {
                NoticeBox.markup(.bad, "The destinations cannot be used") { Element.p(.css("small")) { problem } }
            }
            Element.div(.css("grid")) {
                states.map(destination)
                addition
            }
        }
    }

    private var addition: Markup {
        Card.section(states.isEmpty ? "No destination is configured" : "Add a destination") {
            Element.ol(.css("steps")) {
                Element.li {
                    Element.div {
                        "Add a block " + Element.code { "[share.NAME]" } + " to your configuration. "
                            + context.command("istep config kinds")
                            + " lists what days can be shared with, "
                            + context.command("istep config example KIND")
                            + " prints such a block and the file that it belongs to."
                    }
                }
                Element.li { Element.div { "Run " + context.command("istep share --list --check --with NAME") + "." } }
                Element.li {
                    Element.div {
                        "From then on every sync sends new days by itself. To send a day now, open it and select "
                            + Element.strong { "Share" } + "."
                    }
                }
            }
        }
    }

    private func destination(_ state: DestinationState) -> Markup {
        let own = entries.filter { $0.destination == state.name }
        let badge =
            own.isEmpty
            ? Card.badge("up to date", "good")
            : Card.badge(
                "\(Words.count(own.count, "day")) \(own.count == 1 ? "waits" : "wait")",
                state.lastError == nil ? "warn" : "bad")
        return Element.section(.css("card s6")) {
            Element.header { Element.h2 { PageContext.name(state.name) } + badge }
            problem(of: state)
            if own.isEmpty {
                Element.p(.css("muted")) { "No day waits to be sent." }
            } else {
                Element.ul(.css("rows")) { own.map { row($0, state) } }
            }
            if !own.isEmpty || state.stopped != nil { sendNow(state) }
        }
    }

    @MarkupBuilder private func problem(of state: DestinationState) -> Markup {
        if let stopped = state.stopped {
            NoticeBox.markup(.bad, "Paused: credentials rejected") {
                Element.p(.css("small")) {
                    "\(Printable(stopped, limit: 300)). When the credentials are right again, select Send now."
                }
            }
        }
        if let moment = state.nextAttempt(after: context.now) {
            NoticeBox.markup(.warn, "The last attempt failed") {
                Element.p(.css("small")) {
                    if let error = state.lastError { "\(Printable(error, limit: 300)). " }
                    "Next attempt after \(context.clock(moment))."
                }
            }
        }
    }

    private func row(_ entry: ShareEntry, _ state: DestinationState) -> Markup {
        Element.li {
            Element.div(.css("what")) {
                Element.strong { Element.a(.href(context.link(to: entry.day))) { context.date(entry.day) } }
                Card.remark(EntryWords.line(entry, context, at: state))
            }
            // What has changed is sent with the rest.
            if !entry.isChanged { actions(entry) }
        }
    }

    private func actions(_ entry: ShareEntry) -> Markup {
        Element.div(.css("actions")) {
            action("retry", entry) {
                Element.button(
                    Attribute(.type, "submit"), .css("small"), Attribute(.ariaLabel, label("Retry", entry))
                ) { "Retry" }
            }
            // Two steps, so that no day is dropped by a slip.
            Element.details(.css("menu")) {
                Element.summary(.css("button small"), Attribute(.ariaLabel, label("Drop", entry))) { "Drop…" }
                Element.div {
                    action("drop", entry, style: "stack") {
                        Element.p(.css("small")) { "The day is not sent to this destination until its steps change." }
                        Element.button(Attribute(.type, "submit"), .css("danger")) {
                            "Drop \(context.date(entry.day))"
                        }
                    }
                }
            }
        }
    }

    private func label(_ verb: String, _ entry: ShareEntry) -> String {
        "\(verb) \(context.date(entry.day)) at \(Printable(entry.destination))"
    }

    private func action(_ verb: String, _ entry: ShareEntry, style: String? = nil, @MarkupBuilder content: () -> Markup)
        -> Markup
    {
        context.form("outbox", verb, style: style) {
            Element.hidden("destination", entry.destination)
            Element.hidden("day", "\(entry.day)")
            content()
        }
    }

    private func sendNow(_ state: DestinationState) -> Markup {
        context.form("outbox", "retry", style: "actions") {
            Element.hidden("destination", state.name)
            Element.button(
                Attribute(.type, "submit"),
                Attribute(.ariaLabel, "Send the waiting days to \(Printable(state.name)) now")
            ) {
                "Send now"
            }
        }
    }
}
