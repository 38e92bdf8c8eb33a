/// Error names of the D-Bus specification that this module sends, or looks for.
enum StandardError {
    static let failed = "org.freedesktop.DBus.Error.Failed"
    static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
}
