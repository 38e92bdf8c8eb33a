internal import CDBus

/// A message that came from the bus, decoded.
///
/// All of its texts are chosen by the sender, within the rules for names. `sender` is set by the bus and can be
/// trusted.
public struct DBusMessage: Sendable {
    /// The type of a message.
    public enum Kind: Sendable, Hashable {
        case methodCall, methodReturn, error, signal
    }

    /// The type of the message.
    public let kind: Kind
    /// The sender's number for this message; never 0. Numbers of one sender grow in the order of sending.
    public let serial: UInt32
    /// The serial of the call that this replies to.
    public let replySerial: UInt32?
    /// The unique bus name of the sender, such as `:1.7`, or `org.freedesktop.DBus` for the bus itself.
    public let sender: String?
    /// The bus name it was sent to; nil for a message to all subscribers.
    public let destination: String?
    /// The object that is called or that signals.
    public let path: ObjectPath?
    /// The interface of the member; calls may leave it out.
    public let interface: String?
    /// The method or the signal.
    public let member: String?
    /// For errors, such as `org.freedesktop.DBus.Error.Failed`.
    public let errorName: String?
    /// The arguments.
    public let body: [DBusValue]
    /// Whether the caller does not expect a reply; none is sent then.
    public let noReplyExpected: Bool
}

extension DBusMessage {
    /// The types of the arguments, such as `sa{sv}as`.
    public var signature: String { body.map(\.signature).joined() }
}

/// A message ready to be sent: its content is checked.
struct OutgoingMessage: ~Copyable {
    let message: OpaquePointer
    let descriptors: Int

    /// - Throws: `DBusError.invalidMessage`.
    static func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue],
        noReply: Bool = false
    ) throws(DBusError) -> OutgoingMessage {
        try Names.requireBusName(destination)
        try Names.requireInterface(interface)
        try Names.requireMember(member)
        let outgoing = try make(arguments) {
            dbus_message_new_method_call(destination, path.string, interface, member)
        }
        if noReply { dbus_message_set_no_reply(outgoing.message, 1) }
        return outgoing
    }

    static func signal(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue], order: KeyOrder? = nil
    ) throws(DBusError) -> OutgoingMessage {
        try Names.requireInterface(interface)
        try Names.requireMember(member)
        return try make(arguments, order: order) { dbus_message_new_signal(path.string, interface, member) }
    }

    static func reply(
        to serial: UInt32, of sender: String?, _ values: [DBusValue], order: KeyOrder? = nil
    ) throws(DBusError) -> OutgoingMessage {
        let outgoing = try make(values, order: order) { dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) }
        try outgoing.address(serial, sender)
        return outgoing
    }

    static func error(
        to serial: UInt32, of sender: String?, _ name: String, _ text: String
    ) throws(DBusError) -> OutgoingMessage {
        try Names.requireErrorName(name)
        let outgoing = try make([.string(text)]) { dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) }
        try check(dbus_message_set_error_name(outgoing.message, name))
        try outgoing.address(serial, sender)
        return outgoing
    }

    private init(owning message: OpaquePointer, descriptors: Int) {
        self.message = message
        self.descriptors = descriptors
    }

    deinit {
        dbus_message_unref(message)
    }

    private static func make(
        _ values: [DBusValue], order: KeyOrder? = nil, _ create: () -> OpaquePointer?
    ) throws(DBusError) -> OutgoingMessage {
        let descriptors = try BodyCheck.check(values)
        guard let message = create() else { throw .invalidMessage("out of memory") }
        let outgoing = OutgoingMessage(owning: message, descriptors: descriptors)
        try BodyWriter(order: order).append(values, to: message)
        return outgoing
    }

    private func address(_ serial: UInt32, _ sender: String?) throws(DBusError) {
        try Self.check(dbus_message_set_reply_serial(message, serial))
        if let sender { try Self.check(dbus_message_set_destination(message, sender)) }
        // A reply is never answered.
        dbus_message_set_no_reply(message, 1)
    }

    private static func check(_ done: dbus_bool_t) throws(DBusError) {
        guard done != 0 else { throw .invalidMessage("out of memory") }
    }
}

/// A message as libdbus received it: contains what is needed to find its receiver; the rest is decoded on request.
struct ReceivedMessage: ~Copyable {
    private let message: OpaquePointer

    /// Takes over a reference to `message`.
    init(owning message: OpaquePointer) {
        self.message = message
    }

    deinit {
        dbus_message_unref(message)
    }

    /// Nil for an unknown type; the specification says that such messages must be ignored.
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

    /// The outcome for the caller that waits for this reply.
    func result() -> Result<[DBusValue], DBusError> {
        do throws(BodyReader.TooManyValues) {
            let values = try body()
            guard kind == .error else { return .success(values) }
            return .failure(
                .remote(
                    name: errorName ?? StandardError.failed,
                    message: (values.first?.stringValue ?? "").cut(toBytes: DBusLimits.errorText)))
        } catch {
            return .failure(.remote(name: StandardError.limitsExceeded, message: Self.tooManyValues))
        }
    }

    /// The whole message.
    func decoded() throws(BodyReader.TooManyValues) -> DBusMessage? {
        guard let kind else { return nil }
        return DBusMessage(
            kind: kind, serial: serial, replySerial: replySerial == 0 ? nil : replySerial, sender: sender,
            destination: Self.text(dbus_message_get_destination(message)), path: path, interface: interface,
            member: member,
            errorName: errorName, body: try body(), noReplyExpected: noReplyExpected)
    }

    static let tooManyValues = "the message holds more than \(BodyReader.maximumValues) values"

    private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
        characters.map { String(cString: $0) }
    }
}
