internal import CDBus

/// A message as libdbus received it: what is needed to find out whom it concerns, and the rest when somebody wants it.
struct ReceivedMessage: ~Copyable {
    private let message: OpaquePointer

    /// Takes over a reference to `message`.
    init(owning message: OpaquePointer) {
        self.message = message
    }

    deinit {
        dbus_message_unref(message)
    }

    /// Nil for a type that does not exist yet; the specification says that such messages are to be ignored.
    var kind: DBusMessage.Kind? {
        switch dbus_message_get_type(message) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: .error
        case DBUS_MESSAGE_TYPE_SIGNAL: .signal
        default: nil
        }
    }

    var serial: UInt32 { dbus_message_get_serial(message) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(message) }
    var sender: String? { Self.text(dbus_message_get_sender(message)) }
    var path: ObjectPath? { Self.text(dbus_message_get_path(message)).map(ObjectPath.init(unchecked:)) }
    var interface: String? { Self.text(dbus_message_get_interface(message)) }
    var member: String? { Self.text(dbus_message_get_member(message)) }
    var errorName: String? { Self.text(dbus_message_get_error_name(message)) }
    var noReplyExpected: Bool { dbus_message_get_no_reply(message) != 0 }

    func body() throws(BodyReader.TooManyValues) -> [DBusValue] {
        try BodyReader.read(message)
    }

    /// The outcome for whoever waits for this reply.
    func result() -> Result<[DBusValue], DBusError> {
        do throws(BodyReader.TooManyValues) {
            let values = try body()
            guard kind == .error else { return .success(values) }
            return .failure(.remote(name: errorName ?? StandardError.failed, message: values.first?.stringValue ?? ""))
        } catch {
            return .failure(.remote(name: StandardError.limitsExceeded, message: Self.tooManyValues))
        }
    }

    /// The whole message.
    func decoded() throws(BodyReader.TooManyValues) -> DBusMessage? {
        guard let kind else { return nil }
        return DBusMessage(
            kind: kind, serial: serial, replySerial: replySerial == 0 ? nil : replySerial, sender: sender,
            destination: Self.text(dbus_message_get_destination(message)), path: path, interface: interface, member: member,
            errorName: errorName, body: try body(), noReplyExpected: noReplyExpected)
    }

    static let tooManyValues = "the message holds more than \(BodyReader.maximumValues) values"

    private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
        characters.map { String(cString: $0) }
    }
}
