/// Percent-encoding of RFC 3986, section 2.
enum PercentEncoding {
    /// Every byte encoded but the unreserved ones (section 2.3).
    static func encoded(_ text: String) -> String {
        // A dot segment would climb up the path, so it is encoded; the only bytes that are, though unreserved.
        if text == "." || text == ".." { return text.replacing(".", with: "%2E") }
        return encoded(text.utf8, keeping: isUnreserved)
    }

    /// A part of an address as somebody wrote it. What is not ASCII is encoded (RFC 3987, section 3.1).
    static func checked(_ part: Substring, allowed: (UInt8) -> Bool) throws(WebAddress.Problem) -> String {
        let bytes = Array(part.utf8)
        for (index, byte) in bytes.enumerated() where byte < 0x80 && !allowed(byte) {
            guard byte == UInt8(ascii: "%") else { throw .character(Unicode.Scalar(byte)) }
            let digits = bytes[(index + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexDigit) else { throw .escape }
        }
        return encoded(bytes) { $0 < 0x80 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }

    static func isUnreserved(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte) }

    static func isHost(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "-_".utf8.contains(byte) }

    static func isPath(_ byte: UInt8) -> Bool { isUnreserved(byte) || "!$&'()*+,;=:@/".utf8.contains(byte) }

    static func isQuery(_ byte: UInt8) -> Bool { isPath(byte) || byte == UInt8(ascii: "?") }

    /// The characters of a token (RFC 9110, section 5.6.2), such as a method or the name of a header.
    static func isToken(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

    private static func encoded(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            if isKept(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
