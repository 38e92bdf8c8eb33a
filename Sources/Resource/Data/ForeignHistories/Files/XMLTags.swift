import Glibc
import StepDomain

/// Reads the tags of one kind of element of an XML file one after the other, in bounded memory
/// (https://www.w3.org/TR/xml/).
///
/// An export of a phone can have gigabytes of elements, of which one in ten is wanted: of the others only the end is
/// looked for, and nothing is converted. There is no document type, and there are no entities but the five that XML has
/// by itself: nothing can become longer than it is written. A file that was cut off or damaged is found; names of end
/// tags are counted and not compared.
final class XMLTags {
    /// An attribute, as it is written between its quotes. The closing quote follows `value`.
    struct Attribute {
        let name: UnsafeBufferPointer<UInt8>
        let value: UnsafeBufferPointer<UInt8>

        func isNamed(_ word: StaticString) -> Bool { name.equals(word) }
    }

    private let stream: any ByteStream
    private let path: String
    private var buffer: [UInt8]
    private var filled: Int
    private var depth = 0
    /// The depth of the outermost open element whose content is left out; nil if none is open.
    private var leftOutDepth: Int?
    /// Whether the outermost element has ended.
    private var isClosed = false
    private var attributes: [Attribute] = []
    private var parent: StaticString = ""
    /// Bytes since the last tag.
    private var silence = 0

    /// Bytes of a tag, a comment or a text. Those of Apple have some hundred.
    private static let maximumMarkup = 4 << 20
    private static let deepest = 64
    private static let piece = 1 << 17

    /// - Parameter head: what was read of the stream before, from the first tag on.
    init(_ stream: any ByteStream, head: [UInt8], path: String) {
        (self.stream, self.path, buffer, filled) = (stream, path, head, head.count)
    }

    /// - Parameters:
    ///   - name: of the elements.
    ///   - kind: an attribute that they must have: its name and its value.
    ///   - parent: the name of elements in which they are left out.
    ///   - body: receives all their other attributes; they are valid until it returns.
    /// - Throws: `ImportError.malformed`; what `body` throws.
    func read(
        _ name: StaticString, where kind: (name: StaticString, value: StaticString), outside parent: StaticString,
        _ body: ([Attribute]) throws(ImportError) -> Void
    ) throws(ImportError) {
        self.parent = parent
        while true {
            let used = try buffer.withUnsafeBufferPointer { bytes throws(ImportError) in
                try scan(UnsafeBufferPointer(rebasing: bytes[..<filled]), name, kind, body)
            }
            silence += used
            if max(silence, filled - used) > Self.maximumMarkup { throw failure("it has no elements") }
            buffer.removeSubrange(..<used)
            filled -= used
            let missing = filled + Self.piece - buffer.count
            if missing > 0 { buffer.append(contentsOf: repeatElement(0, count: missing)) }
            let rest = filled
            let read = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(ImportError) in
                    try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[rest...]))
                }
            }
            let count = try read.get()
            if count == 0 { break }
            // What a disk has lost is often zeros, which XML does not have.
            let isDamaged = buffer.withUnsafeBufferPointer { bytes in
                UnsafeBufferPointer(rebasing: bytes[filled..<(filled + count)]).first(0, from: 0) != nil
            }
            if isDamaged { throw failure("it has a byte 0") }
            filled += count
        }
        guard isClosed, filled == 0 else { throw failure("it is truncated") }
    }

    private func failure(_ reason: String) -> ImportError {
        .malformed(path: path, reason: "it is no correct XML: \(reason)")
    }

    // MARK: Markup

    /// - Returns: the bytes up to the first tag that is not complete, or all.
    private func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, _ name: StaticString, _ kind: (name: StaticString, value: StaticString),
        _ body: ([Attribute]) throws(ImportError) -> Void
    ) throws(ImportError) -> Int {
        var position = 0
        while let start = bytes.first(UInt8(ascii: "<"), from: position) {
            try check(text: bytes, position, start)
            guard bytes.count - start >= 4 else { return start }
            let end: Int?
            switch bytes[start + 1] {
            case UInt8(ascii: "!"): end = try special(bytes, start)
            case UInt8(ascii: "?"): end = bytes.end(of: "?>", from: start + 2)
            case UInt8(ascii: "/"):
                end = bytes.first(UInt8(ascii: ">"), from: start).map { $0 + 1 }
                if end != nil { try close() }
            default: end = try tag(bytes, start, name, kind, body)
            }
            guard let end else { return start }
            position = end
        }
        // A reference can be cut in two.
        let last = bytes[position...].lastIndex(of: UInt8(ascii: "&")).flatMap { bytes.count - $0 < 12 ? $0 : nil }
        try check(text: bytes, position, last ?? bytes.count)
        return last ?? bytes.count
    }

    /// Beside the outermost element there is only white space; a reference to an entity that the file would have to
    /// declare is refused.
    private func check(text bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) throws(ImportError) {
        if depth == 0, !bytes[start..<end].allSatisfy(isBlank) { throw failure("there is text beside its elements") }
        var position = start
        while let mark = bytes.first(UInt8(ascii: "&"), from: position), mark < end {
            let text = UnsafeBufferPointer(rebasing: bytes[mark..<min(mark + 12, end)])
            guard text.reference != nil else { throw failure("it uses entities") }
            position = mark + 1
        }
    }

    /// - Returns: the end of a comment or of literal text; nil if it is not complete.
    private func special(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) throws(ImportError) -> Int? {
        if bytes.has("<!--", at: start) { return bytes.end(of: "-->", from: start + 4) }
        guard bytes.count - start >= 9 else { return nil }
        guard depth > 0, bytes.has("<![CDATA[", at: start) else { throw failure("it has declarations") }
        return bytes.end(of: "]]>", from: start + 9)
    }

    private func open() throws(ImportError) {
        depth += 1
        if depth > Self.deepest { throw failure("it is nested too deep") }
    }

    private func close() throws(ImportError) {
        if depth == leftOutDepth { leftOutDepth = nil }
        depth -= 1
        if depth < 0 { throw failure("an element ends that has not begun") }
        if depth == 0 { isClosed = true }
    }

    /// - Returns: the end of a start tag; nil if it is not complete.
    private func tag(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ wanted: StaticString,
        _ kind: (name: StaticString, value: StaticString), _ body: ([Attribute]) throws(ImportError) -> Void
    ) throws(ImportError) -> Int? {
        if isClosed { throw failure("it goes on after its end") }
        var position = start + 1
        let name = bytes.name(&position)
        if position == bytes.count { return nil }
        if name.isEmpty { throw failure("a tag has no name") }
        // 0: another element; 1: the attribute of the kind has not come yet; 2: it is one of the kind.
        var match = leftOutDepth == nil && name.equals(wanted) ? 1 : 0
        attributes.removeAll(keepingCapacity: true)
        while true {
            let before = position
            bytes.skipBlanks(&position)
            if position == bytes.count { return nil }
            if bytes[position] == UInt8(ascii: ">") {
                position += 1
                try open()
                if leftOutDepth == nil, name.equals(parent) { leftOutDepth = depth }
                break
            }
            if bytes[position] == UInt8(ascii: "/") {
                if position + 1 == bytes.count { return nil }
                guard bytes[position + 1] == UInt8(ascii: ">") else { throw failure("a tag ends wrongly") }
                position += 2
                if depth == 0 { isClosed = true }
                break
            }
            guard position > before else { throw failure("attributes are not separated") }
            let key = bytes.name(&position)
            bytes.skipBlanks(&position)
            if position == bytes.count { return nil }
            guard !key.isEmpty, bytes[position] == UInt8(ascii: "=") else { throw failure("an attribute has no value") }
            position += 1
            bytes.skipBlanks(&position)
            if position == bytes.count { return nil }
            let quote = bytes[position]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw failure("a value has no quotes")
            }
            guard let end = bytes.first(quote, from: position + 1) else { return nil }
            let value = UnsafeBufferPointer(rebasing: bytes[(position + 1)..<end])
            if value.first(UInt8(ascii: "<"), from: 0) != nil { throw failure("a value has no end") }
            position = end + 1
            if match == 0 { continue }
            if match == 1, key.equals(kind.name) {
                match = value.equals(kind.value) ? 2 : 0
            } else {
                attributes.append(Attribute(name: key, value: value))
            }
        }
        // What was scanned is added to it later: what follows this tag.
        silence = -position
        if match == 2 { try body(attributes) }
        return position
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

