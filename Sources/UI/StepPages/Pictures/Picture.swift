/// A drawing as a file of its own. Each element has its colours, so that every program draws it; browsers replace them
/// on a dark screen.
enum Picture {
    static func document(
        width: Double, height: Double, title: String, summary: String, @MarkupBuilder content: () -> Markup
    ) -> Markup {
        .xml
            + Element.svg(
                Attribute(.xmlns, "http://www.w3.org/2000/svg"),
                Attribute(.viewBox, "0 0 \(Int(width)) \(Int(height))"),
                Attribute(.width, width), Attribute(.height, height), Attribute(.role, "img"),
                Attribute(.ariaLabel, summary),
                Attribute(.fontFamily, "Inter, Cantarell, 'Noto Sans', 'DejaVu Sans', sans-serif")
            ) {
                Element.title { title }
                Element.desc { summary }
                Markup.style(.picture)
                Element.rect(
                    .fill(.card), Attribute(.width, width), Attribute(.height, height), Attribute(.rx, 16))
                Element.rect(
                    .stroke(.line), Attribute(.fill, "none"), Attribute(.x, 0.5), Attribute(.y, 0.5),
                    Attribute(.width, width - 1),
                    Attribute(.height, height - 1), Attribute(.rx, 15.5))
                content()
            } + .text("\n")
    }

    static func text(
        _ words: String, x: Double, y: Double, size: Int, tone: Tone = .muted, isBold: Bool = false,
        anchor: String? = nil
    ) -> Markup {
        if words.isEmpty { return .nothing }
        return Element.text(
            .fill(tone), Attribute(.x, x), Attribute(.y, y), Attribute(.fontSize, size),
            isBold ? Attribute(.fontWeight, 700) : nil,
            anchor.map { Attribute(.textAnchor, $0) }
        ) { words }
    }
}
