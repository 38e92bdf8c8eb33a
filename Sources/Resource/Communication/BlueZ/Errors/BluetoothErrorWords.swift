internal import DBus
internal import Support

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
        case .noBus(let reason): DBusError.noSystemBus(reason)
        case .accessDenied(let what): "access denied: \(what)"
        case .peripheralNotFound(let peripheral, let seconds):
            "\(peripheral) was not heard within \(brief(seconds)) s"
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
        case .timedOut(let operation, let seconds): "\(operation) took longer than \(brief(seconds)) s"
        case .cancelled: "cancelled"
        case .busy(let what): "busy: \(what)"
        case .unexpected(let what): "unexpected answer from the Bluetooth service: \(what)"
        }
    }
}

extension BluetoothError {
    /// What the user can do next, in one or two sentences. Nil for a peripheral that was not heard: that depends on
    /// what it is.
    public var advice: String? {
        switch self {
        case .noKernelSupport:
            "Use a kernel with Bluetooth (module bluetooth), outside of a container or a private network namespace."
        case .noAdapter(nil): "Plug in a Bluetooth LE adapter, or switch it on in the machine's firmware."
        case .noAdapter: "Name an adapter of this machine. To list them: `bluetoothctl list`"
        case .adapterDown: "Switch it on: `bluetoothctl power on`"
        // Powered=true alone does not lift the block.
        case .adapterBlocked(_, hard: false): "With the package rfkill: `sudo rfkill unblock bluetooth`"
        case .adapterBlocked(_, hard: true): "Use the machine's wireless switch or key; no program can do this."
        case .adapterStuck:
            """
            Switch it off and on: `bluetoothctl power off`, then `bluetoothctl power on`. If that does not help, unplug it and plug it in \
            again, or restart the service: `sudo systemctl restart bluetooth`
            """
        case .daemonSilent: "Restart it: `sudo systemctl restart bluetooth`"
        case .daemonNotRunning:
            "Install the package bluez if it is missing, then start the service: `sudo systemctl enable --now bluetooth`"
        case .noBus: DBusError.noSystemBusAdvice
        case .accessDenied:
            """
            Add your user to the group bluetooth, then log in again: `sudo usermod -aG bluetooth USER`. Or check bluetooth.conf in \
            /etc/dbus-1/system.d or /usr/share/dbus-1/system.d.
            """
        case .peripheralNotFound: nil
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
