/// One word for a POSIX shell, to be pasted: as it is, in single quotes, or where these cannot show it as `$'…'` with octal bytes
/// (POSIX.1-2024, 2.2.4 Dollar-Single-Quotes), which `ls` writes as well.
///
/// - Parameter isASCII: for a terminal that shows only ASCII: other characters are written as the bytes of their UTF-8.
public func shellQuoted(_ word: String, isASCII: Bool = false) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
    guard word.unicodeScalars.contains(where: { needsEscape($0, isASCII) }) else {
        // By scalars: a quote with a combining mark after it is another character in Swift, but a quote in the shell.
        return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
    let escaped = word.unicodeScalars.map { scalar -> String in
        if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
        guard needsEscape(scalar, isASCII) else { return String(scalar) }
        return String(scalar).utf8.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
    return "$'" + escaped.joined() + "'"
}

/// Bytes without a special meaning in any shell. A tilde would be expanded to a home directory, a brace to a list.
private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: ":"),
        UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "@"), UInt8(ascii: "%"):
        true
    default: false
    }
}

/// Characters that control a terminal, are invisible, or look like a space and are none: a pasted line would not do what it shows.
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
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate, .unassigned: return true
    default: return false
    }
}
