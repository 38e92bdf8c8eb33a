import Foundation

/// The characters of base64 (RFC 4648) that a text alone decides, wherever it stands within the text that is encoded.
///
/// Four characters carry three bytes, so that there are three ways to stand: at the beginning of three bytes, behind
/// the first, and behind the second.
struct Base64Fragment {
    let text: String
    /// Whether the character before is decided by the text and by what stands before it.
    private let sharesFirst: Bool
    /// Whether the character behind is decided by the text and by what stands behind it.
    private let sharesLast: Bool

    /// Under four characters it is in any text.
    private static let shortest = 4

    static func all(of text: String) -> [Base64Fragment] {
        (0..<3).flatMap { offset in
            let count = offset + text.utf8.count
            // Rounded up: the first character without a bit of what stands before, 6 bits to each.
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

    /// `range` with the characters at its edges, which have bits of the text too.
    func withEdges(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        let before = range.lowerBound - 1, behind = range.upperBound
        let lower = sharesFirst && before >= 0 && isDigit(bytes[before]) ? before : range.lowerBound
        let upper = sharesLast && behind < bytes.count && isDigit(bytes[behind]) ? behind + 1 : range.upperBound
        return lower..<upper
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
