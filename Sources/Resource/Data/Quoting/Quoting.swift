/// In double quotes, with everything escaped that a terminal would obey instead of showing: controls, and the
/// invisible characters that turn the direction of text.
public func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" || scalar == "\\" {
            result += "\\\(scalar)"
        } else if scalar.isUnfitForTerminals {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// As one word for a POSIX shell, to be pasted; as it is where it needs no quotes.
public func shellQuoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
    if plain && !text.isEmpty { return text }
    // A word with controls in it could not be pasted from a terminal anyway.
    let shown = text.unicodeScalars.map { $0 == "'" ? "'\\''" : $0.isUnfitForTerminals ? "?" : String($0) }
    return "'" + shown.joined() + "'"
}

extension Unicode.Scalar {
    /// Controls, direction marks, line and paragraph separators, and what is not assigned or private.
    public var isUnfitForTerminals: Bool {
        switch properties.generalCategory {
        // A zero width joiner holds emoji together and harms nobody.
        case .format: value != 0x200D
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
