/// A message that came from the bus, decoded.
///
/// All of its texts are the sender's, within the rules for names: a peer chooses what it sends. `sender` is set by the bus and can be trusted.
public struct DBusMessage: Sendable {
    /// What a message is for.
    public enum Kind: Sendable, Hashable {
        case methodCall, methodReturn, error, signal
    }

    /// What the message is for.
    public let kind: Kind
    /// The sender's number for this message; never 0. Numbers of one sender grow in the order of sending.
    public let serial: UInt32
    /// The serial of the call that this replies to.
    public let replySerial: UInt32?
    /// The unique bus name of the sender, such as `:1.7`, or `org.freedesktop.DBus` for the bus itself.
    public let sender: String?
    /// The bus name it was sent to; nil for what goes to everybody who subscribed.
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
    /// Whether the caller does not want a reply; none is then sent.
    public let noReplyExpected: Bool
}

extension DBusMessage {
    /// The types of the arguments, such as `sa{sv}as`.
    public var signature: String { body.map(\.signature).joined() }
}
