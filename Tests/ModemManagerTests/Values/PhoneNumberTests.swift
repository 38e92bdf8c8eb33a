import ModemManager
import Testing

@Suite(.timeLimit(.minutes(5))) struct PhoneNumberTests {
    @Test(arguments: [
        ("+491701234567", "+491701234567"), ("+49 170 1234-567", "+491701234567"), ("(0170) 123.45/67", "01701234567"),
        ("112", "112"), ("+1 (555) 010-9999", "+15550109999"), ("123456789012345", "123456789012345"),
    ])
    func `separators in a phone number are ignored`(text: String, number: String) throws {
        #expect(try PhoneNumber(text).description == number)
    }

    @Test(arguments: [
        "", "+", "12", "1234567890123456", "+1234567890123456", "0170x123", "++49170123", "49+170123", "+0170123456",
        "+49 (0)170 1234567", "+49(0) 1701234567",
        "(+49) (0)170 1234567", " +49 ( 0 )170 1234567", "0049 (0)170 1234567",
        "٠١٢٣٤٥", "１２３４５", "123\n456", "123;456", "123\"456", "12345\0", "Anna",
    ])
    func `an invalid phone number is rejected`(text: String) {
        #expect(throws: TextMessageError.badNumber(text)) { try PhoneNumber(text) }
    }

    @Test func `control characters in a rejected number are escaped`() {
        let error = TextMessageError.badNumber("1\u{1B}[2J")
        #expect(error.description == #""1\u{1b}[2J" is not a telephone number"#)
    }
}
