/// What can go wrong between this program and a peripheral's characteristic.
///
/// `description` says what failed on what and why, `advice` what to do next, and `isTransient` whether the same
/// may well work later. Peripherals are named by address, never by the name that they give themselves.
public enum BluetoothError: Error, Sendable, Hashable {
    // MARK: The machine, from the bottom up

    /// The kernel has no Bluetooth, or does not let this process at it (a container).
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
    /// The D-Bus bus cannot be reached, or went away.
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
    /// The peripheral itself answered with an error. Codes 0x80 to 0x9f are its own application's.
    case attError(code: UInt8, doing: String)
    /// The peripheral demands an encrypted link, which needs pairing.
    case notPaired(doing: String)
    /// Pairing came to no bond.
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
    /// Something else holds what is needed; names what.
    case busy(String)
    /// Nothing that BlueZ is known to answer.
    case unexpected(String)
}

extension BluetoothError {
    /// Whether the same may well work later without anybody doing anything: not in range now, link lost, busy.
    public var isTransient: Bool {
        switch self {
        case .peripheralNotFound, .linkLost, .timedOut, .busy: true
        case .connectFailed(_, let reason): reason.isTransient
        default: false
        }
    }
}
