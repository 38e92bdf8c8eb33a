import StepDomain

/// Reads the objects of one array of a JSON file one by one, in bounded memory (RFC 8259).
struct JSONRecords {
    /// The scalars of an object, by the keys that lead to them, joined by points; arrays on the way have no name of
    /// their own, and of several values with one name the first counts.
    typealias Record = [String: Scalar]

    enum Scalar: Equatable {
        case text(String)
        /// As it is written: numbers of nanoseconds have more digits than a floating-point number.
        case number(String)
        case boolean(Bool)

        var text: String {
            switch self {
            case .text(let text), .number(let text): text
            case .boolean(let value): value ? "true" : "false"
            }
        }

        /// A whole number, or one that was rounded to it.
        var integer: Int? {
            switch self {
            case .text(let text), .number(let text):
                Int(text) ?? Double(text).flatMap { abs($0) < 1e15 ? Int($0.rounded()) : nil }
            case .boolean: nil
            }
        }
    }

    private let stream: any ByteStream
    private let path: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var (filled, position) = (0, 0)
    private var isAtStart = true

    private static let deepest = 32
    private static let maximumText = 1 << 20
    private static let maximumValues = 400
    /// Bytes of a key, and of a text that is kept.
    private static let maximumKept = 4000

    init(_ file: ForeignFile) throws(ImportError) {
        stream = try file.text()
        path = file.path
    }

    /// - Parameters:
    ///   - key: the key of the array in the outermost object; nil if the file is an array.
    ///   - outer: receives the scalars beside it that come before it.
    ///   - body: receives each object of the array.
    mutating func read(
        under key: String?, outer: (String, Scalar) throws(ImportError) -> Void = { _, _ in },
        _ body: (Record) throws(ImportError) -> Void
    ) throws(ImportError) {
        switch try next() {
        case UInt8(ascii: "[") where key == nil: try readArray(body)
        case UInt8(ascii: "{") where key != nil:
            try readMembers { (name, first, parser) throws(ImportError) in
                if name == key, first == UInt8(ascii: "[") { return try parser.readArray(body) }
                var record: Record = [:]
                try parser.readValue(first, name, 1, &record)
                if let value = record[name] { try outer(name, value) }
            }
        default: throw failure("it does not begin as expected")
        }
        if try nextIfAny() != nil { throw failure("it goes on after its end") }
    }

    /// Reads objects that follow each other, each on a line of its own (https://jsonlines.org).
    mutating func readLines(_ body: (Record) throws(ImportError) -> Void) throws(ImportError) {
        while let first = try nextIfAny() {
            guard first == UInt8(ascii: "{") else { throw failure("a line is no object") }
            var record: Record = [:]
            try readValue(first, "", 1, &record)
            try body(record)
        }
    }

    /// Nil at the end.
    private mutating func nextIfAny() throws(ImportError) -> UInt8? {
        while true {
            if position == filled {
                filled = try stream.read(&buffer)
                position = isAtStart && filled >= 3 && buffer[..<3] == [0xef, 0xbb, 0xbf] ? 3 : 0
                isAtStart = false
                if position >= filled { return nil }
            }
            position += 1
            if ![0x20, 0x09, 0x0a, 0x0d].contains(buffer[position - 1]) { return buffer[position - 1] }
        }
    }

    private mutating func readArray(_ body: (Record) throws(ImportError) -> Void) throws(ImportError) {
        var first = try next()
        if first == UInt8(ascii: "]") { return }
        while true {
            var record: Record = [:]
            try readValue(first, "", 1, &record)
            try body(record)
            switch try next() {
            case UInt8(ascii: ","): first = try next()
            case UInt8(ascii: "]"): return
            default: throw failure("a comma is missing")
            }
        }
    }

    private typealias Member = (String, UInt8, inout JSONRecords) throws(ImportError) -> Void

