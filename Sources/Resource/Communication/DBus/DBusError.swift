/// What can go wrong on a bus.
public enum DBusError: Error, Sendable, Hashable {
    /// No connection to the bus came about: nobody listens there, it speaks no D-Bus, refuses this user, or does not answer in time.
    case cannotConnect(address: String, reason: String)
    /// The bus went away, or the connection was closed. Every waiting call gets it.
    case disconnected
    /// No reply to `call` came within `seconds`. The call may still take effect.
    case timedOut(call: String, seconds: Double)
    /// The task that waited for `call` was cancelled. The call may still take effect.
    case cancelled(call: String)
    /// The call was answered with an error, such as `org.freedesktop.DBus.Error.ServiceUnknown`. The message is the peer's: untrusted text.
    case remote(name: String, message: String)
    /// What was to be sent cannot be: a bad name, a text with U+0000, a value that is not of its declared type, too much. Nothing was sent.
    case invalidMessage(String)
    /// Another connection owns this bus name.
    case nameTaken(String)
}

extension DBusError {
    /// The name of the error that a peer answered with; nil for the failures of this side.
    public var remoteName: String? {
        if case .remote(let name, _) = self { name } else { nil }
    }
}

extension DBusError: CustomStringConvertible {
    /// One line that names what failed and why. What peers said is in it as they said it.
    public var description: String {
        switch self {
        case .cannotConnect(let address, let reason): "cannot connect to the bus at \(address): \(reason)"
        case .disconnected: "the connection to the bus is closed"
        case .timedOut(let call, let seconds): "\(call): no answer within \(seconds.plainText) s"
        case .cancelled(let call): "\(call): cancelled"
        case .remote(let name, let message): message.isEmpty ? name : "\(name): \(message)"
        case .invalidMessage(let reason): "cannot be sent over D-Bus: \(reason)"
        case .nameTaken(let name): "the bus name \(name) is taken by another program"
        }
    }
}

extension Double {
    /// Without the fraction that most time limits do not have.
    var plainText: String { self == rounded() && magnitude < 1e15 ? String(Int(self)) : String(self) }
}
