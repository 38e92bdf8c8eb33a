/// A context of text in a document with the syntax of XML. It decides which characters are written as references.
public enum XMLContext: Sendable {
    /// The character data of an element (XML 1.0, section 2.4).
    case text
    /// The value of an attribute in quotes. A reader turns an unescaped line feed or tab there into a space (XML 1.0,
    /// section 3.3.3).
    case attribute
    /// Text and values of attributes in HTML, and in SVG within HTML. A single quote is written as a number: HTML 4 has
    /// no `&apos;`.
    case html
    /// The body of a desktop notification (Desktop Notifications Specification 1.2, section "Markup"). Only `&`, `<`
    /// and `>` begin or end markup there; quotes stay as they are.
    case notification
}

/// The text with the characters that have a meaning in markup written as references: `&`, `<`, `>`, and except in a
/// notification both quotes and the carriage return, which a reader would turn into a line feed (XML 1.0, section
/// 2.11).
///
/// XML 1.0 does not allow most control characters, surrogates, U+FFFE and U+FFFF, not even as references (section 2.2).
/// They become the replacement character U+FFFD in all contexts, because one of them makes the whole document invalid.
///
/// The text is read by scalars: a `<` with a combining mark after it is another character in Swift, but a `<` for a
/// reader.
///
/// - Parameter isUnwanted: whether a character outside of printable ASCII becomes the replacement character, too.
public func xmlEscaped(
    _ text: String, in context: XMLContext, replacing isUnwanted: (Unicode.Scalar) -> Bool = { _ in false }
) -> String {
    // Most text is printable ASCII without quotes, `&`, `<` and `>`.
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && ![0x22, 0x26, 0x27, 0x3c, 0x3e].contains($0) }) {
        return text
    }
    var escaped = ""
    for scalar in text.unicodeScalars {
        if !scalar.isXMLCharacter || isUnwanted(scalar) {
            escaped.unicodeScalars.append("\u{fffd}")
        } else if let reference = reference(to: scalar, in: context) {
            escaped += reference
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// Nil for a character that needs none.
private func reference(to scalar: Unicode.Scalar, in context: XMLContext) -> String? {
    switch scalar {
    case "&": return "&amp;"
    case "<": return "&lt;"
    case ">": return "&gt;"
    case _ where context == .notification: return nil
    case "\"": return "&quot;"
    case "'": return context == .html ? "&#39;" : "&apos;"
    case "\r": return "&#13;"
    case "\n" where context == .attribute: return "&#10;"
    case "\t" where context == .attribute: return "&#9;"
    default: return nil
    }
}

extension Unicode.Scalar {
    /// Whether a document of XML 1.0 may contain this character (section 2.2).
    public var isXMLCharacter: Bool {
        switch value {
        case 0x9, 0xa, 0xd, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }
}

/// The text as a segment of a path, a name or value in a query or a form, or a fragment: all of it percent-encoded but
/// unreserved characters. The segments `.` and `..` lead to another place, so their dots are encoded, too.
public func percentEncodedComponent(_ text: String) -> String {
    text == "." || text == ".." ? text.replacing(".", with: "%2E") : percentEncoded(text, keeping: \.isUnreserved)
}

/// The text with the bytes of its UTF-8 percent-encoded (RFC 3986, section 2.1) with upper-case digits, except for
/// those that are kept.
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

    /// Whether a token of HTTP, such as the name of a header, may contain this byte (RFC 9110, section 5.6.2).
    package var isToken: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

/// One word for a POSIX shell, to be pasted: as it is, in single quotes or, if these cannot show it, as `$'…'` with
/// octal bytes (POSIX.1-2024, 2.2.4 Dollar-Single-Quotes), which `ls` writes as well.
///
/// - Parameter isASCII: for a terminal that shows only ASCII: other characters are written as the bytes of their UTF-8.
public func shellQuoted(_ word: String, isASCII: Bool = false) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
    guard word.unicodeScalars.contains(where: { needsEscape($0, isASCII) }) else {
        // Escaped by scalars: a quote with a combining mark after it is another character in Swift, but a quote in the
        // shell.
        return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
    let escaped = word.unicodeScalars.map { scalar -> String in
        if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
        guard needsEscape(scalar, isASCII) else { return String(scalar) }
        return String(scalar).utf8.map { "\\" + $0.digits(radix: 8, width: 3) }.joined()
    }
    return "$'" + escaped.joined() + "'"
}

/// Bytes without a special meaning in any shell. A tilde would be expanded to a home directory, a brace to a list.
private func isPlain(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "/.-_+:=,@%".utf8.contains(byte) }

/// Characters that control a terminal, are invisible, or look like a space and are none: a pasted line would not do
/// what it shows.
private func needsEscape(_ scalar: Unicode.Scalar, _ isASCII: Bool) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
    if isASCII { return true }
    switch scalar.value {
    // Fillers: letters by their category, but shown as blank.
    case 0x115f, 0x1160, 0x3164, 0xffa0: return true
    case 0xfe00...0xfe0f: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate, .unassigned:
        return true
    default: return false
    }
}
