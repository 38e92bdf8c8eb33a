/// The text as a segment of a path, a name or value in a query or a form, or a fragment: all of it percent-encoded but unreserved characters.
/// The segments `.` and `..` lead to another place, so their dots are encoded, too.
public func percentEncodedComponent(_ text: String) -> String {
    text == "." || text == ".." ? text.replacing(".", with: "%2E") : percentEncoded(text, keeping: \.isUnreserved)
}

/// The text with the bytes of its UTF-8 percent-encoded (RFC 3986, section 2.1) with upper-case digits, except for those that are kept.
public func percentEncoded(_ text: some StringProtocol, keeping isKept: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
        if isKept(byte) {
            encoded.append(byte)
        } else {
            encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}

extension UInt8 {
    /// A letter or digit of ASCII.
    public var isAlphanumeric: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }

    /// What is never encoded (RFC 3986, section 2.3).
    public var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }
}
