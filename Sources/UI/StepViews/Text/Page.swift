/// Text in pieces, each with its own ink.
struct InkedText: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// What a piece means rather than how it looks.
    enum Ink: String {
        case strong = "1"
        case faint = "2"
        case bad = "31"
        case good = "32"
        case doubtful = "33"
    }

    fileprivate var pieces: [(text: String, ink: Ink?)]

    init(_ text: String, _ ink: Ink? = nil) { pieces = [(text, ink)] }
    init(stringLiteral text: String) { self.init(text) }

    static func + (a: InkedText, b: InkedText) -> InkedText {
        var sum = a
        sum.pieces += b.pieces
        return sum
    }
}

/// Lines as a terminal takes them: clipped to its width, in ASCII where it needs that, coloured where it may be.
struct Page {
    let style: TextStyle
    private(set) var lines: [String] = []

    init(_ style: TextStyle) { self.style = style }

    mutating func blank() { lines.append("") }

    mutating func line(_ text: InkedText) {
        var room = style.width
        var line = ""
        for piece in text.pieces where room > 0 {
            let shown = Columns.clip(style.unicode ? piece.text : Self.ascii(piece.text), to: room)
            room -= Columns.of(shown)
            line += shown.isEmpty ? "" : inked(shown, piece.ink)
        }
        // Blanks at the end would only be in the way of copying.
        while line.last == " " { line.removeLast() }
        lines.append(line)
    }

    /// Words that may need several lines; those after the first begin with blanks.
    mutating func paragraph(_ text: String, ink: InkedText.Ink? = nil, indent: Int = 0, hanging: Int? = nil) {
        var current = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, Columns.of(current) + 1 + Columns.of(String(word)) > style.width {
                line(InkedText(current, ink))
                current = String(repeating: " ", count: hanging ?? indent)
                isEmpty = true
            }
            current += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        line(InkedText(current, ink))
    }

    /// A path behind what it is of, or on a line of its own where both do not fit. It is never cut: half a path is none.
    mutating func path(_ label: String, _ path: String, ink: InkedText.Ink? = nil) {
        let path = Printable(path, limit: 2 * path.unicodeScalars.count).description
        guard Columns.of(label) + 1 + Columns.of(path) > style.width else { return line(InkedText("\(label) \(path)", ink)) }
        line(InkedText(label, ink))
        lines.append(inked(style.unicode ? path : Self.ascii(path), ink))
    }

    private func inked(_ text: String, _ ink: InkedText.Ink?) -> String {
        guard style.colour, let ink else { return text }
        return "\u{1b}[\(ink.rawValue)m\(text)\u{1b}[0m"
    }

    private static func ascii(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { ascii, scalar in
            switch scalar {
            case "\u{20}"..."\u{7e}": ascii.unicodeScalars.append(scalar)
            case "·", "–": ascii += "-"
            case "…": ascii += "..."
            case "█": ascii += "#"
            case "░": ascii += "."
            default: ascii += Columns.isMark(scalar) ? "" : "?"
            }
        }
    }
}
