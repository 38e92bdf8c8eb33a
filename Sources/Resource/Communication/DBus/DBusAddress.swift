internal import Glibc
internal import Support

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
        (try? DBusAddress.session.resolved { name in environment[name].flatMap { $0.isEmpty ? nil : $0 } }).map(
            DBusAddress.address)
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

    /// A path as a value in an address (D-Bus specification, "Server Addresses"). Written without libdbus, which may be
    /// missing: that is noticed when the connection is opened.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var escaped: [UInt8] = []
        for byte in path.utf8 {
            if byte.isAlphanumeric || "-_/.\\*".utf8.contains(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
