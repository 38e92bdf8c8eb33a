/// A place in a TOML document that moves forward over spaces, comments, keys and texts, and counts lines.
struct TOMLCursor {
    private let bytes: [UInt8]
    private(set) var index = 0
    /// From 1.
    private(set) var line = 1
    /// The start of the line.
    private var startOfLine = 0
    /// The first line with a NUL that is written as an escape.
    private(set) var lineOfNUL: Int?

    init(_ text: String) {
        bytes = Array(text.utf8)
        // The byte order mark, which some editors write.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Nil at the end.
    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// In bytes, from 1.
    var column: Int { index - startOfLine + 1 }

    /// The bytes from `start` to the cursor.
    func text(since start: Int) -> ArraySlice<UInt8> { bytes[start..<index] }

    mutating func advance() {
        let isEndOfLine = byte == UInt8(ascii: "\n")
        index = min(index + 1, bytes.count)
        if isEndOfLine {
            line += 1
            startOfLine = index
        }
    }

    mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte, condition(byte) { advance() }
    }

    mutating func skipSpaces() { skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    /// - Returns: false at the end.
    mutating func skipBlank() -> Bool {
        while true {
            skip { " \t\r\n".utf8.contains($0) }
            guard byte == UInt8(ascii: "#") else { return byte != nil }
            skip { $0 != UInt8(ascii: "\n") }
        }
    }

    mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        advance()
        return true
    }

    /// A key between dots, with its escapes decoded.
    mutating func key() -> String {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return text() }
        let start = index
        skip { !" \t\r\n.=]".utf8.contains($0) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// A text of any of the four kinds, with its escapes decoded; the cursor is at the first quote.
    mutating func text() -> String {
        guard let quote = byte else { return "" }
        var quotes = 0
        while quotes < 3, take(quote) { quotes += 1 }
        // Two quotes: an empty text.
        if quotes == 2 { return "" }
        var result: [UInt8] = []
        while let byte {
            if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
                result += escape()
            } else if byte == quote {
                // Up to two quotes can precede the three that end a multi-line text.
                var run = 0
                while run < (quotes == 3 ? 5 : 1), take(quote) { run += 1 }
                if run >= quotes { break }
                result += repeatElement(quote, count: run)
            } else {
                result.append(byte)
                advance()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes that an escape stands for; the cursor is at the backslash.
    private mutating func escape() -> [UInt8] {
        advance()
        guard let byte else { return [] }
        advance()
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "u"): return scalar(4)
        case UInt8(ascii: "U"): return scalar(8)
        default: return [byte]
        }
    }

    private mutating func scalar(_ digits: Int) -> [UInt8] {
        let end = min(index + digits, bytes.count)
        let value = UInt32(String(decoding: bytes[index..<end], as: UTF8.self), radix: 16)
        index = end
        if value == 0 { lineOfNUL = lineOfNUL ?? line }
        return value.flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) } ?? []
    }
}
