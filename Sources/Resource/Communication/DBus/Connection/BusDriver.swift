/// The bus itself, as a peer.
enum BusDriver {
    static let name = "org.freedesktop.DBus"
    static let path = ObjectPath(unchecked: "/org/freedesktop/DBus")
    static let interface = "org.freedesktop.DBus"
}
