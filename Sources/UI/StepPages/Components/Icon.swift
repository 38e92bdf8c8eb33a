/// Pictures of one line. They are defined once in a page, drawn where they are used, and hidden from screen readers:
/// words stand beside them.
enum Icon: String, CaseIterable, Sendable {
    case overview, history, share, devices, plan, previous, next, down, calendar, warning, information, flame

    var markup: Markup {
        Element.svg(.css("icon"), Attribute(.ariaHidden, "true")) {
            Element.use(.href(Link(fragment: "i-\(rawValue)")))
        }
    }

    /// The definitions, drawn nowhere.
    static var definitions: Markup {
        Element.svg(.css("sprite"), Attribute(.ariaHidden, "true")) {
            Element.defs {
                allCases.map { icon in
                    Element.symbol(Attribute(.id, "i-\(icon.rawValue)"), Attribute(.viewBox, "0 0 24 24")) {
                        Element.path(Attribute(.d, icon.path))
                    }
                }
            }
        }
    }

    /// The brand: an open ring.
    static var brand: Markup {
        Element.svg(.css("icon"), Attribute(.viewBox, "0 0 24 24"), Attribute(.ariaHidden, "true")) {
            Element.path(Attribute(.d, "M12 3.5a8.5 8.5 0 1 1-8.5 8.5"))
        }
    }

    /// On a square of 24.
    private var path: String {
        switch self {
        case .overview: "M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M12 7.5V12l3 2"
        case .history: "M5 20v-6M10 20V9M15 20v-9M20 20V5"
        case .share: "M12 15V4M8 8l4-4 4 4M5 13v5a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5"
        case .devices:
            "M10 6.5h4a3.5 3.5 0 0 1 3.5 3.5v4a3.5 3.5 0 0 1-3.5 3.5h-4a3.5 3.5 0 0 1-3.5-3.5v-4"
                + "a3.5 3.5 0 0 1 3.5-3.5M9 6.5l.7-3.5h4.6l.7 3.5M9 17.5l.7 3.5h4.6l.7-3.5"
        case .plan: "M6 21V4M6 5h11l-2.5 3.5L17 12H6"
        case .previous: "m14.5 5.5-6.5 6.5 6.5 6.5"
        case .next: "m9.5 5.5 6.5 6.5-6.5 6.5"
        case .down: "m6 9.5 6 6 6-6"
        case .calendar:
            "M6.5 5.5h11a2.5 2.5 0 0 1 2.5 2.5v10a2.5 2.5 0 0 1-2.5 2.5h-11a2.5 2.5 0 0 1-2.5-2.5V8"
                + "a2.5 2.5 0 0 1 2.5-2.5M4 10.5h16M8.5 3v4M15.5 3v4"
        case .warning: "M12 4 2.8 20h18.4L12 4ZM12 10v4.5M12 17.3v.2"
        case .information: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 11v5.5M12 7.5v.2"
        case .flame:
            "M12 3c.5 4 5.5 5.5 5.5 11A5.5 5.5 0 0 1 12 20.5 5.5 5.5 0 0 1 6.5 14c0-2 1-3.5 2-4.5"
                + ".3 1.5 1 2.3 2 2.5-.5-3.5 0-6.5 1.5-9Z"
        }
    }
}
