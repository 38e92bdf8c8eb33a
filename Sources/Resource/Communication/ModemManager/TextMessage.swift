internal import Support

/// A text and a number that were checked and can be sent.
struct MessageDraft: Hashable {
    let text: String
    let number: PhoneNumber
    let size: MessageSize

    /// - Throws: `TextMessageError.badNumber`, `.badText`, `.textTooLong`.
    init(_ text: String, to number: String) throws(TextMessageError) {
        self.number = try PhoneNumber(number)
        guard !text.allSatisfy(\.isWhitespace) else { throw .badText("it is empty") }
        // Ctrl-Z ends a message on its way to a modem (3GPP TS 27.005, section 3.5.1): the text after it would be
        // executed as commands. Format characters, such as the joiner of emoji, may be sent.
        let control = text.unicodeScalars.first { $0 != "\n" && $0.properties.generalCategory == .control }
        if let control { throw .badText("it contains the control character \(quoted(String(control)))") }
        // The minimum length of any text with this many bytes; a longer text is not measured.
        guard text.utf8.count <= Self.maximumBytes else {
            throw .textTooLong(parts: nil, limit: TextMessageSender.maximumParts)
        }
        size = MessageSize(of: text)
        guard size.parts <= TextMessageSender.maximumParts else {
            throw .textTooLong(parts: size.parts, limit: TextMessageSender.maximumParts)
        }
        self.text = text
    }

    private static let maximumBytes = 64 * 1024
}

/// How many short messages a text takes.
///
/// A message carries 140 bytes (3GPP TS 23.040, section 9.2.3.24): 160 characters of 7 bits, or 70 of 16 bits. If a
/// text needs more, each part uses 6 bytes for its number, which leaves 153 or 67.
public struct MessageSize: Sendable, Hashable {
    /// How the characters are encoded.
    public enum Alphabet: Sendable, Hashable {
        /// The 7-bit default alphabet with its extension table (3GPP TS 23.038, sections 6.2.1 and 6.2.1.1).
        case gsm7
        /// UTF-16, as soon as one character is in none of these tables.
        case ucs2

        var unitsOfOne: Int { self == .gsm7 ? 160 : 70 }
        var unitsOfEach: Int { self == .gsm7 ? 153 : 67 }
    }

    /// How the characters of this text are encoded.
    public let alphabet: Alphabet
    /// Septets or UTF-16 units. A character of the extension table takes two septets.
    public let units: Int
    /// How many messages the network carries, and charges for.
    public let parts: Int

    /// Measures a text.
    public init(of text: String) {
        let septets = text.unicodeScalars.map(GSMAlphabet.septets)
        let isGSM = !septets.contains(nil)
        alphabet = isGSM ? .gsm7 : .ucs2
        let sizes = isGSM ? septets.compactMap(\.self) : text.unicodeScalars.map { UTF16.width($0) }
        units = sizes.reduce(0, +)
        parts = units <= alphabet.unitsOfOne ? 1 : Self.parts(sizes, limit: alphabet.unitsOfEach)
    }

    /// A part never ends within a character, so the last unit of a part may stay empty.
    private static func parts(_ sizes: [Int], limit: Int) -> Int {
        var parts = 1
        var filled = 0
        for size in sizes {
            if filled + size > limit {
                parts += 1
                filled = 0
            }
            filled += size
        }
        return parts
    }
}

/// The characters that a short message can carry in 7 bits.
enum GSMAlphabet {
    /// 1 for the default alphabet, 2 (an escape before it) for its extension table, nil for what is in neither.
    static func septets(_ scalar: Unicode.Scalar) -> Int? {
        if basic.contains(scalar) { return 1 }
        return extended.contains(scalar) ? 2 : nil
    }

    /// 3GPP TS 23.038, section 6.2.1, without the escape.
    private static let basic = Set(
        """
        @£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?\
        ¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà
        """.unicodeScalars)

    /// Section 6.2.1.1.
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}

/// A telephone number in the international form, such as `+491701234567`, or a short one of the network, such as
/// `12345`.
///
/// At most 15 digits, which is the limit of ITU-T E.164; at least 3.
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    /// `+`, if the number is international, and digits.
    public let description: String

    /// - Parameter text: spaces, hyphens, dots, slashes and parentheses between the digits do not matter.
    /// - Throws: `TextMessageError.badNumber`.
    public init(_ text: String) throws(TextMessageError) {
        // The 0 of national calls is left out after most country codes, and not after all of them.
        let dense = String(text.filter { $0 != " " })
        if dense.contains("(0)"), !dense.hasPrefix("(0)") { throw .badNumber(text) }
        let kept = text.unicodeScalars.filter { !" -./()".unicodeScalars.contains($0) }
        let digits = kept.first == "+" ? kept.dropFirst() : kept[...]
        // Digits other than ASCII would reach the modem as different characters.
        guard (3...15).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw .badNumber(text)
        }
        // A country code never begins with 0 (E.164, section 6.2.1): `+0170…` is a national number with a plus.
        if kept.first == "+", digits.first == "0" { throw .badNumber(text) }
        description = String(String.UnicodeScalarView(kept))
    }
}
