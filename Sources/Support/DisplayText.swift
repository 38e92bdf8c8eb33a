/// The text in double quotes. Characters that a terminal would interpret are escaped: controls, and the invisible
/// characters that change the direction of text.
public func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" || scalar == "\\" {
            result += "\\\(scalar)"
        } else {
            result += shown(scalar)
        }
    }
    return result + "\""
}

/// The text with the same characters escaped, and without quotes.
///
/// - Parameter kept: characters that stay, such as a line feed in a text of several lines.
public func printable(_ text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    guard text.unicodeScalars.contains(where: { $0.isUnfitForTerminals && !kept.contains($0) }) else { return text }
    return text.unicodeScalars.map { kept.contains($0) ? String($0) : shown($0) }.joined()
}

/// The text without the characters that a terminal would interpret.
public func stripped(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnfitForTerminals }))
}

/// The text with another character in place of each that a terminal would interpret.
public func replaced(_ text: String, with replacement: Unicode.Scalar) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isUnfitForTerminals ? replacement : $0 }))
}

private func shown(_ scalar: Unicode.Scalar) -> String {
    scalar.isUnfitForTerminals ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
}

extension Unicode.Scalar {
    /// The criterion for text from outside that is printed or logged. It does not decide what a protocol allows.
    ///
    /// Controls, direction marks, line and paragraph separators, and unassigned and private characters.
    public var isUnfitForTerminals: Bool {
        // The only category of ASCII among these is control; a lookup in the tables for each letter takes longer.
        if isASCII { return value < 0x20 || value == 0x7f }
        return switch properties.generalCategory {
        // A zero width joiner joins emoji and is harmless.
        case .format: value != 0x200D
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A number as texts show it: without its fraction if that is zero, as it is for most limits of time.
public func brief(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
}
