internal import DBus

/// What can go wrong between this program and a peripheral's characteristic.
///
/// `description` says what failed on what and why, `advice` what to do next, and `isTransient` whether the same call
/// may succeed later. Peripherals are named by address, never by the name that they advertise.
public enum BluetoothError: Error, Sendable, Hashable {
    // MARK: The machine, from the bottom up

    /// The kernel has no Bluetooth, or denies this process access to it (a container).
    case noKernelSupport
    /// No adapter at all, or none of this name.
    case noAdapter(String?)
    /// The adapter is there but powered off.
    case adapterDown(String)
    /// A radio switch blocks the adapter: in software, or (`hard`) a switch or key of the machine.
    case adapterBlocked(String, hard: Bool)
    /// The adapter is switched on and does not scan.
    case adapterStuck(String, reason: String)
    /// `bluetoothd` is not running and could not be started.
    case daemonNotRunning
    /// `bluetoothd` runs and does not answer.
    case daemonSilent
    /// The system bus cannot be reached, or went away.
    case noBus(String)
    /// The bus or `bluetoothd` refuses this user.
    case accessDenied(String)

    // MARK: The way to a characteristic

    /// Not heard within the time. `peripheral` is an address, or says what was looked for.
    case peripheralNotFound(_ peripheral: String, seconds: Double)
    /// Heard, but connecting failed, after as many attempts as the limits and the reason allow.
    case connectFailed(_ peripheral: String, reason: ConnectFailure)
    /// Connected, but the peripheral has no such service.
    case serviceNotFound(_ service: BluetoothUUID, peripheral: String)
    /// The service is there, but has no such characteristic.
    case characteristicNotFound(_ characteristic: BluetoothUUID, service: BluetoothUUID, peripheral: String)
    /// BlueZ or the peripheral refuses to read.
    case readFailed(_ characteristic: BluetoothUUID, peripheral: String, reason: String)
    /// BlueZ or the peripheral refuses to write.
    case writeFailed(_ characteristic: BluetoothUUID, peripheral: String, reason: String)
    /// BlueZ or the peripheral refuses to notify.
    case notifyFailed(_ characteristic: BluetoothUUID, peripheral: String, reason: String)
    /// The peripheral itself answered with an error. Codes 0x80 to 0x9f are defined by its own application.
    case attError(code: UInt8, doing: String)
    /// The peripheral requires an encrypted link, which needs pairing.
    case notPaired(doing: String)
    /// Pairing did not result in a bond.
    case pairingFailed(_ peripheral: String, reason: String)

    // MARK: On the way

    /// The link dropped in the middle.
    case linkLost(during: String)
    /// The adapter was pulled out or switched off in the middle.
    case adapterLost(String)
    /// No answer within the limit for this operation.
    case timedOut(operation: String, seconds: Double)
    /// The task was cancelled.
    case cancelled
    /// Something else holds what is needed; the value names it.
    case busy(String)
    /// An answer that BlueZ is not known to give.
    case unexpected(String)
}

extension BluetoothError {
    /// Whether the same call may succeed later without any change by the user: not in range now, link lost, busy.
    public var isTransient: Bool {
        switch self {
        case .peripheralNotFound, .linkLost, .timedOut, .busy: true
        case .connectFailed(_, let reason): reason.isTransient
        default: false
        }
    }
}

