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

    /// The style of a picture: the colours follow the reader's choice where the program that shows it knows it.
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

    private static let layout = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
        a { color: var(--link); }
        a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -999px; } .skip:focus { position: static; }
        .definitions { position: absolute; width: 0; height: 0; }
        header.site { background: var(--card); border-bottom: 1px solid var(--line); }
        header.site nav, main, footer.site { max-width: 62rem; margin: 0 auto; padding: 0.6rem 1rem; }
        header.site nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; align-items: center; }
        header.site a { text-decoration: none; padding: 0.25rem 0; }
        header.site a[aria-current] { color: var(--text); font-weight: 600; border-bottom: 3px solid var(--walking); }
        header.site .name { font-weight: 700; color: var(--text); margin-right: 0.6rem; }
        header.site form { margin-left: auto; }
        footer.site { color: var(--faint); font-size: 0.85rem; padding-bottom: 2rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.6rem 0; } h2 { font-size: 1.15rem; margin: 0 0 0.5rem; } h3 { font-size: 1rem; margin: 1rem 0 0.3rem; }
        section, figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 0 0 1rem; }
        figure > figcaption { font-weight: 600; margin-bottom: 0.4rem; }
        figure svg { display: block; width: 100%; height: auto; }
        .scroll { overflow-x: auto; } .scroll svg { min-width: 34rem; }
        .turn { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; margin: 0.3rem 0 1rem; }
        .turn a, .turn > span { padding: 0.3rem 0.7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); text-decoration: none; }
        .turn > span { color: var(--faint); } .turn form { margin-left: auto; }
        section > form { margin-top: 0.8rem; }
        form.line, .turn form, header.site form { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.7rem; margin: 0 0 1rem; padding: 0; }
        .tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.7rem 0.9rem; }
        .tiles { list-style: none; } .tiles span { display: block; color: var(--faint); font-size: 0.85rem; } .tiles strong { display: block; font-size: 1.35rem; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.3; }
        .tiles small { display: block; font-size: 0.8rem; color: var(--faint); }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        caption { text-align: left; color: var(--faint); font-size: 0.85rem; padding: 0.3rem 0; }
        summary { overflow-wrap: anywhere; } .wide { overflow-x: auto; } th, td { text-align: right; padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th:first-child, td:first-child, th.words, td.words { text-align: left; } td.words { white-space: normal; }
        details { margin-top: 0.6rem; } summary { cursor: pointer; color: var(--link); }
        .legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; margin: 0.4rem 0 0; padding: 0; list-style: none; color: var(--faint); font-size: 0.85rem; }
        .legend svg { display: inline-block; width: 1rem; height: 0.8rem; margin-right: 0.35rem; vertical-align: baseline; }
        label { display: block; } .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.8rem; border: 0; padding: 0; margin: 0 0 0.8rem; }
        .fields legend { font-weight: 600; padding: 0 0 0.4rem; }
        input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--faint); border-radius: 7px; padding: 0.3rem 0.6rem; max-width: 100%; }
        .fields input, .fields select { width: 100%; }
        button { background: var(--button); border-color: var(--button); color: var(--on-button); cursor: pointer; font-weight: 600; }
        button.quiet { background: var(--card); color: var(--link); border-color: var(--line); font-weight: 400; }
        td form { display: inline-flex; gap: 0.3rem; margin: 0 0.2rem; }
        input[aria-invalid] { border: 2px solid var(--bad); } .error { color: var(--bad); font-size: 0.9rem; margin: 0.2rem 0 0; }
        .notice { border-left: 5px solid var(--doubtful); } .notice.good { border-left-color: var(--good); } .notice.bad { border-left-color: var(--bad); }
        .notice p { margin: 0.2rem 0; } .doubtful { color: var(--doubtful); } .bad { color: var(--bad); } .good { color: var(--good); } .faint { color: var(--faint); }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.4rem 0; } code { overflow-wrap: anywhere; }
        progress { width: 100%; accent-color: var(--walking); }
        @media (max-width: 34rem) { h1 { font-size: 1.3rem; } main, header.site nav, footer.site { padding: 0.5rem 0.6rem; } section, figure { padding: 0.7rem; } .turn form { margin-left: 0; } header.site form { margin-left: 0; } .tiles { grid-template-columns: 1fr 1fr; } .wide { overflow-x: auto; } }
        @media print { header.site, .turn, form, button, .skip { display: none !important; } body { background: #fff; font-size: 11pt; } section, figure, .tiles li { break-inside: avoid; border-color: #bbb; } a { color: inherit; text-decoration: none; } * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } details::details-content { content-visibility: visible; block-size: auto; } .scroll, .wide { overflow: visible; } }

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
