/// A telephone number in the international form, such as `+491701234567`, or a short one of the network, such as `12345`.
///
/// At most 15 digits, which is the limit of ITU-T E.164; at least 3.
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    /// `+`, if the number is international, and digits.
    public let description: String

    /// - Parameter text: spaces, hyphens, dots, slashes and parentheses between the digits do not matter.
    /// - Throws: `TextMessageError.badNumber`.
    public init(_ text: String) throws(TextMessageError) {
        let kept = text.unicodeScalars.filter { !" -./()".unicodeScalars.contains($0) }
        let digits = kept.first == "+" ? kept.dropFirst() : kept[...]
        // Other digits than those of ASCII would reach the modem as something else.
        guard (3...15).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw .badNumber(text)
        }
        // A country code never begins with 0 (E.164, section 6.2.1): such as `+0170…` it is a national number with a plus.
        if kept.first == "+", digits.first == "0" { throw .badNumber(text) }
        description = String(String.UnicodeScalarView(kept))
    }
}
