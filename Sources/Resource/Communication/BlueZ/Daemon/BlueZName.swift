internal import DBus

/// Names of BlueZ's D-Bus interface (`doc/org.bluez.*.rst` of its sources).
enum BlueZName {
    static let service = "org.bluez"
    static let root: ObjectPath = "/"
    static let manager: ObjectPath = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let battery = "org.bluez.Battery1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let bus = "org.freedesktop.DBus"
    static let busPath: ObjectPath = "/org/freedesktop/DBus"
}
