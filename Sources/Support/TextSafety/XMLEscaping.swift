/// A place for text in a document with the syntax of XML. It decides which characters are written as references.
public enum XMLPlace: Sendable {
    /// The character data of an element (XML 1.0, section 2.4).
    case text
    /// The value of an attribute in quotes. A reader turns an unescaped line feed or tab there into a space (XML 1.0, section 3.3.3).
    case attribute
    /// Text and values of attributes in HTML, and in SVG within HTML. A single quote is written as a number: HTML 4 has no `&apos;`.
    case html
    /// The body of a desktop notification (Desktop Notifications Specification 1.2, section "Markup"). Only `&`, `<` and `>` begin or end
    /// markup there; quotes stay as they are.
    case notification
}

/// The text with the characters that have a meaning in markup written as references: `&`, `<`, `>`, and except in a notification both
/// quotes and the carriage return, which a reader would turn into a line feed (XML 1.0, section 2.11).
///
/// XML 1.0 does not allow most control characters, surrogates, U+FFFE and U+FFFF, not even as references (section 2.2). They become the
/// replacement character U+FFFD in all places, because one of them makes the whole document invalid.
///
/// The text is read by scalars: a `<` with a combining mark after it is another character in Swift, but a `<` for a reader.
///
/// - Parameter isUnwanted: whether a character outside of printable ASCII becomes the replacement character, too.
public func xmlEscaped(
    _ text: String, in place: XMLPlace, replacing isUnwanted: (Unicode.Scalar) -> Bool = { _ in false }
) -> String {
    // Most text is printable ASCII without quotes, `&`, `<` and `>`.
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && ![0x22, 0x26, 0x27, 0x3c, 0x3e].contains($0) }) { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
        if !scalar.isXMLCharacter || isUnwanted(scalar) {
            escaped.unicodeScalars.append("\u{fffd}")
        } else if let reference = reference(to: scalar, in: place) {
            escaped += reference
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// Nil for a character that needs none.
private func reference(to scalar: Unicode.Scalar, in place: XMLPlace) -> String? {
    switch scalar {
    case "&": return "&amp;"
    case "<": return "&lt;"
    case ">": return "&gt;"
    case _ where place == .notification: return nil
    case "\"": return "&quot;"
    case "'": return place == .html ? "&#39;" : "&apos;"
    case "\r": return "&#13;"
    case "\n" where place == .attribute: return "&#10;"
    case "\t" where place == .attribute: return "&#9;"
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
