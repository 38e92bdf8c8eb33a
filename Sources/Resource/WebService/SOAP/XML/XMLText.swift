/// Text as XML has it.
enum XMLText {
    /// Character data or the value of an attribute in quotes (XML 1.0, sections 2.4 and 3.3.3). What XML 1.0 cannot have at all, such
    /// as most control characters (section 2.2), becomes the replacement character.
    static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            // As it is, a reader would make a line feed of it.
            case "\r": result += "&#13;"
            case "\n" where isAttribute: result += "&#10;"
            case "\t" where isAttribute: result += "&#9;"
            default: result.unicodeScalars.append(isCharacter(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
