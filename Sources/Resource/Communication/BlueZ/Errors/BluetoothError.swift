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
