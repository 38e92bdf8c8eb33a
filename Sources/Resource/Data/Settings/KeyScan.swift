/// Finds the keys of a TOML document, because the parser does not report their positions.
///
/// It only determines where keys and values begin and end (TOML 1.0.0). The result is valid for documents that the
/// parser accepts, and up to the place where the parser stops.
struct KeyScan {
    private(set) var positions = KeyPositions()
    /// The line of a key that is nested more than `deepest` keys deep. The parser recurses for each level until the
    /// stack overflows.
    private(set) var lineOfTooDeep: Int?

    /// The first place with invalid TOML at which the parser ends the process by an assertion instead of reporting an
    /// error (toml++ 3.3: a header without a key, as in `[.a]`; an element without a value, as in `[}`; a date without
    /// a time, as in `2026-03-01T:` or `2026-03-01 1,`).
    private(set) var fault: Fault?

    /// A problem at a place.
    struct Fault: Equatable {
        let line: Int
        /// In bytes, from 1.
        let column: Int
        let reason: String
    }

    /// Whether an error that the parser reports was passed: the parser stops there, and the text after it may be
    /// misread here.
    private var isPastError = false

    private var cursor: TOMLCursor
    /// The nesting of arrays and inline tables around the cursor.
    private var nesting = 0

    static let deepest = 64
    /// The parser refuses deeper nesting.
    private static let maximumNested = 256

    /// The line of a text with a NUL written as an escape, such as \u0000.
    var lineOfNUL: Int? { cursor.lineOfNUL }

    init(_ text: String) {
        cursor = TOMLCursor(text)
        scan()
    }

    private mutating func scan() {
        var table = Position(key: .root, depth: 0)
        while cursor.skipBlank(), let byte = cursor.byte {
            let start = cursor.index
            if byte == UInt8(ascii: "[") {
                // Two brackets begin an element of an array of tables; a third is not a key.
                cursor.advance()
                _ = cursor.take(UInt8(ascii: "["))
                expectHeader()
                cursor.skip { $0 == UInt8(ascii: "[") }
                table = key(in: Position(key: .root, depth: 0))
                cursor.skip { $0 == UInt8(ascii: "]") }
            } else {
                pair(in: table)
            }
            // Skip what is not recognized, so that the loop ends.
            if cursor.index == start { cursor.advance() }
        }
    }

    /// A key begins with a bare character or a quote. The parser itself reports the end of the text, or a bracket
    /// without a key before it.
    private mutating func expectHeader() {
        cursor.skipSpaces()
        guard let byte = cursor.byte, byte != UInt8(ascii: "]") else { return }
        if !isKeyStart(byte) {
            report("a table's header begins with its name, as in `[share.diary]`")
        }
    }

    private mutating func report(_ reason: String, at position: TOMLCursor? = nil) {
        if isPastError { return }
        let position = position ?? cursor
        fault = fault ?? Fault(line: position.line, column: position.column, reason: reason)
    }

    /// The position of a value.
    private struct Position {
        /// Nil within arrays, where the position of a key is not needed.
        let key: KeyPositions.Key?
        /// The number of keys that lead to it.
        let depth: Int
    }

    private mutating func pair(in table: Position) {
        if let byte = cursor.byte, !isKeyStart(byte) { isPastError = true }
        let position = key(in: table)
        if cursor.byte != UInt8(ascii: "=") { isPastError = true }
        cursor.skip { $0 == UInt8(ascii: "=") }
        cursor.skipSpaces()
        if cursor.byte.map({ "\r\n#".utf8.contains($0) }) ?? true { isPastError = true }
        _ = cursor.skipBlank()
        value(at: position)
    }

    /// A dotted key as it is written.
    private mutating func key(in table: Position) -> Position {
        let line = cursor.line
        var path: [String] = []
        repeat {
            cursor.skipSpaces()
            path.append(cursor.key())
            cursor.skipSpaces()
        } while cursor.take(UInt8(ascii: "."))
        let depth = table.depth + path.count
        if depth > Self.deepest { lineOfTooDeep = lineOfTooDeep ?? line }
        return Position(key: table.key.map { positions.define(path, in: $0, line: line) }, depth: depth)
    }

    private mutating func value(at position: Position) {
        switch cursor.byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = cursor.text()
        case UInt8(ascii: "["):
            list(until: UInt8(ascii: "]")) { $0.value(at: Position(key: nil, depth: position.depth)) }
        case UInt8(ascii: "{"): list(until: UInt8(ascii: "}")) { $0.pair(in: position) }
        case let byte?:
            // These characters may begin a value; otherwise the parser's errors are better, if it reports one.
            if !isBareKeyByte(byte) && byte != UInt8(ascii: "+") && byte != UInt8(ascii: ".") {
                report("a value is missing")
            }
            let start = cursor
            cursor.skip { !",]}#\r\n".utf8.contains($0) }
            if lacksTime(cursor.text(since: start.index)) {
                report("a date that goes on without a time of day", at: start)
            }
        case nil: break
        }
    }

    private func isKeyStart(_ byte: UInt8) -> Bool {
        isBareKeyByte(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Whether something that begins like a date continues without an hour of two digits: `2026-03-01T`, `2026-03-01
    /// 1,`.
    private func lacksTime(_ value: ArraySlice<UInt8>) -> Bool {
        let digit = UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen = UInt8(ascii: "-")
        // The parser ignores underscores when it guesses the type of a value, and requires hyphens only at these
        // positions.
        let value = value.filter { $0 != UInt8(ascii: "_") }
        guard value.count > 10, digit.contains(value[0]), value[4] == hyphen, value[7] == hyphen,
            value[..<10].allSatisfy({ digit.contains($0) || $0 == hyphen })
        else { return false }
        let rest = value[11...]
        switch value[10] {
        case UInt8(ascii: "T"), UInt8(ascii: "t"): break
        // Blanks may be trailing, or precede a comment.
        case UInt8(ascii: " ") where !rest.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }): break
        default: return false
        }
        return rest.count < 2 || !rest.prefix(2).allSatisfy(digit.contains)
    }

    private mutating func list(until end: UInt8, _ element: (inout KeyScan) -> Void) {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.maximumNested else { return cursor.skip { _ in true } }
        cursor.advance()
        while cursor.skipBlank(), !cursor.take(end) {
            if cursor.take(UInt8(ascii: ",")) { continue }
            let start = cursor.index
            element(&self)
            if cursor.index == start { cursor.advance() }
        }
    }
}