extension BluetoothError: CustomStringConvertible {
    /// One sentence without a full stop: what failed, on what, and why.
    public var description: String {
        switch self {
        case .noKernelSupport: "this kernel has no Bluetooth, or denies this process access"
        case .noAdapter(nil): "this machine has no Bluetooth adapter"
        case .noAdapter(let name?): "there is no Bluetooth adapter \(name)"
        case .adapterDown(let name): "the Bluetooth adapter \(name) is switched off"
        case .adapterBlocked(let name, hard: false): "the Bluetooth adapter \(name) is blocked in software (rfkill)"
        case .adapterBlocked(let name, hard: true):
            "the Bluetooth adapter \(name) is blocked by a switch of the machine"
        case .adapterStuck(let name, let reason): "the Bluetooth adapter \(name) is on but does not scan: \(reason)"
        case .daemonSilent: "the Bluetooth service (bluetoothd) does not answer"
        case .daemonNotRunning: "the Bluetooth service (bluetoothd) is not running"
        case .noBus(let reason): "no connection to the system bus: \(reason)"
        case .accessDenied(let what): "access denied: \(what)"
        case .peripheralNotFound(let peripheral, let seconds):
            "\(peripheral) was not heard within \(Self.text(seconds)) s"
        case .connectFailed(let peripheral, let reason): "cannot connect to \(peripheral): \(reason)"
        case .serviceNotFound(let service, let peripheral): "\(peripheral) has no service \(service)"
        case .characteristicNotFound(let characteristic, let service, let peripheral):
            "\(peripheral) has no characteristic \(characteristic) in its service \(service)"
        case .readFailed(let characteristic, let peripheral, let reason):
            "cannot read \(characteristic) of \(peripheral): \(reason)"
        case .writeFailed(let characteristic, let peripheral, let reason):
            "cannot write \(characteristic) of \(peripheral): \(reason)"
        case .notifyFailed(let characteristic, let peripheral, let reason):
            "cannot subscribe to \(characteristic) of \(peripheral): \(reason)"
        case .attError(let code, let doing): "\(doing): the device answered with error \(ATTErrorCode.text(code))"
        case .notPaired(let doing): "\(doing): the device requires pairing"
        case .pairingFailed(let peripheral, let reason): "pairing with \(peripheral) failed: \(reason)"
        case .linkLost(let operation): "the connection was lost while \(operation)"
        case .adapterLost(let name): "the Bluetooth adapter \(name) is no longer available"
        case .timedOut(let operation, let seconds): "\(operation) took longer than \(Self.text(seconds)) s"
        case .cancelled: "cancelled"
        case .busy(let what): "busy: \(what)"
        case .unexpected(let what): "unexpected answer from the Bluetooth service: \(what)"
        }
    }

    private static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() && abs(seconds) < 1e9 ? String(Int(seconds)) : String(seconds)
    }
}

extension BluetoothError {
    /// What the user can do next, in one or two sentences.
    public var advice: String? {
        switch self {
        case .noKernelSupport:
            "Use a kernel with Bluetooth (module bluetooth), outside of a container or a private network namespace."
        case .noAdapter(nil): "Plug in a Bluetooth LE adapter, or switch it on in the machine's firmware."
        case .noAdapter: "Name an adapter of this machine. To list them: `bluetoothctl list`"
        case .adapterDown: "Switch it on: `bluetoothctl power on`"
        // Powered=true alone does not lift the block.
        case .adapterBlocked(_, hard: false): "Unblock it: `rfkill unblock bluetooth`"
        case .adapterBlocked(_, hard: true): "Use the machine's wireless switch or key; no program can do this."
        case .adapterStuck:
            """
            Switch it off and on: `bluetoothctl power off`, then `bluetoothctl power on`. If that does not help, unplug it and plug it in \
            again, or restart the service: `sudo systemctl restart bluetooth`
            """
        case .daemonSilent: "Restart it: `sudo systemctl restart bluetooth`"
        case .daemonNotRunning:
            "Install the package bluez if it is missing, then start the service: `sudo systemctl enable --now bluetooth`"
        case .noBus: "Start the D-Bus service (package dbus), or check DBUS_SYSTEM_BUS_ADDRESS."
        case .accessDenied:
            """
            Add your user to the group bluetooth, then log in again: `sudo usermod -aG bluetooth USER`. Or check bluetooth.conf in \
            /etc/dbus-1/system.d or /usr/share/dbus-1/system.d.
            """
        case .peripheralNotFound:
            "It is out of range, asleep, or connected to a phone: bring it close, wake it, or disconnect it from the phone."
        case .connectFailed(let peripheral, let reason): reason.advice(peripheral)
        case .serviceNotFound(_, let peripheral), .characteristicNotFound(_, _, let peripheral):
            """
            Check that this is the right device. If its firmware was updated, delete what BlueZ has stored about it: \
            `bluetoothctl remove \(peripheral)`
            """
        case .readFailed, .writeFailed, .notifyFailed: "Check the UUID and what the characteristic allows."
        case .attError: "Look the code up in the device's documentation; try again if it was busy."
        case .notPaired: "Pair with it first."
        case .pairingFailed:
            "Bring the device into its pairing mode, remove an older pairing on both sides, and try again."
        case .linkLost: "Bring the device nearer and try again."
        case .adapterLost: "Plug the adapter in or switch it on, and try again."
        case .timedOut: "Try again nearer to the device. If it keeps happening, the device may require pairing."
        case .cancelled: "Run it again."
        case .busy: "Wait until it is free, or end the other program."
        case .unexpected: "Please report this, with the version of BlueZ."
        }
    }
}

