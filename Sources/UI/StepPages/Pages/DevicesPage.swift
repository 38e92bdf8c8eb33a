internal import StepDomain
internal import StepViews

/// Notices and pedometers.
struct DevicesPage: Sendable {
    let context: PageContext
    let notices: [StoredNotice]
    let entries: [DevicesView.Entry]
    /// Sources of imports, with the imports in place of syncs.
    var sources: [DevicesView.Entry] = []
    /// What a form has done.
    var message: String?
    /// The name that was typed for a pedometer and is not valid.
    var renaming: (pedometer: Pedometer.ID, form: FilledForm)?

    var document: Markup {
        PageFrame(title: "Pedometers", context: context, section: .devices).document {
            Element.h1 { "Pedometers" }
            if let message { NoticeBox.markup(.plain, message, isStatus: true) }
            notices.map { NoticeBox.markup($0, context) }
            if entries.isEmpty { Element.section(.css("card")) { Self.noPedometer(context) } }
            Element.div(.css("grid")) { entries.map(section) }
            if !sources.isEmpty { Element.div(.css("grid")) { imports } }
            Element.div(.css("actions more")) {
                Element.a(.css("button"), .href(Link(["devices", "add"], query: context.userQuery))) {
                    "Add a pedometer"
                }
            }
        }
    }

    /// In place of pedometers: how to get one.
    static func noPedometer(_ context: PageContext) -> Markup {
        // Without the name, the pedometer would be added for the user who is logged in.
        Advice.firstPedometer().with(context.commandOptions).html
    }

    private var imports: Markup {
        Card.section("Sources of imports", "s6") {
            Element.ul(.css("rows")) {
                sources.map { source in
                    Element.li {
                        Element.div(.css("what")) {
                            Element.strong { PageContext.name(source.pedometer.name) }
                            let last =
                                source.syncs.first.map { "imported \(context.ago($0.end ?? $0.start))" }
                                ?? "not imported lately"
                            Card.remark("of \(Printable(source.user, limit: 32)), \(last)")
                        }
                    }
                }
            }
        }
    }

    private func section(_ entry: DevicesView.Entry) -> Markup {
        let history = SyncHistory(syncs: entry.syncs)
        let (last, battery) = (history.lastComplete.map { $0.end ?? $0.start }, history.battery)
        let badge = battery.map { Battery.markup($0) } ?? .nothing
        return Element.section(.css("card s6")) {
            Element.header { Element.h2 { PageContext.name(entry.pedometer.name) } + badge }
            if let attempts = history.attemptsSince(now: context.now) {
                NoticeBox.markup(
                    attempts.contains("failed") ? .bad : .plain, attempts.prefix(1).uppercased() + attempts.dropFirst())
            }
            Figure.facts([
                Figure("Model", entry.model),
                Figure("User", Printable(entry.user, limit: 32).description),
                Figure("Address", Printable(entry.pedometer.address, limit: 17).description),
                Figure(
                    "Battery", battery.map { "\($0) %" } ?? "unknown",
                    (battery ?? 100) < BatteryLevel.low ? "charge it soon" : ""),
                Figure("Last sync", last.map(context.ago) ?? "never", last.map(context.clock) ?? ""),
                Figure("Steps stored up to", entry.pedometer.cursor.readThrough.map(context.clock) ?? "nothing yet"),
            ])
            Element.div(.css("actions")) {
                renameForm(entry.pedometer)
                forgetLink(entry.pedometer)
            }
        }
    }

    private func renameForm(_ pedometer: Pedometer) -> Markup {
        let wrong = renaming.flatMap { $0.pedometer == pedometer.id ? $0.form : nil }
        var form = wrong ?? FilledForm()
        if wrong == nil { form.values["name"] = pedometer.name }
        // Open where something is wrong.
        return Element.details(.css("numbers edit"), Attribute(.open, wrong != nil)) {
            Element.summary {
                "Rename"
                Element.span(.css("vh")) { " \(Printable(pedometer.name, limit: 32))" }
            }
            Element.div {
                context.form("devices", "rename", style: "stack") {
                    Element.hidden("pedometer", pedometer.address)
                    form.field("name", "Name", id: "name-\(pedometer.id)")
                    FilledForm.save("Rename")
                }
            }
        }
    }

    private func forgetLink(_ pedometer: Pedometer) -> Markup {
        let link = Link(["devices", "forget"], query: [("pedometer", pedometer.address)] + context.userQuery)
        return Element.a(
            .css("button small"), .href(link), Attribute(.ariaLabel, "Forget \(Printable(pedometer.name, limit: 32))")
        ) { "Forget…" }
    }
}

extension DevicesView.Entry {
    /// In a list: its name and state, and the battery.
    func row(_ context: PageContext) -> Markup {
        let history = SyncHistory(syncs: syncs)
        let last = history.lastComplete.map { $0.end ?? $0.start }
        let synced =
            last.map { "synced \(context.ago($0))" }
            ?? (syncs.isEmpty ? "never synced" : "no sync has succeeded lately")
        let attempts = history.attemptsSince(now: context.now).map { "; \($0)" } ?? ""
        return Element.li {
            Element.div(.css("what")) {
                Element.strong { PageContext.name(pedometer.name) }
                Card.remark("\(model), \(synced)\(attempts)")
            }
            if let battery = history.battery { Battery.markup(battery) }
        }
    }
}