extension UnsafeBufferPointer<UInt8> {
    func equals(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && has(word, at: 0)
    }

    fileprivate func has(_ word: StaticString, at position: Int) -> Bool {
        guard let baseAddress, count - position >= word.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress + position, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    func first(_ byte: UInt8, from position: Int) -> Int? {
        guard let baseAddress, position < count else { return nil }
        return memchr(baseAddress + position, Int32(byte), count - position).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(baseAddress)
        }
    }

    /// The end of the first occurrence.
    func end(of word: StaticString, from position: Int) -> Int? {
        var position = position
        while let start = first(word.utf8Start.pointee, from: position) {
            if has(word, at: start) { return start + word.utf8CodeUnitCount }
            position = start + 1
        }
        return nil
    }

    fileprivate func skipBlanks(_ position: inout Int) {
        while position < count, isBlank(self[position]) { position += 1 }
    }

    /// Up to a blank or a mark of a tag.
    fileprivate func name(_ position: inout Int) -> UnsafeBufferPointer<UInt8> {
        let start = position
        while position < count {
            switch self[position] {
            // / < = > and quotes
            case ...0x20, 0x2f, 0x3c, 0x3d, 0x3e, 0x22, 0x27:
                return UnsafeBufferPointer(rebasing: self[start..<position])
            default: position += 1
            }
        }
        return UnsafeBufferPointer(rebasing: self[start...])
    }

    /// The character that a reference stands for which these bytes begin with, and the bytes of the reference; nil for
    /// an entity that XML does not have by itself.
    var reference: (character: UnicodeScalar, length: Int)? {
        guard let end = first(UInt8(ascii: ";"), from: 0), end <= 11 else { return nil }
        let name = String(decoding: self[1..<end], as: UTF8.self)
        let known: [String: UnicodeScalar] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        if let character = known[name] { return (character, end + 1) }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap { UnicodeScalar($0) }.map { ($0, end + 1) }
    }

    /// A value with its references replaced. Others stay as they are.
    var decoded: String {
        guard first(UInt8(ascii: "&"), from: 0) != nil else { return String(decoding: self, as: UTF8.self) }
        var (text, position) = ("", 0)
        while let mark = first(UInt8(ascii: "&"), from: position) {
            text += String(decoding: self[position..<mark], as: UTF8.self)
            if let found = UnsafeBufferPointer(rebasing: self[mark...]).reference {
                text.unicodeScalars.append(found.character)
                position = mark + found.length
            } else {
                text += "&"
                position = mark + 1
            }
        }
        return text + String(decoding: self[position...], as: UTF8.self)
    }
}
