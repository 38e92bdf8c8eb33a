import Glibc
import StepDomain

/// Reads the tags of one kind of element of an XML file one after the other, in bounded memory
/// (https://www.w3.org/TR/xml/).
///
/// An export of a phone can have gigabytes of elements, of which one in ten is wanted: of the others only the end is
/// looked for, and nothing is converted. There is no document type, and there are no entities but the five that XML has
/// by itself: nothing can become longer than it is written. A file that was cut off is found.
///
/// For speed it accepts more than XML: end tags are counted, and their names not compared; of elements that are not
/// read, an attribute can be there twice, and values can have an `&` alone; nowhere is it looked for characters that
/// XML does not have (except the byte 0, by `TextStream`), bytes that are no UTF-8, `--` in a comment, `]]>` in a text.
/// A tag, a comment or literal text of more than 4 MB is refused.
final class XMLTags {
    /// Which elements are read.
    struct Search {
        let name: StaticString
        /// An attribute that they have: its name and its value.
        let kind: (name: StaticString, value: StaticString)
        /// The name of elements in which they are left out.
        let parent: StaticString
    }

    /// An attribute, as it is written between its quotes. The closing quote follows `value`.
    struct Attribute {
        let name: UnsafeBufferPointer<UInt8>
        let value: UnsafeBufferPointer<UInt8>

        func isNamed(_ word: StaticString) -> Bool { name.equals(word) }
    }

    private let stream: any ByteStream
    private let path: String
    private let search: Search
    private var buffer: [UInt8]
    private var filled: Int
    private var depth = 0
    /// The depth of the outermost open element whose content is left out; nil if none is open.
    private var leftOutDepth: Int?
    /// Whether the outermost element has ended.
    private var isClosed = false
    private var attributes: [Attribute] = []

    /// Bytes of a tag, a comment or literal text. Those of Apple have some hundred.
    private static let maximumMarkup = 4 << 20
    private static let deepest = 64
    private static let piece = 1 << 17

    /// - Parameter head: what was read of the stream before, from the first tag on.
    init(_ stream: any ByteStream, head: [UInt8], path: String, _ search: Search) {
        (self.stream, self.path, self.search) = (stream, path, search)
        (buffer, filled) = (head, head.count)
    }

    /// - Parameter body: receives the attributes of an element without the one of its kind; they are valid until it
    ///   returns.
    /// - Throws: `ImportError.malformed`; what `body` throws.
    func read(_ body: ([Attribute]) throws(ImportError) -> Void) throws(ImportError) {
        while true {
            let used = try buffer.withUnsafeBufferPointer { bytes throws(ImportError) in
                try scan(UnsafeBufferPointer(rebasing: bytes[..<filled]), body)
            }
            let rest = filled - used
            if rest > Self.maximumMarkup { throw failure("a tag or a comment is longer than 4 MB") }
            buffer.withUnsafeMutableBytes { bytes in
                if used > 0, let base = bytes.baseAddress { memmove(base, base + used, rest) }
            }
            filled = rest
            let missing = filled + Self.piece - buffer.count
            if missing > 0 { buffer += [UInt8](repeating: 0, count: missing) }
            let read = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(ImportError) in
                    try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[rest...]))
                }
            }
            let count = try read.get()
            if count == 0 { break }
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
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: ([Attribute]) throws(ImportError) -> Void
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
            default: end = try tag(bytes, start, body)
            }
            guard let end else { return start }
            position = end
        }
        // A reference can be cut in two.
        let last = bytes[max(position, bytes.count - 11)...].lastIndex(of: UInt8(ascii: "&"))
        try check(text: bytes, position, last ?? bytes.count)
        return last ?? bytes.count
    }

    /// Beside the outermost element there is only white space; a reference to an entity that the file would have to
    /// declare is refused.
    private func check(text bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) throws(ImportError) {
        let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
        if depth == 0, !text.allSatisfy(isBlank) { throw failure("there is text beside its elements") }
        var position = 0
        while let mark = text.first(UInt8(ascii: "&"), from: position) {
            let reference = UnsafeBufferPointer(rebasing: text[mark..<min(mark + 12, text.count)])
            guard reference.reference != nil else { throw failure("it uses entities") }
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
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ body: ([Attribute]) throws(ImportError) -> Void
    ) throws(ImportError) -> Int? {
        if isClosed { throw failure("it goes on after its end") }
        var position = start + 1
        let name = bytes.name(&position)
        if position == bytes.count { return nil }
        if name.isEmpty { throw failure("a tag has no name") }
        // 0: another element; 1: the attribute of the kind has not come yet; 2: it is one of the kind.
        var match = leftOutDepth == nil && name.equals(search.name) ? 1 : 0
        attributes.removeAll(keepingCapacity: true)
        while true {
            let before = position
            bytes.skipBlanks(&position)
            if position == bytes.count { return nil }
            if bytes[position] == UInt8(ascii: ">") {
                position += 1
                try open()
                if leftOutDepth == nil, name.equals(search.parent) { leftOutDepth = depth }
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
            if key.equals(search.kind.name) {
                if match == 2 { throw failure("an element has an attribute twice") }
                match = value.equals(search.kind.value) || value.isWritten(search.kind.value) ? 2 : 0
            } else {
                if attributes.count == Self.maximumAttributes { throw failure("an element has too many attributes") }
                attributes.append(Attribute(name: key, value: value))
            }
        }
        if match == 2 {
            try checkNames()
            try body(attributes)
        }
        return position
    }

    /// A record of Apple Health has about ten.
    private static let maximumAttributes = 100

    private func checkNames() throws(ImportError) {
        for index in attributes.indices {
            let name = attributes[index].name
            for other in 0..<index where attributes[other].name.equals(name) {
                throw failure("an element has an attribute twice")
            }
        }
    }
}
