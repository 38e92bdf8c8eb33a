internal import CDBus
internal import Support

/// Checks everything that libdbus does not check itself: with a bad name or signature it aborts the process.
enum Names {
    static func requireBusName(_ name: String) throws(DBusError) {
        try require(name, "bus name") { dbus_validate_bus_name($0, nil) }
    }

    static func requireInterface(_ name: String) throws(DBusError) {
        try require(name, "interface name") { dbus_validate_interface($0, nil) }
    }

    static func requireMember(_ name: String) throws(DBusError) {
        try require(name, "member name") { dbus_validate_member($0, nil) }
    }

    static func requireErrorName(_ name: String) throws(DBusError) {
        try require(name, "error name") { dbus_validate_error_name($0, nil) }
    }

    /// A sequence of complete types, at most 255 characters, arrays and structures nested at most 32 deep each.
    static func requireSignature(_ signature: String) throws(DBusError) {
        try require(signature, "signature") { dbus_signature_validate($0, nil) }
    }

    /// One complete type.
    static func requireSingleSignature(_ signature: String) throws(DBusError) {
        try require(signature, "type") { dbus_signature_validate_single($0, nil) }
    }

    /// A C string ends at U+0000, so text after it would be lost silently.
    static func requireNoNUL(_ text: String) throws(DBusError) {
        guard !text.utf8.contains(0) else { throw .invalidMessage("a text contains U+0000") }
    }

    /// Well-known and unique names differ in the first character.
    static func isUnique(_ busName: String) -> Bool {
        busName.utf8.first == UInt8(ascii: ":")
    }

    private static func require(
        _ text: String, _ what: String, _ isValid: (UnsafePointer<CChar>) -> dbus_bool_t
    ) throws(DBusError) {
        guard !text.utf8.contains(0), text.withCString(isValid) != 0 else {
            throw .invalidMessage("'\(text.escapedForMessages)' is not a valid \(what)")
        }
    }
}

extension String {
    /// Control and format characters escaped and long text cut: refused text may come from outside and be printed on a
    /// terminal.
    var escapedForMessages: String {
        let text = printable(String(String.UnicodeScalarView(unicodeScalars.prefix(120))))
        return unicodeScalars.count > 120 ? text + "…" : text
    }
}

/// Interfaces that objects of any program have (D-Bus specification, "Standard Interfaces").
public enum StandardInterface {
    public static let properties = "org.freedesktop.DBus.Properties"
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
