internal import CDBus
internal import Glibc

/// Which bus to connect to.
public enum DBusAddress: Sendable, Hashable {
    /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, else the standard socket.
    case system
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, else the socket in `XDG_RUNTIME_DIR`.
    case session
    /// A bus by its address in the form of the D-Bus specification, such as `unix:path=/run/my/bus`.
    case address(String)

    /// The session's bus according to an environment, which may be that of another process; nil if it names no session.
    public static func session(in environment: [String: String]) -> DBusAddress? {
        (try? DBusAddress.session.resolved { name in environment[name].flatMap { $0.isEmpty ? nil : $0 } }).map(DBusAddress.address)
    }

    /// - Parameter variable: the value of an environment variable; an empty one counts as not set.
    /// - Throws: `DBusError.cannotConnect` if the address of the session bus is not known.
    func resolved(_ variable: (String) -> String? = Self.environment) throws(DBusError) -> String {
        switch self {
        case .address(let address):
            return address
        case .system:
            return variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = variable("XDG_RUNTIME_DIR") else {
                throw .cannotConnect(
                    address: "session",
                    reason: "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set: is this a login session?")
            }
            return "unix:path=" + Self.escaped(directory) + "/bus"
        }
    }

    /// A path as a value in an address.
    private static func escaped(_ path: String) -> String {
        guard let escaped = dbus_address_escape_value(path) else { return path }
        defer { dbus_free(escaped) }
        return String(cString: escaped)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
