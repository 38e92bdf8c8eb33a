internal import Foundation

/// A token or password. When it is printed, logged or dumped, it shows bullets; `reveal()` is the only access to the
/// text.
public struct Secret: Hashable, Sendable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The text itself, for the request that needs it and nothing else.
    public func reveal() -> String { text }

    /// The replacement for a secret. Its length is constant, so that it does not reveal the length of the secret.
    public static let bullets = "•••••"

    /// `text` with every occurrence of the secret replaced by bullets, because servers echo what they receive.
    ///
    /// Also finds the spellings of URLs (percent-encoding, RFC 3986, section 2.1), of JSON (RFC 8259, section 7) and of
    /// XML (character references), in any mixture, and the secret within base64 (RFC 4648, sections 4 and 5), such as
    /// after the user name of basic authentication; in base64 only from four bytes on, because fewer occur in any text.
    ///
    /// Cut a text only after it was scrubbed: a secret that is cut in half is not found.
    public func scrubbed(from text: String) -> String {
        guard !self.text.isEmpty, !text.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for range in Spellings(self.text).ranges(in: bytes) {
            for index in range { isSecret[index] = true }
        }
        for fragment in Base64Fragment.all(of: self.text) {
            for range in Spellings(fragment.text).ranges(in: bytes) {
                for index in fragment.withEdges(range, in: bytes) { isSecret[index] = true }
            }
        }
        return replaced(bytes, where: isSecret) ?? text
    }

    /// Nil if nothing is to be replaced.
    private func replaced(_ bytes: [UInt8], where isSecret: [Bool]) -> String? {
        guard isSecret.contains(true) else { return nil }
        var result: [UInt8] = []
        for index in bytes.indices {
            if !isSecret[index] {
                result.append(bytes[index])
            } else if index == 0 || !isSecret[index - 1] {
                result += Secret.bullets.utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Secret.bullets }
    public var debugDescription: String { Secret.bullets }
    /// Without children, so that `dump` and the messages of failed expectations show nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The spellings of a text within URLs, JSON and XML, for a search.
struct Spellings {
    /// For each scalar of the text, the byte strings that stand for it.
    private let scalars: [[[UInt8]]]
    /// Whether a byte can begin the text.
    private let begins: [Bool]

    init(_ text: String) {
        scalars = text.unicodeScalars.map(Self.spellings)
        var begins = [Bool](repeating: false, count: 256)
        for byte in (scalars.first ?? []).compactMap(\.first) { begins[Int(byte)] = true }
        self.begins = begins
    }

    /// All positions where the text occurs, including overlapping ones.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.indices.compactMap { start in
            guard begins[Int(bytes[start])] else { return nil }
            return end(from: start, in: bytes).map { start..<$0 }
        }
    }

    /// The end of the text that begins at `start`, or nil. One spelling may be a prefix of another, so that there can
    /// be several positions to continue from.
    private func end(from start: Int, in bytes: [UInt8]) -> Int? {
        var positions: Set<Int> = [start]
        for spellings in scalars {
            var next: Set<Int> = []
            for position in positions {
                for spelling in spellings where bytes[position...].starts(with: spelling) {
                    next.insert(position + spelling.count)
                }
            }
            if next.isEmpty { return nil }
            positions = next
        }
        return positions.max()
    }

    private static func spellings(of scalar: Unicode.Scalar) -> [[UInt8]] {
        var result = [String(scalar), "&#\(scalar.value);"]
        for isUpper in [false, true] {
            func hex(_ value: some BinaryInteger, _ width: Int) -> String {
                value.digits(radix: 16, uppercase: isUpper, width: width)
            }
            result.append(String(scalar).utf8.map { "%" + hex($0, 2) }.joined())
            result.append(String(scalar).utf16.map { "\\u" + hex($0, 4) }.joined())
            result.append("&#x\(hex(scalar.value, 1));")
        }
        switch scalar {
        // The query of a URL, as encoded by forms.
        case " ": result.append("+")
        case "\"": result += ["\\\"", "&quot;"]
        case "\\": result.append("\\\\")
        case "/": result.append("\\/")
        case "&": result.append("&amp;")
        case "<": result.append("&lt;")
        case ">": result.append("&gt;")
        case "'": result.append("&apos;")
        default: break
        }
        return result.map { Array($0.utf8) }
    }
}

/// The characters of base64 (RFC 4648) that a text alone determines, wherever it occurs within the encoded text.
///
/// Four characters encode three bytes, so there are three possible offsets: 0, 1 and 2 bytes into a group of three.
struct Base64Fragment {
    let text: String
    /// Whether the character before the fragment contains bits of the text and of the bytes before it.
    private let sharesFirst: Bool
    /// Whether the character after the fragment contains bits of the text and of the bytes after it.
    private let sharesLast: Bool

    /// Fewer than four characters occur in any text.
    private static let shortest = 4

    static func all(of text: String) -> [Base64Fragment] {
        (0..<3).flatMap { offset in
            let count = offset + text.utf8.count
            // Rounded up: the first character without bits of the preceding text; each character has 6 bits.
            let first = (offset * 8 + 5) / 6, end = count * 8 / 6
            guard end - first >= shortest else { return [Base64Fragment]() }
            let encoded = (Data(repeating: 0, count: offset) + Data(text.utf8)).base64EncodedString()
            let standard = String(encoded.dropFirst(first).prefix(end - first))
            let url = String(standard.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            return (standard == url ? [standard] : [standard, url]).map {
                Base64Fragment(text: $0, sharesFirst: offset * 8 % 6 != 0, sharesLast: count * 8 % 6 != 0)
            }
        }
    }

    /// `range` with the characters at its edges, which also contain bits of the text.
    func withEdges(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        let before = range.lowerBound - 1, behind = range.upperBound
        let lower = sharesFirst && before >= 0 && isDigit(bytes[before]) ? before : range.lowerBound
        let upper = sharesLast && behind < bytes.count && isDigit(bytes[behind]) ? behind + 1 : range.upperBound
        return lower..<upper
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "+/-_".utf8.contains(byte) }
}
