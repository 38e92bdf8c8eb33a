internal import DBus

/// Names of systemd's D-Bus interfaces (org.freedesktop.systemd1(5), org.freedesktop.login1(5)).
enum SystemdName {
    static let service = "org.freedesktop.systemd1"
    static let root: ObjectPath = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"
    static let unit = "org.freedesktop.systemd1.Unit"
    static let timer = "org.freedesktop.systemd1.Timer"
    static let unitService = "org.freedesktop.systemd1.Service"
    static let properties = "org.freedesktop.DBus.Properties"
    static let loginService = "org.freedesktop.login1"
    static let loginRoot: ObjectPath = "/org/freedesktop/login1"
    static let loginManager = "org.freedesktop.login1.Manager"
    static let loginUser = "org.freedesktop.login1.User"
}
