internal import StepDomain
internal import StepViews

/// Adds a pedometer: a search, and what the last one has found.
struct AdditionPage: Sendable {
    let context: PageContext
    /// Nil if there was none yet.
    let search: FoundDevices.Search?
    /// Names by address.
    let registered: [String: String]
    /// As it was typed.
    let filled: AdditionForm

    var document: Markup {
        PageFrame(title: "Add a pedometer", context: context, section: .devices).document {
            Element.h1 { "Add a pedometer" }
            filled.form.invalid
            Element.div(.css("grid")) {
                inRange
                byName
            }
        }
    }

    /// For the one who is shown, where there is a choice.
    private var owner: String {
        context.users.count > 1 ? " It is added for \(Printable(context.user.name, limit: 32))." : ""
    }

    private var inRange: Markup {
        let aside = search.map { Card.remark("searched \(context.ago($0.at))") } ?? .nothing
        return Card.section("In range", "s6", aside: aside) {
            if let search {
                if search.devices.isEmpty {
                    Element.p { "No pedometer was found. \(Advice.noneInRange.markup)" }
                } else {
                    Element.ul(.css("rows")) { search.devices.prefix(Self.maximumDevices).map(row) }
                }
            } else {
                Element.p(.css("muted small")) {
                    "Charge the pedometer, hold it near this machine, and disconnect it from a phone.\(owner)"
                }
            }
            Self.searchForm(context, again: search != nil)
        }
    }

    /// More pedometers than a household has in one room.
    private static let maximumDevices = 30

    private func row(_ device: ScannedDevice) -> Markup {
        let name = device.name.map { Printable($0, limit: 32).description } ?? "(no name)"
        let address = Printable(device.address, limit: 17).description
        let signal = device.rssi.map { ", \($0) dBm" } ?? ""
        return Element.li {
            Element.div(.css("what")) {
                Element.strong { PageContext.name(name, limit: 32) }
                Card.remark("\(address)\(signal)")
                Card.remark(
                    Printable(ScanView.note(device, registeredAs: registered[device.address]), limit: 120).description)
            }
            if registered[device.address] == nil {
                context.form("devices", "add", style: "actions") {
                    Element.hidden("device", device.address)
                    Element.button(
                        Attribute(.type, "submit"), .css("small"), Attribute(.ariaLabel, "Add \(name) (\(address))")
                    ) { "Add" }
                }
            }
        }
    }

    private var byName: Markup {
        Card.section("By address or name", "s6") {
            Element.p(.css("muted small")) {
                """
                The name that you choose is shown in the pages and used by commands; without one it is the name that the pedometer \
                advertises.\(owner)
                """
            }
            context.form("devices", "add", style: "stack") {
                Element.div(.css("fields")) {
                    filled.form.field("device", "Address, or beginning of its name")
                    filled.form.field("name", "Your name for it (may be empty)")
                }
                FilledForm.save("Add")
            }
        }
    }

    /// The button that begins a search.
    static func searchForm(_ context: PageContext, again: Bool = false) -> Markup {
        context.form("devices", "scan", style: "actions") {
            Element.button(Attribute(.type, "submit"), again ? nil : .css("primary")) {
                again ? "Search again" : "Search for pedometers"
            }
        }
    }
}

/// Asks before a pedometer is removed, and says what is lost.
struct ForgettingPage: Sendable {
    let context: PageContext
    let pedometer: Pedometer
    /// The name of its user.
    let owner: String

    var document: Markup {
        PageFrame(title: "Forget a pedometer", context: context, section: .devices).document {
            Element.h1 { "Forget " + PageContext.name(pedometer.name) + "?" }
            Card.section("What is lost") {
                Figure.facts([
                    Figure("User", Printable(owner, limit: 32).description),
                    Figure("Address", Printable(pedometer.address, limit: 17).description),
                    Figure("Steps stored up to", pedometer.cursor.readThrough.map(context.clock) ?? "nothing yet"),
                ])
                Element.ul(.css("rows")) {
                    RegistrationWords.losses.map { sentence in Element.li { Element.div { sentence } } }
                }
                Element.div(.css("actions")) {
                    context.form("devices", "forget") {
                        Element.hidden("pedometer", pedometer.address)
                        Element.button(Attribute(.type, "submit"), .css("danger")) {
                            "Forget \(Printable(pedometer.name, limit: 32))"
                        }
                    }
                    Element.a(.css("button"), .href(Link(["devices"], query: context.userQuery))) { "Keep it" }
                }
            }
        }
    }
}
