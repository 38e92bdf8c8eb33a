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
            if own.isEmpty { Element.p(.css("faint")) { "Nothing waits." } } else { table(own, waitingFor: state) }
            buttons(state, own)
        }
    }

    private func table(_ entries: [ShareEntry], waitingFor state: DestinationState) -> Markup {
        Element.div(.css("wide")) {
            Element.table {
                Element.caption { "Days that wait for \(Printable(state.name, limit: 64))" }
                Charts(context: context).head(["Day", "State", "Action"])
                Element.tbody {
                    entries.map { entry in
                        Element.tr {
                            Element.th(Attribute(.scope, "row")) { Element.a(.href(context.link(to: entry.day))) { "\(entry.day)" } }
                            Element.td(.css("words")) { EntryWords.line(entry, context, isHeldBack: state.isHeldBack(at: context.now)) }
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
