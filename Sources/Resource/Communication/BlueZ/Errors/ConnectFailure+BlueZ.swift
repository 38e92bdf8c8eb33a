internal import DBus

/// What a failed `Device1.Connect` calls for.
enum ConnectOutcome: Equatable {
    /// It is connected already.
    case alreadyConnected
    case failed(ConnectFailure)
    /// Nothing to do with this peripheral: stop.
    case fatal(BluetoothError)
}

extension ConnectOutcome {
    /// The one place where the texts of BlueZ's connection errors are known (`src/error.h`, versions 5.50 to 5.87).
    init(_ error: DBusError, peripheral: String) {
        guard case .remote(let name, let message) = error else {
            switch error {
            case .timedOut: self = .failed(ConnectFailure(.timedOut))
            default: self = .fatal(BluetoothError(error, doing: "connecting to \(peripheral)"))
            }
            return
        }
        switch name {
        case "org.bluez.Error.Failed", "org.bluez.Error.NotAvailable",
            "org.bluez.Error.BREDR.ProfileUnavailable", "org.bluez.Error.NotConnected":
            self = Self.ofText(message)
        case "org.bluez.Error.InProgress": self = .failed(ConnectFailure(.busy, detail: message))
        case "org.bluez.Error.AlreadyConnected": self = .alreadyConnected
        case "org.bluez.Error.NotReady": self = .failed(ConnectFailure(.adapterNotPowered, detail: message))
        case "org.bluez.Error.NotSupported": self = .failed(ConnectFailure(.notSupported, detail: message))
        case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected",
            "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
            self = .failed(ConnectFailure(.pairingBroken, detail: message))
        // "Method "Connect" … doesn't exist": BlueZ drops an unpaired peripheral when discovery ends.
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
            "org.freedesktop.DBus.Error.UnknownInterface", "org.bluez.Error.DoesNotExist":
            self = .failed(ConnectFailure(.vanished))
        default:
            let known = BluetoothError(error, doing: "connecting to \(peripheral)")
            if case .unexpected = known {
                self = .failed(ConnectFailure(.unknown, detail: "\(name): \(message)"))
            } else {
                self = .fatal(known)
            }
        }
    }

    private static func ofText(_ message: String) -> ConnectOutcome {
        
        let bare = ["le-connection-", "br-connection-"].first { message.hasPrefix($0) }
            .map { String(message.dropFirst($0.count)) }
        guard let bare else {
            // A second attempt in flight: BlueZ 5.66 answers Failed with the C library's text of EALREADY.
            let isBusy = message == "Operation already in progress" || message == "In Progress"
            return .failed(ConnectFailure(isBusy ? .busy : .unknown, detail: message))
        }
        if bare == "already-connected" { return .alreadyConnected }
        return .failed(ConnectFailure(reason(bare), detail: message))
    }

    private static func reason(_ text: String) -> ConnectFailure.Reason {
        switch text {
        // BlueZ maps every error of an LE socket to ECONNABORTED: no more than "it failed" is known.
        case "abort-by-local", "aborted-by-local": .linkFailed
        // Also seen for LE, when a Disconnect got in between: transient.
        case "canceled": .cancelled
        case "timeout", "page-timeout": .timedOut
        case "busy": .busy
        case "refused": .refused
        case "abort-by-remote", "aborted-by-remote": .abortedByPeripheral
        case "concurrent-connection-limit": .tooManyConnections
        case "link-layer-protocol-error", "lmp-protocol-error": .protocolError
        case "gatt-browsing": .servicesUnresolved
        case "memory-allocation", "create-socket", "bad-socket": .outOfResources
        case "key-missing": .pairingBroken
        case "profile-unavailable", "sdp-search": .classicInsteadOfLE
        case "adapter-not-powered": .adapterNotPowered
        case "not-supported": .notSupported
        case "unknown": .linkFailed
        default: .unknown
        }
    }
}
