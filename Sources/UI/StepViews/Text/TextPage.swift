/// Values ready to be shown: one result with two renderings, text for people and a document for programs.
///
/// A view reads no clock and no terminal: it receives what it needs of them.
public protocol View: Described {
    /// Lines without line ends, and without control characters except those of colour. Only a command or a long path
    /// may exceed the style's width.
    func lines(_ style: TextStyle) -> [String]
}

/// Text in pieces, each with its own emphasis.
struct StyledText: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// What a piece means rather than how it looks.
    enum Emphasis: String {
        case strong = "1"
        case faint = "2"
        case bad = "31"
        case good = "32"
        case doubtful = "33"
        /// Orange, as in pages and pictures, of the 256 colours.
        case running = "38;5;208"
    }

    fileprivate typealias Piece = (text: String, emphasis: Emphasis?)

    fileprivate var pieces: [Piece]

    init(_ text: String, _ emphasis: Emphasis? = nil) { pieces = [(text, emphasis)] }
    init(stringLiteral text: String) { self.init(text) }

    static func + (a: StyledText, b: StyledText) -> StyledText {
        var sum = a
        sum.pieces += b.pieces
        return sum
    }
}

/// Lines for a terminal: within its width, in ASCII if required, coloured if allowed.
///
/// Every cut is marked. A row of a table that is too wide ends in `…`; sentences are wrapped between words; a command
/// or a path is never cut or broken, and exceeds the width if necessary: half of one is useless.
struct TextPage {
    private typealias Piece = StyledText.Piece

    let style: TextStyle
    private(set) var lines: [String] = []

    init(_ style: TextStyle) { self.style = style }

    mutating func blank() { lines.append("") }

    /// Things with names, one below the other: the names in a column, what follows each name beside it, or below it
    /// where the line is too short, further lines below.
    ///
    /// - Parameter limit: columns for a name.
    mutating func list<Item>(
        _ items: [Item], name: (Item) -> String, limit: Int, beside: (Item) -> StyledText,
        below: (Item, inout TextPage) -> Void
    ) {
        let names = items.map { Printable(name($0), limit: limit).description }
        let width = names.map(Columns.of).max() ?? 0
        let values = items.map(beside)
        let areBeside = values.allSatisfy { value in
            value.pieces.reduce(width + 2) { $0 + Columns.of($1.text) } <= style.width
        }
        for ((item, name), value) in zip(zip(items, names), values) {
            if areBeside {
                row(StyledText(Columns.pad(name, width), .strong) + "  " + value)
            } else {
                row(StyledText(name, .strong))
                wrap("  " + value, hanging: 4)
            }
            below(item, &self)
        }
    }

    /// A row of a table: what does not fit is cut and ends in `…`.
    mutating func row(_ text: StyledText) {
        var pieces = shown(text)
        if pieces.reduce(0, { $0 + Columns.of($1.text) }) > style.width {
            let ending = style.unicode ? "…" : "..."
            var room = style.width - Columns.of(ending)
            for (index, piece) in pieces.enumerated() {
                let width = Columns.of(piece.text)
                if width <= room {
                    room -= width
                    continue
                }
                pieces[index].text = Columns.prefix(piece.text, room) + ending
                pieces.removeSubrange((index + 1)...)
                break
            }
        }
        append(pieces)
    }

    /// Short texts in a row, such as the signs of a legend with their meanings: as many in a line as fit, none of them
    /// broken.
    mutating func items(_ items: [String]) {
        var line = ""
        for item in items {
            if !line.isEmpty, Columns.of(line) + 4 + Columns.of(item) > style.width {
                row(StyledText("  " + line, .faint))
                line = ""
            }
            line += (line.isEmpty ? "" : "  ") + item
        }
        if !line.isEmpty { row(StyledText("  " + line, .faint)) }
    }

    /// Text that is wrapped between words, but not between a number and its unit. A word that is wider than the line
    /// stays whole.
    ///
    /// - Parameter hanging: blanks that lines after the first begin with.
    mutating func wrap(_ text: StyledText, hanging: Int = 0) {
        var (line, gap) = ([Piece](), [Piece]())
        var used = 0
        var hasWord = false
        for run in runs(shown(text)) {
            let width = run.reduce(0) { $0 + Columns.of($1.text) }
            if run[0].text.first == " " {
                gap = run
                continue
            }
            let blanks = gap.reduce(0) { $0 + $1.text.count }
            if hasWord, used + blanks + width > style.width {
                append(line)
                (line, gap) = ([(String(repeating: " ", count: hanging), nil)], [])
                used = hanging + width
            } else {
                used += blanks + width
            }
            line += gap + run
            (gap, hasWord) = ([], true)
        }
        append(line)
    }

    /// A value beside its label; the values of one page begin in the same column.
    ///
    /// - Parameter width: columns for the label.
    mutating func labelled(_ label: String, _ value: StyledText, width: Int = 10) {
        wrap(StyledText("  " + Columns.pad(label, width), .faint) + value, hanging: 2 + width)
    }

    /// Sentences.
    mutating func paragraph(_ text: String, emphasis: StyledText.Emphasis? = nil, indent: Int = 0, hanging: Int? = nil)
    {
        let words = text.split(separator: " ").joined(separator: " ")
        wrap(StyledText(String(repeating: " ", count: indent) + words, emphasis), hanging: hanging ?? indent)
    }