    /// The members of an object whose first mark was read.
    private mutating func readMembers(_ body: Member) throws(ImportError) {
        var first = try next()
        if first == UInt8(ascii: "}") { return }
        while true {
            guard first == UInt8(ascii: "\"") else { throw failure("a key is missing") }
            let name = try readText()
            if name.utf8.count > Self.maximumKept { throw failure("a key is too long") }
            guard try next() == UInt8(ascii: ":") else { throw failure("a colon is missing") }
            try body(name, try next(), &self)
            switch try next() {
            case UInt8(ascii: ","): first = try next()
            case UInt8(ascii: "}"): return
            default: throw failure("a comma is missing")
            }
        }
    }

    private mutating func readValue(_ first: UInt8, _ name: String, _ depth: Int, _ record: inout Record)
        throws(ImportError)
    {
        guard depth <= Self.deepest else { throw failure("it is nested too deep") }
        switch first {
        case UInt8(ascii: "{"):
            var inner = record
            try readMembers { (key, first, parser) throws(ImportError) in
                try parser.readValue(first, name.isEmpty ? key : "\(name).\(key)", depth + 1, &inner)
            }
            record = inner
        case UInt8(ascii: "["):
            var mark = try next()
            if mark == UInt8(ascii: "]") { return }
            while true {
                try readValue(mark, name, depth + 1, &record)
                let end = try next()
                if end == UInt8(ascii: "]") { return }
                guard end == UInt8(ascii: ",") else { throw failure("a comma is missing") }
                mark = try next()
            }
        case UInt8(ascii: "\""): keep(.text(try readText()), name, &record)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let word = try readWord(first)
            switch word {
            case "true": keep(.boolean(true), name, &record)
            case "false": keep(.boolean(false), name, &record)
            case "null": break
            default: throw failure("\(word.prefix(20)) is no value")
            }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): keep(.number(try readWord(first)), name, &record)
        default: throw failure("a value is missing")
        }
    }

    private func keep(_ value: Scalar, _ name: String, _ record: inout Record) {
        if case .text(let text) = value, text.utf8.count > Self.maximumKept { return }
        if record.count < Self.maximumValues, record[name] == nil { record[name] = value }
    }

    private func failure(_ reason: String) -> ImportError {
        .malformed(path: path, reason: "it is no correct JSON: \(reason)")
    }

    private mutating func byte() throws(ImportError) -> UInt8 {
        if position == filled {
            filled = try stream.read(&buffer)
            position = 0
            if isAtStart, filled >= 3, buffer[0] == 0xef, buffer[1] == 0xbb, buffer[2] == 0xbf { position = 3 }
            isAtStart = false
            if position >= filled { throw .malformed(path: path, reason: "it is truncated") }
        }
        defer { position += 1 }
        return buffer[position]
    }

    /// The next mark that is not white space.
    private mutating func next() throws(ImportError) -> UInt8 {
        while true {
            let byte = try byte()
            if ![0x20, 0x09, 0x0a, 0x0d].contains(byte) { return byte }
        }
    }

    private mutating func readWord(_ first: UInt8) throws(ImportError) -> String {
        var bytes = [first]
        while true {
            let byte = try byte()
            let isPart =
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "+")
            if !isPart {
                position -= 1
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
            if bytes.count > 64 { throw failure("a number is too long") }
        }
    }

    private mutating func readText() throws(ImportError) -> String {
        var bytes: [UInt8] = []
        while true {
            let byte = try byte()
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                let escaped = try self.byte()
                switch escaped {
                case UInt8(ascii: "n"): bytes.append(0x0a)
                case UInt8(ascii: "t"): bytes.append(0x09)
                case UInt8(ascii: "r"): bytes.append(0x0d)
                case UInt8(ascii: "b"), UInt8(ascii: "f"): bytes.append(0x20)
                case UInt8(ascii: "u"):
                    var value: UInt32 = 0
                    for _ in 0..<4 {
                        guard let digit = Character(UnicodeScalar(try self.byte())).hexDigitValue else {
                            throw failure("an escape is damaged")
                        }
                        value = value << 4 | UInt32(digit)
                    }
                    // Halves of a pair are not needed: no name of a key or a source has them.
                    bytes += Array(String(UnicodeScalar(value) ?? "\u{fffd}").utf8)
                default: bytes.append(escaped)
                }
            } else {
                bytes.append(byte)
            }
            if bytes.count > Self.maximumText { throw failure("a text is too long") }
        }
    }
}
