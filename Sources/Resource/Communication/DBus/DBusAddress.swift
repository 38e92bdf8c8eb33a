internal import Glibc

/// Which bus to connect to.
public enum DBusAddress: Sendable, Hashable {
    /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, else the standard socket.
    case system
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, else the socket in `XDG_RUNTIME_DIR`.
    case session
    /// A bus by its address in the form of the D-Bus specification, such as `unix:path=/run/my/bus`.
    case address(String)

    /// - Throws: `DBusError.cannotConnect` if nothing tells where the session bus is.
    func resolved() throws(DBusError) -> String {
        switch self {
        case .address(let address):
            return address
        case .system:
            return Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let address = Self.variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Self.variable("XDG_RUNTIME_DIR") else {
                throw .cannotConnect(
                    address: "session",
                    reason: "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set: is this a login session?")
            }
            return "unix:path=" + Self.escaped(directory) + "/bus"
        }
    }

    /// Escapes a path for use as a value in an address, as the specification demands ("Server Addresses").
    static func escaped(_ path: String) -> String {
        let plain = Set("-/._*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
