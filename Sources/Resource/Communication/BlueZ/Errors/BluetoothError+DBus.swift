internal import DBus

extension BluetoothError {
    /// What a failed call means whatever was called. Errors that say something of the call itself are read where
    /// it is made, before this.
    init(_ error: DBusError, doing operation: String) {
        switch error {
        case .cannotConnect(let address, let reason): self = .noBus("\(address): \(reason)")
        case .disconnected: self = .noBus("the bus went away while \(operation)")
        case .timedOut(_, let seconds): self = .timedOut(operation: operation, seconds: seconds)
        case .cancelled: self = .cancelled
        case .invalidMessage(let what), .nameTaken(let what): self = .unexpected("\(operation): \(what)")
        case .remote(let name, let message): self.init(remote: name, message, doing: operation)
        }
    }

    private init(remote name: String, _ message: String, doing operation: String) {
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            // The bus says NoReply for a receiver that left before it answered: bluetoothd ended.
            "org.freedesktop.DBus.Error.NoReply":
            self = .daemonNotRunning
        case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn") || name.hasPrefix("org.freedesktop.systemd1."):
            self = .daemonNotRunning
        case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed",
            "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
            self = .accessDenied("\(operation): \(message)")
        case "org.bluez.Error.NotAuthorized": self = .accessDenied("\(operation): \(message)")
        case "org.bluez.Error.InProgress": self = .busy(operation)
        default: self = .unexpected("\(operation): \(name): \(message)")
        }
    }
}
