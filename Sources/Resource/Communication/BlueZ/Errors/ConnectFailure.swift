internal import DBus

/// Why a connection failed.
public struct ConnectFailure: Error, Sendable, Hashable {
    /// The reason in one word. `isTransient` says which of them can pass.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The link could not be set up. For most failures over the air BlueZ gives no more detail.
        case linkFailed
        /// No answer within the time.
        case timedOut
        /// Another Connect or Disconnect interrupted it.
        case cancelled
        /// Another program, or BlueZ itself, is connecting at the moment.
        case busy
        case refused
        case abortedByPeripheral
        /// The adapter holds as many connections as it can.
        case tooManyConnections
        case protocolError
        /// BlueZ reported success, but the peripheral is not connected.
        case notConnectedAfterAll
        /// The services were not all found within the time, or reading them failed.
        case servicesUnresolved
        /// The link is up but BlueZ shows no services.
        case noServices
        /// It shows more services and characteristics than any real peripheral has.
        case tableTooLarge
        /// BlueZ dropped the peripheral, as it does with one that it has not heard for a while.
        case vanished
        /// The link dropped again before the services were known.
        case droppedAgain
        case outOfResources
        /// BlueZ answers that an attempt is in progress, or shows a link, and neither ends when it is asked to
        /// disconnect.
        case stuck

        /// Keys do not fit: one side has lost the pairing.
        case pairingBroken
        /// BlueZ tried BR/EDR on a peripheral that supports both BR/EDR and LE.
        case classicInsteadOfLE
        case adapterNotPowered
        case notSupported
        case unknown
    }

    /// The reason, as far as BlueZ reports it.
    public let reason: Reason
    /// BlueZ's message, if there was one.
    public let detail: String?
    /// Several attempts in a row failed on a paired peripheral in a way that may also mean a broken pairing. BlueZ has
    /// the same error for both.
    public internal(set) var suspectsPairing = false

    /// A failure, with BlueZ's message if there was one.
    public init(_ reason: Reason, detail: String? = nil) {
        self.reason = reason
        self.detail = detail
    }

    /// Whether another attempt may succeed.
    public var isTransient: Bool {
        switch reason {
        case .linkFailed, .timedOut, .cancelled, .busy, .refused, .abortedByPeripheral, .tooManyConnections,
            .protocolError, .notConnectedAfterAll, .servicesUnresolved, .noServices, .vanished, .droppedAgain,
            .outOfResources, .stuck:
            true
        case .tableTooLarge, .pairingBroken, .classicInsteadOfLE, .adapterNotPowered, .notSupported, .unknown:
            false
        }
    }

    /// - Parameter peripheral: its address.
    func advice(_ peripheral: String) -> String {
        if suspectsPairing || reason == .pairingBroken {
            return
                "If this happens again, one side has lost the pairing. Remove it: `bluetoothctl remove \(peripheral)`. Then pair again."
        }
        switch reason {
        case .tooManyConnections: return "Disconnect another Bluetooth device."
        case .busy, .cancelled: return "End other programs that use this device, and try again."
        case .classicInsteadOfLE:
            return "If no other device needs BR/EDR, write into /etc/bluetooth/main.conf: ControllerMode = le"
        case .adapterNotPowered: return "Switch it on: `bluetoothctl power on`"
        case .notSupported: return "The adapter may not support Bluetooth LE: try another one."
        case .noServices, .servicesUnresolved:
            return """
                Try again. If it fails again, restart the device, or delete what BlueZ has stored about it: \
                `bluetoothctl remove \(peripheral)`
                """
        case .stuck:
            return """
                End other programs that use this device. If there are none, delete what BlueZ has stored about it, and try again: \
                `bluetoothctl remove \(peripheral)`
                """
        case .tableTooLarge:
            return "Check the address: this device cannot be read. If it is yours, please report it."
        default: return "Bring the device nearer and try again. Restart it if it fails again."
        }
    }
}

extension ConnectFailure: CustomStringConvertible {
    /// The reason in a few words, with BlueZ's message in brackets.
    public var description: String {
        let text =
            switch reason {
            case .linkFailed: "the connection could not be set up"
            case .timedOut: "no answer in time"
            case .cancelled: "the attempt was cancelled by another program"
            case .busy: "another connection attempt is in progress"
            case .refused: "refused"
            case .abortedByPeripheral: "the device ended the attempt"
            case .tooManyConnections: "the adapter holds too many connections"
            case .protocolError: "link layer protocol error"
            case .notConnectedAfterAll: "BlueZ reported success without a connection"
            case .servicesUnresolved: "its services were not found in time"
            case .noServices: "it shows no services"
            case .tableTooLarge: "it shows more services than any known device has"
            case .vanished: "BlueZ removed it from its device list"
            case .droppedAgain: "the connection was lost again at once"
            case .outOfResources: "the machine ran out of resources for it"
            case .stuck: "BlueZ does not end an earlier connection to it"
            case .pairingBroken: "the pairing is broken"
            case .classicInsteadOfLE: "BlueZ tried BR/EDR instead of LE"
            case .adapterNotPowered: "the adapter is switched off"
            case .notSupported: "not supported by the adapter"
            case .unknown: "unknown reason"
            }
        guard let detail, !detail.isEmpty else { return text }
        return "\(text) (\(detail))"
    }
}

/// How to handle a failed `Device1.Connect`.
enum ConnectOutcome: Equatable {
    /// It is connected already.
    case alreadyConnected
    case failed(ConnectFailure)
    /// Not specific to this peripheral: stop.
    case fatal(BluetoothError)
}

extension ConnectOutcome {
    /// The only place that interprets the texts of BlueZ's connection errors (versions 5.50 to 5.87): those of
    /// `src/error.h`, which have a prefix since 5.62, and before that the C library's texts of error numbers.
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
        case "org.bluez.Error.DoesNotExist",
            _ where error.kind == .unknownObject:
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
        guard let bare else { return .failed(ConnectFailure(reason(ofErrorNumber: message), detail: message)) }
        if bare == "already-connected" { return .alreadyConnected }
        return .failed(ConnectFailure(reason(bare), detail: message))
    }

    /// The reason behind a text of the C library, `strerror`, or of BlueZ before 5.62.
    private static func reason(ofErrorNumber text: String) -> ConnectFailure.Reason {
        switch text {
        // A second attempt in flight: EALREADY, also in 5.66.
        case "Operation already in progress", "In Progress", "Operation now in progress", "Device or resource busy":
            .busy
        case "Software caused connection abort", "Input/output error", "Transport endpoint is not connected",
            "No route to host":
            .linkFailed
        case "Cancelled", "Canceled", "Operation canceled", "Operation cancelled": .cancelled
        case "Connection timed out", "Host is down": .timedOut
        case "Connection refused": .refused
        case "Connection reset by peer": .abortedByPeripheral
        case "Too many links": .tooManyConnections
        case "Protocol error": .protocolError
        case "Cannot allocate memory", "Too many open files", "Too many open files in system": .outOfResources
        case "Operation not supported", "Protocol not supported": .notSupported
        default: .unknown
        }
    }

    private static func reason(_ text: String) -> ConnectFailure.Reason {
        switch text {
        // BlueZ maps every error of an LE socket to ECONNABORTED: the actual cause is not known.
        case "abort-by-local", "aborted-by-local": .linkFailed
        // Also seen for LE, when a Disconnect interrupted it: transient.
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
