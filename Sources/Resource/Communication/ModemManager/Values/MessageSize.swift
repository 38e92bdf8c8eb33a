/// How much of a text fits into short messages.
///
/// A message carries 140 bytes (3GPP TS 23.040, section 9.2.3.24): 160 characters of 7 bits, or 70 of 16 bits. Of a text that
/// needs more, each part spends 6 bytes on telling which part it is, which leaves 153 or 67.
public struct MessageSize: Sendable, Hashable {
    /// How the characters are written.
    public enum Alphabet: Sendable, Hashable {
        /// The 7-bit default alphabet with its extension table (3GPP TS 23.038, sections 6.2.1 and 6.2.1.1).
        case gsm7
        /// UTF-16, as soon as one character is in none of these tables.
        case ucs2

        var unitsOfOne: Int { self == .gsm7 ? 160 : 70 }
        var unitsOfEach: Int { self == .gsm7 ? 153 : 67 }
    }

    /// How the characters of this text are written.
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

    /// No part ends within a character, so that the last unit of a part may stay empty.
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
