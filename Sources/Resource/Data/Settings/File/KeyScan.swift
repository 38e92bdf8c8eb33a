/// Finds the keys of a TOML document, which the parser tells no places of.
///
/// It looks for no more than where keys and values begin and end (TOML 1.0.0). What it finds holds for what the parser
/// takes, and up to where the parser stops.
struct KeyScan {
    private(set) var places = KeyPlaces()
    /// Where a key lies more than `deepest` keys deep. The parser calls itself for each, until there is no stack left.
    private(set) var lineOfTooDeep: Int?

    private var cursor: TOMLCursor
    /// Arrays and tables in braces around the cursor.
    private var nesting = 0

    static let deepest = 64
    /// The parser refuses more.
    private static let mostNested = 256

    /// Where a text has a NUL written with an escape, as \u0000.
    var lineOfNUL: Int? { cursor.lineOfNUL }

    init(_ text: String) {
        cursor = TOMLCursor(text)
        scan()
    }

    private mutating func scan() {
        var table = Place(key: .root, depth: 0)
        while cursor.skipBlank(), let byte = cursor.byte {
            let start = cursor.index
            if byte == UInt8(ascii: "[") {
                cursor.skip { $0 == UInt8(ascii: "[") }
                table = key(in: Place(key: .root, depth: 0))
                cursor.skip { $0 == UInt8(ascii: "]") }
            } else {
                pair(in: table)
            }
            // What is not understood is passed over, so that there is an end.
            if cursor.index == start { cursor.advance() }
        }
    }

    /// Where a value belongs.
    private struct Place {
        /// Nil within arrays, where the place of a key is of no use.
        let key: KeyPlaces.Key?
        /// Keys that lead to it.
        let depth: Int
    }

    private mutating func pair(in table: Place) {
        let place = key(in: table)
        cursor.skip { $0 == UInt8(ascii: "=") }
        _ = cursor.skipBlank()
        value(at: place)
    }

    /// A key as it is written, with dots.
    private mutating func key(in table: Place) -> Place {
        let line = cursor.line
        var path: [String] = []
        repeat {
            cursor.skipSpaces()
            path.append(cursor.key())
            cursor.skipSpaces()
        } while cursor.take(UInt8(ascii: "."))
        let depth = table.depth + path.count
        if depth > Self.deepest { lineOfTooDeep = lineOfTooDeep ?? line }
        return Place(key: table.key.map { places.define(path, in: $0, line: line) }, depth: depth)
    }

    private mutating func value(at place: Place) {
        switch cursor.byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = cursor.text()
        case UInt8(ascii: "["): list(until: UInt8(ascii: "]")) { $0.value(at: Place(key: nil, depth: place.depth)) }
        case UInt8(ascii: "{"): list(until: UInt8(ascii: "}")) { $0.pair(in: place) }
        default: cursor.skip { !",]}#\r\n".utf8.contains($0) }
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout KeyScan) -> Void) {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.mostNested else { return cursor.skip { _ in true } }
        cursor.advance()
        while cursor.skipBlank(), !cursor.take(end) {
            if cursor.take(UInt8(ascii: ",")) { continue }
            let start = cursor.index
            element(&self)
            if cursor.index == start { cursor.advance() }
        }
    }
}
