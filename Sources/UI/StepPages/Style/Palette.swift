/// What a colour is for. Each has a light and a dark one, and is a variable of the style sheet.
///
/// Text has a contrast of at least 4.5 to what is behind it, and bars, lines and signs of charts at least 3 (WCAG 2.1,
/// 1.4.3 and 1.4.11). Less have only what words or a table repeat: `usual`, `sunk`, `line` and the paler tones of heat
/// maps.
enum Tone: String, CaseIterable, Hashable, Sendable {
    /// Behind everything, behind a card, behind what is set in a card, and a chosen part of it.
    case page, card, sunk, raised
    /// Separators; the borders of fields and the base of charts.
    case line, border
    case text, muted
    /// Links and the main button; the text on that; behind a chosen page.
    case accent
    case onAccent = "on-accent"
    case soft
    case warn
    case warnSoft = "warn-soft"
    case bad
    case badSoft = "bad-soft"
    /// Steps where the goal is reached; below it, or lighter beside `walk`; run.
    case walk, below, run
    /// What is not known; what is usual.
    case unknown, usual
    /// Heat maps: from no steps to the goal and more.
    case heat0, heat1, heat2, heat3, heat4

    /// Those that drawings have.
    static let drawn: [Tone] = [
        .card, .sunk, .line, .border, .text, .muted, .accent, .walk, .below, .run, .unknown, .usual, .heat0, .heat1,
        .heat2, .heat3, .heat4,
    ]

    /// Of steps beside their goal.
    static func steps(isReached: Bool) -> Tone { isReached ? .walk : .below }

    var light: String { Palette.light[self].css }
    var dark: String { Palette.dark[self].css }
}

/// The colours of the pages, for light and dark screens.
struct Palette: Sendable {
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

    private let colours: [Tone: Int]

    subscript(tone: Tone) -> Colour { Colour(colours[tone] ?? 0) }

    static let light = Palette(colours: [
        .page: 0xf4f6f4, .card: 0xffffff, .sunk: 0xeef1ee, .raised: 0xffffff, .line: 0xe1e6e2, .border: 0x7d8a83,
        .text: 0x16201b,
        .muted: 0x56635d, .accent: 0x0a6b47, .onAccent: 0xffffff, .soft: 0xe2f1e9, .warn: 0x8a5300, .warnSoft: 0xfdf3e0,
        .bad: 0xb3261e, .badSoft: 0xfdecea, .walk: 0x0c6e48, .below: 0x63a085, .run: 0xdd6a12, .unknown: 0x8a958f,
        .usual: 0xdfe6e1, .heat0: 0xe9edea, .heat1: 0xc0e3d0, .heat2: 0x90cdae, .heat3: 0x54ae87, .heat4: 0x0c6e48,
    ])

    static let dark = Palette(colours: [
        .page: 0x0d1311, .card: 0x151c19, .sunk: 0x212b27, .raised: 0x3a4842, .line: 0x27322d, .border: 0x65746d,
        .text: 0xe9efec,
        .muted: 0x9fb0a8, .accent: 0x72d8a8, .onAccent: 0x07140e, .soft: 0x173327, .warn: 0xe8b04f, .warnSoft: 0x2b2312,
        .bad: 0xff8f82, .badSoft: 0x321a18, .walk: 0x45b987, .below: 0x3f7d62, .run: 0xffb27a, .unknown: 0x6d7b74,
        .usual: 0x2c3933, .heat0: 0x222b27, .heat1: 0x1c4433, .heat2: 0x256a4d, .heat3: 0x359a6e, .heat4: 0x72dca9,
    ])

    /// As variables of CSS.
    var variables: String { Tone.allCases.map { "--\($0.rawValue): \(self[$0].css);" }.joined(separator: " ") }
}
