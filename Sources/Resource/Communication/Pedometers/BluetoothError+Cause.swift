public import BlueZ
public import StepDomain

extension BluetoothError: CausedError {
    /// Where to look for what went wrong: nowhere, if the pedometer was just not heard.
    public var cause: FailureCause {
        switch self {
        case .peripheralNotFound: .outOfRange
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost, .daemonNotRunning, .daemonSilent,
            .noBus, .accessDenied:
            .machine
        case .cancelled: .interrupted
        case .connectFailed, .serviceNotFound, .characteristicNotFound, .readFailed, .writeFailed, .notifyFailed, .attError, .notPaired,
            .pairingFailed, .linkLost, .timedOut, .busy, .unexpected:
            .other
        }
    }
}
