internal import CDBus

/// A message ready to be sent: everything in it is checked.
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
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]
    ) throws(DBusError) -> OutgoingMessage {
        try Names.requireInterface(interface)
        try Names.requireMember(member)
        return try make(arguments) { dbus_message_new_signal(path.string, interface, member) }
    }

    static func reply(to serial: UInt32, of sender: String?, _ values: [DBusValue]) throws(DBusError) -> OutgoingMessage {
        let outgoing = try make(values) { dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) }
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
        _ values: [DBusValue], _ create: () -> OpaquePointer?
    ) throws(DBusError) -> OutgoingMessage {
        let descriptors = try BodyCheck.check(values).descriptors
        guard let message = create() else { throw .invalidMessage("out of memory") }
        let outgoing = OutgoingMessage(owning: message, descriptors: descriptors)
        try BodyWriter.append(values, to: message)
        return outgoing
    }

    private func address(_ serial: UInt32, _ sender: String?) throws(DBusError) {
        try Self.check(dbus_message_set_reply_serial(message, serial))
        if let sender { try Self.check(dbus_message_set_destination(message, sender)) }
        // Nobody replies to a reply.
        dbus_message_set_no_reply(message, 1)
    }

    private static func check(_ done: dbus_bool_t) throws(DBusError) {
        guard done != 0 else { throw .invalidMessage("out of memory") }
    }
}
