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

    /// The style of a picture. Its elements have the light colours, which every program draws: this has only what replaces them on a dark
    /// screen, in plain colours, since not every program knows the variables of CSS.
    static let picture = StyleSheet("@media (prefers-color-scheme: dark) {\n\(paint(\.dark))}\n")

    private static func paint(_ colour: (Tone) -> String) -> String {
        Tone.drawn.map { ".f-\($0.rawValue) { fill: \(colour($0)); } .s-\($0.rawValue) { stroke: \(colour($0)); }\n" }.joined()
    }
}