extension BluetoothError {
    /// The meaning of a failed call, independent of the method. Errors that are specific to a method are handled before
    /// this: those of connecting in `ConnectOutcome`, of reading and writing in `GATTOperation`, of pairing and
    /// scanning in `Central`.
    init(_ error: DBusError, doing operation: String) {
        switch error {
        case .cannotConnect(let address, let reason): self = .noBus("\(address): \(reason)")
        case .disconnected: self = .noBus("the connection to the bus was lost while \(operation)")
        case .timedOut(_, let seconds): self = .timedOut(operation: operation, seconds: seconds)
        case .cancelled: self = .cancelled
        case .invalidMessage(let what), .nameTaken(let what): self = .unexpected("\(operation): \(what)")
        case .remote(let name, let message):
            switch (error.kind, name) {
            case (.noService, _): self = .daemonNotRunning
            case (.accessDenied, _), (_, "org.bluez.Error.NotAuthorized"):
                self = .accessDenied("\(operation): \(message)")
            case (_, "org.bluez.Error.InProgress"): self = .busy(operation)
            default: self = .unexpected("\(operation): \(name): \(message)")
            }
        }
    }
}

extension BluetoothError {
    /// Whether the link cannot be used any more, or must not: all further operations over it fail.
    package var endsLink: Bool {
        switch self {
        case .linkLost, .adapterLost, .cancelled, .daemonNotRunning, .daemonSilent, .noBus: true
        default: false
        }
    }
}

/// Error codes of the attribute protocol (Core Specification Vol 3 Part F 3.4.1.1).
package enum ATTErrorCode {
    /// "Invalid handle": the peripheral's table is another one than BlueZ has stored.
    package static let invalidHandle: UInt8 = 0x01
    /// "Unlikely error", which BlueZ also reports for a link that drops in the middle of a request.
    static let unlikely: UInt8 = 0x0e

    /// The code that BlueZ put into a message, such as 0x80 of "Operation failed with ATT error: 0x80".
    static func code(in message: String) -> UInt8? {
        let marker = "ATT error: 0x"
        guard let start = message.firstRange(of: marker)?.upperBound else { return nil }
        let digits = message[start...].prefix { $0.isHexDigit }
        return UInt8(digits, radix: 16)
    }

    static func text(_ code: UInt8) -> String {
        let number = "0x" + (code < 16 ? "0" : "") + String(code, radix: 16)
        guard let name = name(code) else { return number }
        return "\(number) (\(name))"
    }

    private static func name(_ code: UInt8) -> String? {
        switch code {
        case 0x01: "invalid handle"
        case 0x04: "invalid request"
        case 0x09: "queue full"
        case 0x0a: "attribute not found"
        case 0x0e: "unlikely error"
        case 0x10: "unsupported group type"
        case 0x11: "insufficient resources"
        case 0x12: "out of sync"
        case 0x13: "value not allowed"
        case 0x80...0x9f: "of its application"
        case 0xfc: "write request rejected"
        case 0xfd: "notifications not configured"
        case 0xfe: "procedure already in progress"
        case 0xff: "out of range"
        default: nil
        }
    }
}
