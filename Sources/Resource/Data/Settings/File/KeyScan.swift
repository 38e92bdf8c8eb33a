/// Finds the keys of a TOML document, which the parser tells no places of.
///
/// Only for what the parser has taken: it is looked at for no more than where keys and values begin and end (TOML 1.0.0).
struct KeyScan {
    private(set) var places = KeyPlaces()
    private var cursor: TOMLCursor

    /// Where a text has a NUL written with an escape, as \u0000.
    var lineOfNUL: Int? { cursor.lineOfNUL }

    init(_ text: String) {
        cursor = TOMLCursor(text)
        scan()
    }

    private mutating func scan() {
        var table = KeyPlaces.Key.root
        while cursor.skipBlank(), let byte = cursor.byte {
            let start = cursor.index
            if byte == UInt8(ascii: "[") {
                cursor.skip { $0 == UInt8(ascii: "[") }
                let line = cursor.line
                table = places.define(path(), in: .root, line: line)
                cursor.skip { $0 == UInt8(ascii: "]") }
            } else {
                pair(in: table)
            }
            // What is not understood is passed over, so that there is an end.
            if cursor.index == start { cursor.advance() }
        }
    }

    /// A key and its value. Without a table where the place of the key is of no use.
    private mutating func pair(in table: KeyPlaces.Key?) {
        let line = cursor.line, path = path()
        let key = table.map { places.define(path, in: $0, line: line) }
        cursor.skip { $0 == UInt8(ascii: "=") }
        _ = cursor.skipBlank()
        value(of: key)
    }

    private mutating func path() -> [String] {
        var path: [String] = []
        repeat {
            cursor.skipSpaces()
            path.append(cursor.key())
            cursor.skipSpaces()
        } while cursor.take(UInt8(ascii: "."))
        return path
    }

    /// Calls itself for what lies within, which the parser has limited to a depth of 256.
    private mutating func value(of key: KeyPlaces.Key?) {
        switch cursor.byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = cursor.text()
        case UInt8(ascii: "["): list(until: UInt8(ascii: "]")) { $0.value(of: nil) }
        case UInt8(ascii: "{"): list(until: UInt8(ascii: "}")) { $0.pair(in: key) }
        default: cursor.skip { !",]}#\r\n".utf8.contains($0) }
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout KeyScan) -> Void) {
        cursor.advance()
        while cursor.skipBlank(), !cursor.take(end) {
            if cursor.take(UInt8(ascii: ",")) { continue }
            let start = cursor.index
            element(&self)
            if cursor.index == start { cursor.advance() }
        }
    }
}
