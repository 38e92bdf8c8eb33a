/// The style sheets, as constant text: one for pages and reports, one for a picture of its own.
package struct StyleSheet: Hashable, Sendable {
    package let source: String

    private init(_ source: String) { self.source = source }

    /// The style of the pages: light and dark, narrow and wide, on paper.
    package static let pages = StyleSheet(
        """
        :root { color-scheme: light dark; \(Palette.light.variables) }
        @media (prefers-color-scheme: dark) { :root { \(Palette.dark.variables) } }
        @media print { :root { \(Palette.light.variables) } }

        """ + layout + charts)

    /// The style of a picture: light or dark colours, as the reader prefers, if the viewer supports it.
    static let picture = StyleSheet(
        """
        svg { \(Palette.light.variables) }
        @media (prefers-color-scheme: dark) { svg { \(Palette.dark.variables) } }
        text { fill: var(--text); font-family: system-ui, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
        .ground { fill: var(--card); stroke: var(--line); }

        """ + charts)

    /// The style of a picture for a program that knows no variables of CSS (librsvg 2.54 does not): the light colours.
    static let plainPicture = StyleSheet(
        Palette.light.variables.split(separator: ";").reduce(
            """
            text { fill: var(--text); font-family: "DejaVu Sans", sans-serif; }
            .ground { fill: var(--card); stroke: var(--line); }

            """ + charts
        ) { source, declaration in
            let parts = declaration.split(separator: ":").map { $0.filter { $0 != " " } }
            return parts.count == 2 ? source.replacing("var(\(parts[0]))", with: parts[1]) : source
        })

    private static let charts = """
        .walking { fill: var(--walking); }
        .running { fill: var(--running); }
        .goal { stroke: var(--goal); stroke-width: 2; }
        .grid { stroke: var(--line); stroke-width: 1; }
        .axis { fill: var(--faint); font-size: 12px; }
        .partial { stroke: var(--walking); stroke-width: 1.5; }
        .cell-partial { stroke: var(--text); stroke-width: 1; stroke-dasharray: 2 1.5; }
        .unknown { stroke: var(--faint); stroke-width: 0.75; }
        .hatch-back { fill: var(--card); }
        .hatch-walking { stroke: var(--walking); stroke-width: 3; }
        .hatch-unknown { stroke: var(--faint); stroke-width: 1; }
        .zero { fill: var(--faint); }
        .faint { fill: var(--faint); }
        .track { fill: var(--line); }
        .heat0 { fill: var(--heat0); } .heat1 { fill: var(--heat1); } .heat2 { fill: var(--heat2); }
        .heat3 { fill: var(--heat3); } .heat4 { fill: var(--heat4); }

        """
}

/// The colours of the pages, for light and dark screens. Text has a contrast of at least 4.5 to what is behind it, and bars, lines and
/// signs of charts at least 3 (WCAG 2.1, 1.4.3 and 1.4.11). The paler tones of heat maps have less, to the card and to each other: what they
/// say is also in the name of each cell and in the table of the chart.
struct Palette: Hashable, Sendable {
    struct Colour: Hashable, Sendable {
        /// 0...255.
        let red, green, blue: Int

        init(_ hex: Int) { (red, green, blue) = (hex >> 16 & 255, hex >> 8 & 255, hex & 255) }

        var css: String {
            "#"
                + [red, green, blue].map { value in
                    let digits = String(value, radix: 16)
                    return digits.count < 2 ? "0" + digits : digits
                }.joined()
        }
    }

    /// Behind everything, and behind a card.
    var page, card: Colour
    var text, faint, link: Colour
    var line: Colour
    var walking, running, goal: Colour
    var good, bad, doubtful: Colour
    /// A button, and the text on it.
    var button, onButton: Colour
    /// Heat maps: from no steps to the goal and more.
    var heat: [Colour]

    static let light = Palette(
        page: Colour(0xf4f5f1), card: Colour(0xffffff), text: Colour(0x1b2421), faint: Colour(0x56625d), link: Colour(0x1a5f8a),
        line: Colour(0xd5dbd6), walking: Colour(0x2e8562), running: Colour(0xc2570c), goal: Colour(0x1b2421), good: Colour(0x1d6b46),
        bad: Colour(0xa52a1d), doubtful: Colour(0x855700), button: Colour(0x1f6b4d), onButton: Colour(0xffffff),
        heat: [0xe8ece7, 0xc3e3d2, 0x8ccbab, 0x46a07b, 0x1b694a].map { Colour($0) })

    static let dark = Palette(
        page: Colour(0x12171a), card: Colour(0x1b2225), text: Colour(0xe7ecea), faint: Colour(0xa3b0aa), link: Colour(0x8cc6f0),
        line: Colour(0x374145), walking: Colour(0x52b98b), running: Colour(0xee9d55), goal: Colour(0xe7ecea), good: Colour(0x74d3a0),
        bad: Colour(0xff8f80), doubtful: Colour(0xe3b351), button: Colour(0x7cd3aa), onButton: Colour(0x0d1512),
        heat: [0x2a3337, 0x1d4536, 0x28694f, 0x3d9a74, 0x72d7aa].map { Colour($0) })

    /// As variables of CSS.
    var variables: String {
        let pairs: [(String, Colour)] =
            [
                ("page", page), ("card", card), ("text", text), ("faint", faint), ("link", link), ("line", line), ("walking", walking),
                ("running", running), ("goal", goal), ("good", good), ("bad", bad), ("doubtful", doubtful), ("button", button),
                ("on-button", onButton),
            ] + heat.enumerated().map { ("heat\($0)", $1) }
        return pairs.map { "--\($0): \($1.css);" }.joined(separator: " ")
    }
}
