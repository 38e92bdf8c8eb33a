import ModemManager
import Testing

@Suite(.timeLimit(.minutes(5))) struct MessageSizeTests {
    /// The limits of 3GPP TS 23.040, section 9.2.3.24: 160 or 70 alone, 153 or 67 in each of several parts.
    @Test(arguments: [
        ("a", 160, 1), ("a", 161, 2), ("a", 306, 2), ("a", 307, 3), ("a", 459, 3), ("a", 460, 4),
        ("я", 70, 1), ("я", 71, 2), ("я", 134, 2), ("я", 135, 3), ("я", 201, 3), ("я", 202, 4),
        // Two septets, two UTF-16 units.
        ("€", 80, 1), ("€", 81, 2), ("👟", 35, 1), ("👟", 36, 2),
    ])
    func `parts are counted by the limits of the network`(character: String, count: Int, parts: Int) {
        #expect(MessageSize(of: String(repeating: character, count: count)).parts == parts)
    }

    /// An escape and its character stay together, so that 153 septets hold 76 of them, not 76 and a half.
    @Test func `a character is not split between two parts`() {
        #expect(MessageSize(of: String(repeating: "€", count: 152)).parts == 2)
        #expect(MessageSize(of: String(repeating: "€", count: 153)).parts == 3)
        #expect(MessageSize(of: String(repeating: "👟", count: 66)).parts == 2)
        #expect(MessageSize(of: String(repeating: "👟", count: 67)).parts == 3)
    }

    @Test func `all characters of the 7-bit alphabet are encoded in it`() {
        let basic =
            "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
            + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
        let size = MessageSize(of: basic)
        // 128 positions, less the escape.
        #expect(size.units == 127)
        #expect(size.alphabet == .gsm7)
        let extended = MessageSize(of: "^{}\\[~]|€\u{0C}")
        #expect(extended.units == 20)
        #expect(extended.alphabet == .gsm7)
    }

    @Test(arguments: ["ç", "’", "–", "✓", "á", "`", "Ω\u{301}", "█"])
    func `one character outside the 7-bit alphabet changes the encoding`(character: String) {
        #expect(MessageSize(of: "12034 steps " + character).alphabet == .ucs2)
    }

    @Test func `an empty text has one part and no units`() {
        #expect(MessageSize(of: "").parts == 1)
        #expect(MessageSize(of: "").units == 0)
    }
}
