/// An error reply of bluetoothd 5.66, with its name and text (`src/error.c`, `src/gatt-client.c`, `gdbus/object.c`).
struct BlueZError: Error, Sendable, Hashable {
    let name: String
    let message: String

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    private static func bluez(_ name: String, _ message: String) -> BlueZError {
        BlueZError("org.bluez.Error." + name, message)
    }

    static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
    static let notReady = bluez("NotReady", "Resource Not Ready")
    static let busy = bluez("InProgress", "Operation already in progress")
    static let inProgress = bluez("InProgress", "In Progress")
    static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    static let notSupported = bluez("NotSupported", "Operation is not supported")
    static let notConnected = bluez("NotConnected", "Not Connected")
    static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")
    static let authenticationCanceled = bluez("AuthenticationCanceled", "Authentication Canceled")
    static let connectionAttemptFailed = bluez("ConnectionAttemptFailed", "Page Timeout")

    static func failed(_ message: String) -> BlueZError { bluez("Failed", message) }
    static func notPermitted(_ message: String) -> BlueZError { bluez("NotPermitted", message) }

    /// `create_gatt_dbus_error`.
    static func att(_ error: ATTError) -> BlueZError {
        switch error {
        case .readNotPermitted: notPermitted("Read not permitted")
        case .writeNotPermitted: notPermitted("Write not permitted")
        case .insufficientAuthentication, .insufficientEncryption, ATTError(0x0c): notPermitted("Not paired")
        case .invalidOffset: bluez("InvalidArguments", "Invalid offset")
        case .invalidLength: bluez("InvalidArguments", "Invalid Length")
        case .insufficientAuthorization: bluez("NotAuthorized", "Operation Not Authorized")
        case .requestNotSupported: notSupported
        default:
            failed("Operation failed with ATT error: 0x" + (error.code < 16 ? "0" : "") + String(error.code, radix: 16))
        }
    }

    // MARK: Errors of the D-Bus library

    private static func bus(_ name: String, _ message: String) -> BlueZError {
        BlueZError("org.freedesktop.DBus.Error." + name, message)
    }

    /// libdbus ends the text with a line feed.
    static func noSuchMethod(_ member: String, signature: String, interface: String, object exists: Bool) -> BlueZError
    {
        bus(
            exists ? "UnknownMethod" : "UnknownObject",
            "Method \"\(member)\" with signature \"\(signature)\" on interface \"\(interface)\" doesn't exist\n")
    }

    static func noSuchInterface(_ interface: String) -> BlueZError {
        bus("InvalidArgs", "No such interface '\(interface)'")
    }

    static func noSuchProperty(_ property: String) -> BlueZError {
        bus("InvalidArgs", "No such property '\(property)'")
    }

    /// `Set` has a separate error name.
    static func unknownProperty(_ property: String) -> BlueZError {
        bus("UnknownProperty", "No such property '\(property)'")
    }

    static func notWritable(_ property: String) -> BlueZError {
        bus("PropertyReadOnly", "Property '\(property)' is not writable")
    }

    static func wrongSignature(_ property: String) -> BlueZError {
        bus("InvalidSignature", "Invalid signature for '\(property)'")
    }
}
