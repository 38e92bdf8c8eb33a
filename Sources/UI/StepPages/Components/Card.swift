/// A part of a page, with its heading and what stands beside that.
enum Card {
    /// - Parameters:
    ///   - classes: of the grid, such as `s8`.
    ///   - id: what a link within the page leads to.
    ///   - aside: at the right of the heading.
    static func section(
        _ title: String, _ classes: String = "", id: String? = nil, aside: Markup = .nothing,
        @MarkupBuilder content: () -> Markup
    ) -> Markup {
        Element.section(.css(join("card", classes)), id.map { Attribute(.id, $0) }) {
            Element.header { Element.h2 { title } + aside }
            content()
        }
    }

    /// A chart: its heading and legend, the drawing, and below it what there is to say and its numbers.
    static func chart(
        _ title: String, _ classes: String = "", aside: Markup = .nothing, drawing: Markup,
        @MarkupBuilder below: () -> Markup
    ) -> Markup {
        Element.figure(.css(join("card", classes))) {
            Element.figcaption { Element.h2 { title } + aside }
            drawing
            Element.div(.css("below-chart"), content: below)
        }
    }

    static func remark(_ words: String) -> Markup {
        words.isEmpty ? .nothing : Element.span(.css("muted small")) { words }
    }

    static func badge(_ words: String, _ kind: String = "") -> Markup {
        Element.span(.css(join("badge", kind))) { words }
    }

    static func join(_ names: String...) -> String { names.filter { !$0.isEmpty }.joined(separator: " ") }
}
