extension BluetoothError: CustomStringConvertible {
    /// One sentence without a full stop: what failed, on what, and why.
    public var description: String {
        switch self {
        case .noKernelSupport: "this kernel has no Bluetooth, or keeps it from this process"
        case .noAdapter(nil): "this machine has no Bluetooth adapter"
        case .noAdapter(let name?): "there is no Bluetooth adapter \(name)"
        case .adapterDown(let name): "the Bluetooth adapter \(name) is switched off"
        case .adapterBlocked(let name, hard: false): "the Bluetooth adapter \(name) is blocked in software (rfkill)"
        case .adapterBlocked(let name, hard: true): "the Bluetooth adapter \(name) is blocked by a switch of the machine"
        case .adapterStuck(let name, let reason): "the Bluetooth adapter \(name) is on and does not scan: \(reason)"
        case .daemonSilent: "the Bluetooth service (bluetoothd) does not answer"
        case .daemonNotRunning: "the Bluetooth service (bluetoothd) is not running"
        case .noBus(let reason): "no connection to the D-Bus bus: \(reason)"
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
        case .attError(let code, let doing): "\(doing): the peripheral answered with error \(ATTErrorCode.text(code))"
        case .notPaired(let doing): "\(doing): the peripheral demands pairing"
        case .pairingFailed(let peripheral, let reason): "pairing with \(peripheral) failed: \(reason)"
        case .linkLost(let operation): "the connection was lost while \(operation)"
        case .adapterLost(let name): "the Bluetooth adapter \(name) went away"
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
