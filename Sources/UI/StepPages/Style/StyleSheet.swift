/// The style sheets, as constant text: one for pages and reports, one for a picture of its own.
package struct StyleSheet: Hashable, Sendable {
    package let source: String

    private init(_ source: String) { self.source = source }

    /// The style of the pages: light and dark, narrow and wide, on paper.
    package static let pages = StyleSheet(
        """
        :root { color-scheme: light dark; \(Palette.light.variables) }
        @media (prefers-color-scheme: dark) { :root { \(Palette.dark.variables) } }
        @media print { :root { color-scheme: light; \(Palette.light.variables) --page: #fff; --text: #000; --accent: #000; } }

        """ + base + frame + components + charts + paint { "var(--\($0.rawValue))" } + widths + paper)

    /// The style of a picture. Its elements have the light colours, which every program draws: this has only what
    /// replaces them on a dark screen, in plain colours, since not every program knows the variables of CSS.
    static let picture = StyleSheet("@media (prefers-color-scheme: dark) {\n\(paint(\.dark))}\n")

    /// The style of pages for those who are not let in, who get no style sheet either. It stands in the page, and
    /// `refusalHash` lets it.
    static let refusal = StyleSheet(
        "body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; "
            + "color: #16201b; background: #f4f6f4; } @media (prefers-color-scheme: dark) { body { color: #e9efec; background: #0d1311; } }"
    )
    /// Its SHA-256, as a source of the Content Security Policy.
    static let refusalHash = "sha256-gj4cimZoiTkKkyn26inC4upBhR7zeMAYhdSucEedE20="

    private static func paint(_ colour: (Tone) -> String) -> String {
        Tone.drawn.map { ".f-\($0.rawValue) { fill: \(colour($0)); } .s-\($0.rawValue) { stroke: \(colour($0)); }\n" }
            .joined()
    }
}
