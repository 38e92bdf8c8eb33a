internal import DBus

/// Names of ModemManager's D-Bus interface (its reference manual, "Part III. D-Bus API Reference", since 1.0).
enum ModemManagerName {
    static let service = "org.freedesktop.ModemManager1"
    static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    static let modems: ObjectPath = "/org/freedesktop/ModemManager1/Modem"
    static let modem = "org.freedesktop.ModemManager1.Modem"
    static let messaging = "org.freedesktop.ModemManager1.Modem.Messaging"
    static let message = "org.freedesktop.ModemManager1.Sms"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
