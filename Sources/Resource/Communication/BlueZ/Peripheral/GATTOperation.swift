internal import DBus

/// An operation on a characteristic or descriptor, for error messages and for interpreting BlueZ's answers.
struct GATTOperation: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case read, write, subscribe }

    var kind: Kind
    var attribute: BluetoothUUID
    var peripheral: String
    /// `GattCharacteristic1` or `GattDescriptor1`: both have `ReadValue` and `WriteValue`.
    var interface = BlueZName.characteristic

    /// "reading 2a19 of C0:…"
    var text: String {
        let verb =
            switch kind {
            case .read: "reading"
            case .write: "writing"
            case .subscribe: "subscribing to"
            }
        return "\(verb) \(attribute) of \(peripheral)"
    }

    func failed(_ reason: String) -> BluetoothError {
        switch kind {
        case .read: .readFailed(attribute, peripheral: peripheral, reason: reason)
        case .write: .writeFailed(attribute, peripheral: peripheral, reason: reason)
        case .subscribe: .notifyFailed(attribute, peripheral: peripheral, reason: reason)
        }
    }

    /// Whether BlueZ did not carry out a call, and may do so a moment later: it could not send a request ("Failed to
    /// initiate write"), or another program's call is in its way. What the peripheral itself has answered is not asked
    /// again.
    func mayPass(_ error: DBusError) -> Bool {
        guard case .remote(let name, let message) = error else { return false }
        switch name {
        case "org.bluez.Error.InProgress": return true
        case "org.bluez.Error.NotPermitted":
            return !["Not paired", "Read not permitted", "Write not permitted"].contains(message)
        case "org.bluez.Error.Failed":
            if ATTErrorCode.code(in: message) != nil { return false }
            if case .linkLost = self.error(error) { return false }
            return true
        default: return false
        }
    }

    /// The only place that interprets the errors of `GattCharacteristic1` and `GattDescriptor1`
    /// (`create_gatt_dbus_error` in `src/gatt-client.c`).
    func error(_ error: DBusError) -> BluetoothError {
        guard case .remote(let name, let message) = error else { return BluetoothError(error, doing: text) }
        switch name {
        case "org.bluez.Error.Failed":
            if let code = ATTErrorCode.code(in: message) { return .attError(code: code, doing: text) }
            // The others are the C library's texts for errors of a closed socket.
            let gone = [
                "Not connected", "No ATT transport", "Transport endpoint is not connected", "Connection reset by peer",
                "Software caused connection abort",
            ]
            return gone.contains(message) ? .linkLost(during: text) : failed(message)
        case "org.bluez.Error.NotConnected": return .linkLost(during: text)
        case "org.bluez.Error.NotPermitted":
            // BlueZ's answer to insufficient authentication, encryption and key size.
            return message == "Not paired" ? .notPaired(doing: text) : failed(message)
        case "org.bluez.Error.NotAuthorized": return failed("the device does not authorise it")
        case "org.bluez.Error.NotSupported": return failed("the characteristic does not support it")
        case "org.bluez.Error.InvalidArguments", "org.bluez.Error.InvalidValueLength",
            "org.bluez.Error.InvalidOffset":
            return failed(message)
        // The objects of the characteristics are removed when the link ends or the peripheral changes its services.
        case _ where error.kind == .unknownObject:
            return .linkLost(during: text)
        default: return BluetoothError(error, doing: text)
        }
    }
}
