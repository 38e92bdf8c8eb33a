/// What the marks of a chart mean.
struct Legend: Sendable {
    enum Mark: Sendable {
        case box(Tone)
        /// A box of a tone with a dot: a partial day of a calendar.
        case dotted(Tone)
        case partial
        case stub
        case hole
        case goal
        /// A line of this width.
        case line(Tone, Double)
    }

    private(set) var entries: [(mark: Mark, words: String)] = []

    mutating func add(_ mark: Mark, _ words: String) { entries.append((mark, words)) }

    var markup: Markup {
        if entries.isEmpty { return .nothing }
        return Element.ul(.css("legend")) {
            entries.map { entry in
                Element.li {
                    Element.svg(Attribute(.viewBox, "0 0 14 12"), Attribute(.ariaHidden, "true")) {
                        Self.draw(entry.mark)
                    }
                    entry.words
                }
            }
        }
    }

    @MarkupBuilder private static func draw(_ mark: Mark) -> Markup {
        switch mark {
        case .box(let tone): box(.fill(tone))
        case .dotted(let tone):
            box(.fill(tone))
            Element.circle(.fill(.muted), Attribute(.cx, 6), Attribute(.cy, 6), Attribute(.r, 2.2))
        case .partial:
            Element.rect(
                .fill(.below), Attribute(.opacity, 0.3), Attribute(.x, 1), Attribute(.y, 1), Attribute(.width, 11),
                Attribute(.height, 10),
                Attribute(.rx, 2))
            Element.rect(
                .stroke(.below), Attribute(.fill, "none"), Attribute(.strokeWidth, 1.5), Attribute(.x, 1),
                Attribute(.y, 1),
                Attribute(.width, 11), Attribute(.height, 10), Attribute(.rx, 2))
        case .stub:
            Element.rect(
                .fill(.unknown), Attribute(.x, 1), Attribute(.y, 7), Attribute(.width, 12), Attribute(.height, 5),
                Attribute(.rx, 1.5))
        case .hole:
            Element.rect(
                .stroke(.unknown), Attribute(.fill, "none"), Attribute(.strokeDasharray, "2 2"), Attribute(.x, 1),
                Attribute(.y, 1),
                Attribute(.width, 10), Attribute(.height, 10), Attribute(.rx, 2))
        case .goal: line(.stroke(.text), 1.5, dash: "5 4")
        case .line(let tone, let width): line(.stroke(tone), width, dash: nil)
        }
    }

    private static func box(_ colour: Attribute) -> Markup {
        Element.rect(colour, Attribute(.width, 12), Attribute(.height, 12), Attribute(.rx, 3))
    }

    private static func line(_ colour: Attribute, _ width: Double, dash: String?) -> Markup {
        Element.line(
            colour, Attribute(.strokeWidth, width), dash.map { Attribute(.strokeDasharray, $0) }, Attribute(.x1, 0),
            Attribute(.x2, 14),
            Attribute(.y1, 6), Attribute(.y2, 6))
    }
}
