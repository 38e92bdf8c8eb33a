internal import Support

/// What can go wrong on a bus.
public enum DBusError: Error, Sendable, Hashable {
    /// Connecting to the bus failed: nothing listens there, or it does not use D-Bus, refuses this user, or does not
    /// answer in time.
    case cannotConnect(address: String, reason: String)
    /// The bus went away, or the connection was closed. Every waiting call gets this error.
    case disconnected
    /// No reply to `call` came within `seconds`. The call may still take effect.
    case timedOut(call: String, seconds: Double)
    /// The task that waited for `call` was cancelled. If the call was sent before, it may still take effect.
    case cancelled(call: String, wasSent: Bool)
    /// The call was answered with an error, such as `org.freedesktop.DBus.Error.ServiceUnknown`. The message is the
    /// peer's: untrusted text, cut to 1,024 bytes. (A name has at most 255 bytes.)
    case remote(name: String, message: String)
    /// The message cannot be sent: a bad name, a text with U+0000, a value that is not of its declared type, too much
    /// data. Nothing was sent.
    case invalidMessage(String)
    /// Another connection owns this bus name.
    case nameTaken(String)
}

extension DBusError {
    /// The name of the error that a peer answered with; nil for errors of this side.
    public var remoteName: String? {
        if case .remote(let name, _) = self { name } else { nil }
    }
}

extension DBusError {
    /// What an error of the bus, or of the library of a service, means with every service.
    public enum Kind: Sendable, Hashable {
        /// The service does not run and cannot be started, or it ended before it answered.
        case noService
        /// The bus or the service does not permit the call.
        case accessDenied
        /// The service has no such object, or the object no such interface or method: it is gone, or never existed.
        case unknownObject
    }

    /// Nil for all other errors.
    public var kind: Kind? {
        guard let name = remoteName else { return nil }
        let bus = "org.freedesktop.DBus.Error."
        switch name {
        // The bus reports NoReply for a receiver that left before it answered.
        case bus + "ServiceUnknown", bus + "NameHasNoOwner", bus + "NoReply": return .noService
        // Errors of the bus, and of systemd, which starts services for it.
        case _ where name.hasPrefix(bus + "Spawn") || name.hasPrefix("org.freedesktop.systemd1."): return .noService
        case bus + "AccessDenied", bus + "AuthFailed", bus + "InteractiveAuthorizationRequired": return .accessDenied
        case bus + "UnknownObject", bus + "UnknownMethod", bus + "UnknownInterface": return .unknownObject
        default: return nil
        }
    }
}

extension DBusError: CustomStringConvertible {
    /// One line that names what failed and why. Texts from peers are included unchanged.
    public var description: String {
        switch self {
        case .cannotConnect(let address, let reason): "cannot connect to the bus at \(address): \(reason)"
        case .disconnected: "the connection to the bus is closed"
        case .timedOut(let call, let seconds): "\(call): no answer within \(brief(seconds)) s"
        case .cancelled(let call, _): "\(call): cancelled"
        case .remote(let name, let message): message.isEmpty ? name : "\(name): \(message)"
        case .invalidMessage(let reason): "cannot be sent over D-Bus: \(reason)"
        case .nameTaken(let name): "the bus name \(name) is taken by another program"
        }
    }
}

extension DBusError {
    /// What the services of the system bus say if it cannot be reached.
    package static func noSystemBus(_ reason: String) -> String { "no connection to the system bus: \(reason)" }
    package static let noSystemBusAdvice =
        "Start the D-Bus service (package dbus), or check DBUS_SYSTEM_BUS_ADDRESS."
}

/// Error names of the D-Bus specification that this module sends or checks for.
enum StandardError {
    static let failed = "org.freedesktop.DBus.Error.Failed"
    static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
}
