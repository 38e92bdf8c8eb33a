internal import Quoting

/// A text and a number that have been found fit to be sent.
struct MessageDraft: Hashable {
    let text: String
    let number: PhoneNumber
    let size: MessageSize

    /// - Throws: `TextMessageError.badNumber`, `.badText`, `.textTooLong`.
    init(_ text: String, to number: String) throws(TextMessageError) {
        self.number = try PhoneNumber(number)
        guard !text.allSatisfy(\.isWhitespace) else { throw .badText("it is empty") }
        // Ctrl-Z ends a message on its way to a modem (3GPP TS 27.005, section 3.5.1): what follows would be commands to it.
        let control = text.unicodeScalars.first { $0 != "\n" && $0.properties.generalCategory == .control }
        if let control { throw .badText("it contains the control character \(quoted(String(control)))") }
        // The least that any text of so many bytes takes; what is longer is not even measured.
        guard text.utf8.count <= Self.mostBytes else { throw .textTooLong(parts: nil, limit: TextMessages.maximumParts) }
        size = MessageSize(of: text)
        guard size.parts <= TextMessages.maximumParts else {
            throw .textTooLong(parts: size.parts, limit: TextMessages.maximumParts)
        }
        self.text = text
    }

    private static let mostBytes = 64 * 1024
}
