internal import DBus

extension TextMessages {
    /// The most messages that are looked at.
    private static let mostMessages = 500

    /// What became of a message that may have been sent: looks for one of this text and number among those that ModemManager knows.
    ///
    /// One that was sent counts before others of the same text and number.
    /// - Throws: `TextMessageError`; nothing is sent.
    public func find(_ text: String, to number: String) async throws(TextMessageError) -> Finding {
        let draft = try MessageDraft(text, to: number)
        var found = Finding.absent
        for message in try await list().suffix(Self.mostMessages).reversed() {
            guard let state = try await state(of: message, ifLike: draft) else { continue }
            if state == .sent { return .sent(message.string) }
            if found == .absent { found = .unclear(message.string) }
        }
        return found
    }

    private func list() async throws(TextMessageError) -> [ObjectPath] {
        do {
            let reply = try await call(path, ModemManagerName.messaging, "List")
            return reply.first?.arrayValue?.compactMap(\.pathValue) ?? []
        } catch {
            // ModemManager knows no messages of a modem that is switched off; then that is what to tell.
            if error.remoteName == MessageErrorName.wrongState { try await modem().requireReady() }
            throw TextMessageError(error, doing: "listing the text messages")
        }
    }

    /// Nil for another message, one that was received, and one that is gone.
    private func state(of message: ObjectPath, ifLike draft: MessageDraft) async throws(TextMessageError) -> MessageState? {
        let reply: [DBusValue]
        do {
            reply = try await call(message, ModemManagerName.properties, "GetAll", [.string(ModemManagerName.message)])
        } catch {
            if error.saysUnknownObject { return nil }
            throw TextMessageError(error, doing: "looking at a text message")
        }
        guard let properties = reply.first?.propertiesValue, properties["Text"]?.stringValue == draft.text,
            properties["Number"]?.stringValue == draft.number.description
        else { return nil }
        let state = properties["State"]?.intValue.flatMap(MessageState.init) ?? .unknown
        return state == .receiving || state == .received ? nil : state
    }
}

/// How far a message is (`MMSmsState`).
enum MessageState: Int {
    case unknown, stored, receiving, received, sending, sent
}