    /// What to do: sentences, and each command on a line of its own, whole.
    ///
    /// - Parameter mark: what the first line begins with, behind the indent; the other lines stand below what follows
    ///   it.
    mutating func advice(_ advice: Advice, emphasis: StyledText.Emphasis? = nil, mark: String = "", indent: Int = 0) {
        let hanging = indent + Columns.of(mark)
        var beginning = String(repeating: " ", count: indent) + mark
        let blanks = String(repeating: " ", count: hanging)
        var isFirst = true
        for (index, part) in advice.parts.enumerated() {
            switch part {
            case .command(let command):
                append([((isFirst ? beginning : blanks + "  ") + style.text(of: command), emphasis)])
            case .prose(let text):
                let sentence = Self.sentence(text, isFirst: index == 0, isLast: index == advice.parts.count - 1)
                if sentence.isEmpty { continue }
                wrap(StyledText(beginning + sentence, emphasis), hanging: hanging)
            }
            (beginning, isFirst) = (blanks, false)
        }
    }

    /// Words between commands, without what joins them to a command on the same line.
    private static func sentence(_ text: String, isFirst: Bool, isLast: Bool) -> String {
        let harmless = Printable(text, limit: 2 * text.unicodeScalars.count).description
        var words = harmless.split(separator: " ").joined(separator: " ")[...]
        if !isFirst { words = words.drop { " ,;.".contains($0) } }
        if isLast || words.isEmpty { return String(words) }
        while words.last == "," { words.removeLast() }
        return words + (".:!?".contains(words.last ?? ":") ? "" : ":")
    }

    /// A path after its label, or on a line of its own if both do not fit.
    mutating func path(_ label: String, _ path: String, emphasis: StyledText.Emphasis? = nil) {
        let path = Printable(path, limit: 2 * path.unicodeScalars.count).description
        guard Columns.of(label) + 1 + Columns.of(path) > style.width else {
            return append(shown(StyledText("\(label) \(path)", emphasis)))
        }
        if label.contains(where: { $0 != " " }) { append(shown(StyledText(label, emphasis))) }
        append(shown(StyledText(path, emphasis)))
    }

    // MARK: Pieces

    private func shown(_ text: StyledText) -> [Piece] {
        style.unicode ? text.pieces : text.pieces.map { (Self.ascii($0.text), $0.emphasis) }
    }

    private static let units: Set<Substring> = [
        "km", "mi", "kcal", "%", "cm", "kg", "in", "lb", "kB", "MB", "GB", "dBm",
    ]

    /// Words and the blanks between them alternately, each in pieces where its emphasis changes. A number and its unit
    /// are one word.
    private func runs(_ pieces: [Piece]) -> [[Piece]] {
        var runs: [[Piece]] = []
        for piece in pieces {
            var rest = piece.text[...]
            while let first = rest.first {
                let isBlank = first == " "
                let run = rest.prefix { ($0 == " ") == isBlank }
                rest = rest.dropFirst(run.count)
                if let last = runs.last?.last, (last.text.first == " ") == isBlank {
                    runs[runs.count - 1].append((String(run), piece.emphasis))
                } else {
                    runs.append([(String(run), piece.emphasis)])
                }
            }
        }
        var joined: [[Piece]] = []
        for run in runs {
            let isUnit = Self.units.contains(Self.text(run).prefix { !",;:.)".contains($0) })
            if isUnit, joined.count > 1,
                Self.text(joined[joined.count - 2]).allSatisfy({ $0.isNumber || ".,".contains($0) })
            {
                let gap = joined.removeLast()
                joined[joined.count - 1] += gap + run
            } else {
                joined.append(run)
            }
        }
        return joined
    }

    private static func text(_ pieces: [Piece]) -> String { pieces.reduce("") { $0 + $1.text } }

    private mutating func append(_ pieces: [Piece]) {
        var pieces = pieces.reduce(into: [Piece]()) { pieces, piece in
            if let last = pieces.last, last.emphasis == piece.emphasis {
                pieces[pieces.count - 1].text += piece.text
            } else {
                pieces.append(piece)
            }
        }
        // Blanks at the end would disturb copying.
        while var last = pieces.popLast() {
            while last.text.last == " " { last.text.removeLast() }
            if last.text.isEmpty { continue }
            pieces.append(last)
            break
        }
        lines.append(pieces.reduce(into: "") { $0 += styled($1.text, $1.emphasis) })
    }

    private func styled(_ text: String, _ emphasis: StyledText.Emphasis?) -> String {
        guard style.colour, let emphasis, !text.isEmpty else { return text }
        return "\u{1b}[\(emphasis.rawValue)m\(text)\u{1b}[0m"
    }

    private static func ascii(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { ascii, scalar in
            switch scalar {
            case "\u{20}"..."\u{7e}": ascii.unicodeScalars.append(scalar)
            case "·", "–": ascii += "-"
            case "…": ascii += "..."
            case "█": ascii += "#"
            case "░": ascii += "."
            case "▒": ascii += ":"
            case "▓": ascii += "="
            case "│": ascii += "|"
            default: ascii += Columns.isMark(scalar) ? "" : "?"
            }
        }
    }
}
