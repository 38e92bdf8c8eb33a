/// An address within the page that is shown: a path on the same server, or a place in the same document. There is no way to write one that
/// leads elsewhere.
package struct Link: Hashable, Sendable {
    package let text: String

    /// A path of the local page with its query.
    ///
    /// - Parameters:
    ///   - parts: between the slashes, of any characters.
    ///   - query: empty values are left out.
    package init(_ parts: [String], query: [(String, String)] = []) {
        var text = parts.map { "/" + Self.encoded($0) }.joined()
        if text.isEmpty { text = "/" }
        let pairs = query.filter { !$0.1.isEmpty }.map { Self.encoded($0.0) + "=" + Self.encoded($0.1) }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        self.text = text
    }

    /// A place in the same document, by the `id` of its element.
    package init(fragment: String) { text = "#" + Self.encoded(fragment) }

    /// A text that was made from another link.
    init(constant text: String) { self.text = text }

    /// Percent-encoding of all but the unreserved characters (RFC 3986, 2.3).
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        // A path that is only dots would lead to another place.
        return encoded == "." || encoded == ".." ? encoded.map { _ in "%2E" }.joined() : encoded
    }
}
